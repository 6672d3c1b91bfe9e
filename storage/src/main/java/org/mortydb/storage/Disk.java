package org.mortydb.storage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file operations of storage. Tests replace them to make operations fail, and to lose content
 * that was not forced. Safe for use by several threads.
 */
public interface Disk {
  /** The machine's file systems. */
  Disk SYSTEM = new SystemDisk();

  /** Whether the disk is read-only. */
  default boolean isReadOnly() {
    return false;
  }

  /** Whether there is a directory. */
  boolean isDirectory(Path directory);

  /** Creates a directory, in an existing one. Does nothing if another process was faster. */
  void createDirectory(Path directory) throws IOException;

  /** Returns the names of the files in a directory, sorted. */
  List<String> list(Path directory) throws IOException;

  /** Opens an existing file for reading and writing. */
  DiskFile open(Path file) throws IOException;

  /** Creates or empties a file, and opens it for reading and writing. */
  DiskFile create(Path file) throws IOException;

  /** Renames a file atomically; replaces a file of the new name. */
  void rename(Path from, Path to) throws IOException;

  /** Deletes a file. */
  void delete(Path file) throws IOException;

  /** Forces a directory's entries to the medium: creations, renamings and deletions. */
  void forceDirectory(Path directory) throws IOException;

  /**
   * Returns an id of the machine's latest boot. A new id means that content that was not forced may
   * be lost. Empty if unknown.
   */
  String bootId();

  /**
   * Locks a file until the lock is closed, against other processes and a second lock of this
   * process. Creates the file if it is missing.
   *
   * @return null if the file is locked already
   */
  @Nullable Lock lock(Path file) throws IOException;

  /** A lock on a file. Safe for use by several threads. */
  interface Lock extends Closeable {
    /**
     * Whether the path that was locked still names the locked file. If not, because the file was
     * deleted or its directory was moved, others can lock the path as well.
     */
    boolean isHeld() throws IOException;
  }
}
