package org.mortydb.protocol.machine;

import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;

/** What every machine can ask of its host. Calls are made only within a step, and never block. */
public interface Effects {

  /** Sends a message, once, with no promise of delivery. */
  void send(Endpoint to, Message message);

  /** Sends one message to every replica of a partition. */
  void broadcast(int partition, Message message);

  /**
   * Arms a timer; one of the same name that is still armed is replaced.
   *
   * @param delayMicros microseconds from now, 0 or more
   */
  void armTimer(Timer timer, long delayMicros);

  /** Cancels a timer if it is armed. */
  void cancelTimer(Timer timer);

  /**
   * Appends to the replica's log. Records become durable in the order in which they were appended;
   * a crash loses a suffix of those that were not durable yet, never one from among them.
   *
   * <p>A host that keeps nothing (durability {@code memory}) ignores it, and must not let the
   * replica come back as if it remembered.
   */
  default void append(LogRecord record) {}

  /**
   * What this step sends from here on leaves when all that was appended so far, in this step and
   * before, is durable. Messages of other steps are not held up by it.
   */
  default void holdUntilDurable() {}

  /** Whether anybody listens to probes; asked before one is made. */
  default boolean probing() {
    return false;
  }

  /** Tells an observer what happened; changes nothing. */
  default void probe(Probe probe) {}
}
