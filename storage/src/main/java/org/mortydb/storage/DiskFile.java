package org.mortydb.storage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** An open file. Used by one thread at a time. */
public interface DiskFile extends Closeable {
  /**
   * Reads into a buffer, possibly less than it has room for.
   *
   * @return the number of bytes, -1 at the end of the file
   */
  int read(ByteBuffer into, long offset) throws IOException;

  /**
   * Writes from a buffer, possibly not all of it.
   *
   * @return the number of bytes
   */
  int write(ByteBuffer from, long offset) throws IOException;

  /** Forces the content to the medium, with the metadata that a later read needs. */
  void force() throws IOException;

  /** Returns the length in bytes. */
  long size() throws IOException;

  /** Shortens the file. */
  void truncate(long size) throws IOException;
}
