package org.mortydb.storage;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Takes the records that are read at the start. */
public interface RecordConsumer {
  /**
   * Takes one record.
   *
   * @param tag what the caller appended it with
   * @param payload read-only, valid within this call
   * @throws IOException to end the start
   */
  void accept(byte tag, ByteBuffer payload) throws IOException;
}
