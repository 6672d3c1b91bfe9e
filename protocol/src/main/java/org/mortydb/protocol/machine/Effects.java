package org.mortydb.protocol.machine;

import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;

/**
 * The effects that every machine has. A machine calls them only within a step; they never block.
 */
public interface Effects {

  /** Sends a message once. It may get lost. */
  void send(Endpoint to, Message message);

  /** Sends a message once to every replica of a partition. */
  void broadcast(int partition, Message message);

  /**
   * Arms a timer. Replaces a timer of the same name that is still armed.
   *
   * @param delayMicros microseconds from now, 0 or more
   */
  void armTimer(Timer timer, long delayMicros);

  /** Cancels a timer if it is armed. */
  void cancelTimer(Timer timer);

  /**
   * Appends to the replica's log. Records become durable in the order in which they were appended.
   * A crash loses a suffix of the records that were not durable yet.
   *
   * <p>A host with durability {@code memory} ignores the call. Its replica has to join again after
   * a restart.
   */
  default void append(LogRecord record) {}

  /**
   * Holds the messages that this step sends from here on, until all records appended so far are
   * durable. Messages of other steps are not held.
   */
  default void holdUntilDurable() {}

  /**
   * Holds the messages that this step sends from here on, until all records appended so far are
   * written: the end of this process loses none of them, but a loss of power may. {@link
   * #holdUntilDurable} holds them longer.
   */
  default void holdUntilWritten() {}

  /** Whether an observer listens to probes. Machines ask before they make a probe. */
  default boolean probing() {
    return false;
  }

  /** Reports an event to observers; changes nothing. */
  default void probe(Probe probe) {}
}
