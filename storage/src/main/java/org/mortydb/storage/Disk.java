package org.mortydb.storage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file operations that storage is built on, so that tests can let each of them fail, and can
 * lose what was not forced. Safe for several threads.
 */
public interface Disk {
  /** The machine's file systems. */
  Disk SYSTEM = new SystemDisk();

  /** Whether nothing on it is ever changed. */
  default boolean isReadOnly() {
    return false;
  }

  /** Creates a directory and those above it, as far as they are missing. */
  void createDirectories(Path directory) throws IOException;

  /** The names of the files in a directory, sorted. */
  List<String> list(Path directory) throws IOException;

  /** Opens a file for reading and writing that exists. */
  DiskFile open(Path file) throws IOException;

  /** Creates an empty file, or empties one that exists, and opens it for reading and writing. */
  DiskFile create(Path file) throws IOException;

  /** Gives a file another name in one step, in place of a file that may have that name. */
  void rename(Path from, Path to) throws IOException;

  /** Deletes a file. */
  void delete(Path file) throws IOException;

  /** Forces to the medium which files a directory has: creations, renamings, deletions. */
  void forceDirectory(Path directory) throws IOException;

  /**
   * Changes whenever something that was written and not forced may have been lost: when the machine
   * was started again. Empty if that is not known.
   */
  String bootId();

  /**
   * Locks a file, created if need be, against all other processes and against a second time in this
   * one, until it is closed.
   *
   * @return null when it is locked already
   */
  @Nullable Closeable lock(Path file) throws IOException;
}
