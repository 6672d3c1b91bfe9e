package org.mortydb.storage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** The last segment of a log. Used by one thread. */
final class SegmentWriter implements Closeable {
  private static final int COPIED_BYTES = 1024 * 1024;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Path path;
  private final DiskFile file;
  private final long base;
  private long size = FileHeader.BYTES;

  private SegmentWriter(Path path, DiskFile file, long base) {
    this.path = path;
    this.file = file;
    this.base = base;
  }

  /**
   * Creates a segment; replaces one without records. The segment is durable on return. Its
   * predecessor must be forced before.
   */
  static SegmentWriter create(DataDirectory directory, long base) throws IOException {
    Path path = directory.resolve(Names.segment(base));
    Path temporary = Names.temporary(path);
    DiskFile file = directory.disk().create(temporary);
    try {
      ByteBuffer header = ByteBuffer.allocate(FileHeader.BYTES);
      FileHeader.put(header, FileHeader.Kind.SEGMENT, directory.id(), base);
      Io.write(file, header.flip(), 0);
      file.force();
      directory.disk().rename(temporary, path);
      directory.disk().forceDirectory(directory.path());
      return new SegmentWriter(path, file, base);
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /**
   * Replaces a segment by a copy of its records, forced. Records that a crash has left in a file
   * may be readable and yet not on the medium: after a failed force the operating system counts
   * them as written, and no later force of the same file writes them.
   */
  static void rewrite(DataDirectory directory, long base, long end) throws IOException {
    Path path = directory.resolve(Names.segment(base));
    Path temporary = Names.temporary(path);
    long size = FileHeader.BYTES + end - base;
    try (DiskFile from = directory.disk().open(path);
        DiskFile to = directory.disk().create(temporary)) {
      ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(size, COPIED_BYTES));
      for (long at = 0; at < size; at += chunk.limit()) {
        chunk.clear().limit((int) Math.min(chunk.capacity(), size - at));
        Io.read(from, chunk, at);
        Io.write(to, chunk.flip(), at);
      }
      to.force();
    }
    directory.disk().rename(temporary, path);
    directory.disk().forceDirectory(directory.path());
  }

  /** Seals a segment that was left without a seal. */
  static void seal(DataDirectory directory, long base, long end) throws IOException {
    Path path = directory.resolve(Names.segment(base));
    try (DiskFile file = directory.disk().open(path)) {
      SegmentWriter segment = new SegmentWriter(path, file, base);
      segment.size = FileHeader.BYTES + end - base;
      file.truncate(segment.size);
      segment.seal();
    }
  }

  Path path() {
    return path;
  }

  long base() {
    return base;
  }

  /** Returns the length so far, with the header. */
  long size() {
    return size;
  }

  boolean hasRecords() {
    return size > FileHeader.BYTES;
  }

  void write(ByteBuffer records) throws IOException {
    int bytes = records.remaining();
    Io.write(file, records, size);
    size += bytes;
  }

  void force() throws IOException {
    file.force();
  }

  /** Writes and forces the seal, which says that the next segment exists. */
  void seal() throws IOException {
    ByteBuffer seal = ByteBuffer.allocate(RecordFormat.HEADER_BYTES);
    long end = base + size - FileHeader.BYTES;
    RecordFormat.put(seal, end, RecordFormat.SEAL, (byte) 0, NOTHING.duplicate());
    Io.write(file, seal.flip(), size);
    file.force();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
