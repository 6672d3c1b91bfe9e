package org.mortydb.storage;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Gets the records that are read at the start. */
public interface RecordConsumer {
  /**
   * Gets one record.
   *
   * @param tag the tag with which it was appended
   * @param payload read-only, valid within this call
   * @throws IOException to end the start
   */
  void accept(byte tag, ByteBuffer payload) throws IOException;

  /**
   * All records have been read, those of the log last. The start goes on when this returns. Only
   * the consumer of the log is told.
   *
   * @throws IOException to end the start
   */
  default void end() throws IOException {}
}
