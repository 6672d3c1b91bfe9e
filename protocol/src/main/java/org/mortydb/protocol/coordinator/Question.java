package org.mortydb.protocol.coordinator;

import java.util.List;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.TxnId;

/** What a coordinator asks of one replica of a partition, and of the next if that stays silent. */
abstract sealed class Question permits ReadSlot, ScanSlot {
  final int partition;

  /** The replica that was asked last. */
  int replica;

  /** How many replicas were asked. */
  int attempts;

  /** When the first one was asked. */
  long begunMicros;

  /** When the last one was asked. */
  long askedMicros;

  /** Whether no replica serves, so that the question waits for a while. */
  boolean waits;

  Question(int partition) {
    this.partition = partition;
  }

  /** Whether no answer has come yet. */
  abstract boolean isOpen();

  /**
   * Makes the message that asks.
   *
   * @param requests the requests so far, by number; takes the new one
   */
  abstract Message request(TxnId txn, List<Requested> requests);
}
