package org.mortydb.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A read-only view of a disk. It ignores the cuts and deletions of a start, and refuses writes. */
final class ReadOnlyDisk implements Disk {
  private final Disk disk;
  private long cutBytes;

  ReadOnlyDisk(Disk disk) {
    this.disk = disk;
  }

  /** Returns how many bytes a start would have cut off the files opened so far. */
  long cutBytes() {
    return cutBytes;
  }

  @Override
  public boolean isReadOnly() {
    return true;
  }

  /** A missing directory is noticed when it is read. */
  @Override
  public boolean isDirectory(Path directory) {
    return true;
  }

  @Override
  public void createDirectory(Path directory) throws IOException {
    throw refused(directory);
  }

  @Override
  public List<String> list(Path directory) throws IOException {
    return disk.list(directory);
  }

  @Override
  public DiskFile open(Path file) throws IOException {
    return new ReadOnlyFile(disk.open(file), file);
  }

  @Override
  public DiskFile create(Path file) throws IOException {
    throw refused(file);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    throw refused(to);
  }

  @Override
  public void delete(Path file) {
    // A superfluous file does no harm.
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    throw refused(directory);
  }

  @Override
  public String bootId() {
    return disk.bootId();
  }

  @Override
  public @Nullable Lock lock(Path file) throws IOException {
    return disk.lock(file);
  }

  private static IOException refused(Path file) {
    return new IOException(file + " must not be written: its directory is only read");
  }

  private final class ReadOnlyFile implements DiskFile {
    private final DiskFile file;
    private final Path path;

    ReadOnlyFile(DiskFile file, Path path) {
      this.file = file;
      this.path = path;
    }

    @Override
    public int read(ByteBuffer into, long offset) throws IOException {
      return file.read(into, offset);
    }

    @Override
    public int write(ByteBuffer from, long offset) throws IOException {
      throw refused(path);
    }

    @Override
    public void force() {
      // Nothing was written.
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public void truncate(long size) throws IOException {
      cutBytes += file.size() - size;
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
