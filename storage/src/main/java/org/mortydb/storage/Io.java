package org.mortydb.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;

/** Complete reads, writes and deletions of files. */
final class Io {
  /**
   * A file is shortened in steps of this size before it is deleted. A file system may otherwise
   * free all blocks of a large file in one commit, which the next force of the log would wait for.
   */
  private static final int SHRINK_BYTES = 8 * 1024 * 1024;

  private Io() {}

  static void write(DiskFile file, ByteBuffer from, long offset) throws IOException {
    long at = offset;
    while (from.hasRemaining()) {
      int written = file.write(from, at);
      if (written <= 0) {
        throw new IOException("the file system takes nothing more");
      }
      at += written;
    }
  }

  /** Reads until the buffer is full or the file ends. */
  static void read(DiskFile file, ByteBuffer into, long offset) throws IOException {
    long at = offset;
    while (into.hasRemaining()) {
      int read = file.read(into, at);
      if (read < 0) {
        return;
      }
      at += read;
    }
  }

  /** Writes a small file atomically: the whole file appears under its name, or nothing. */
  static void replace(Disk disk, Path file, ByteBuffer content) throws IOException {
    Path temporary = Names.temporary(file);
    try (DiskFile out = disk.create(temporary)) {
      write(out, content, 0);
      out.force();
    }
    disk.rename(temporary, file);
    disk.forceDirectory(Names.directoryOf(file));
  }

  /**
   * Creates a directory and its missing parents, and forces the name of each. They are created one
   * by one, so that all but the last are durable whenever the process ends.
   */
  static void createDirectories(Disk disk, Path directory) throws IOException {
    ArrayDeque<Path> missing = new ArrayDeque<>();
    Path at = directory.toAbsolutePath();
    while (at != null && !disk.isDirectory(at)) {
      missing.push(at);
      at = at.getParent();
    }
    for (Path next : missing) {
      disk.createDirectory(next);
      disk.forceDirectory(Names.directoryOf(next));
    }
  }

  /** Deletes a file in small steps, so that forces of other files do not wait long. */
  static void deleteInSteps(Disk disk, Path file) throws IOException {
    try (DiskFile opened = disk.open(file)) {
      for (long size = opened.size() - SHRINK_BYTES; size > 0; size -= SHRINK_BYTES) {
        opened.truncate(size);
        opened.force();
      }
    }
    disk.delete(file);
  }
}
