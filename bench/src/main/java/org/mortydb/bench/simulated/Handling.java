package org.mortydb.bench.simulated;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;

/**
 * A machine's handling of one message, timer, end of a batch or request of the application, with
 * what caused it. Times are nanoseconds of virtual time, equal on all machines.
 *
 * @param kind what is handled
 * @param at the replica, or the client for all of its coordinators
 * @param fromRegion the number of the region from which the message came; {@code region} if it is
 *     no message
 * @param region the number of the region of {@code at}
 * @param message the message; null if it is none
 * @param cause the handling that sent the message or armed the timer; null if it was not followed
 * @param leftNanos when the message left its sender, at the end of the turn; when the timer was
 *     armed
 * @param arrivedNanos when the message arrived, or the timer was due; it then waits for its loop
 * @param turnNanos when the turn of the loop began
 * @param startNanos when the handling began within that turn, after decoding
 */
public record Handling(
    Kind kind,
    Endpoint at,
    int fromRegion,
    int region,
    @Nullable Message message,
    @Nullable Handling cause,
    long leftNanos,
    long arrivedNanos,
    long turnNanos,
    long startNanos) {

  /** What is handled. */
  public enum Kind {
    /** A message. */
    MESSAGE,
    /** A timer. */
    TIMER,
    /** The end of a batch of messages, at a client. */
    BATCH_END,
    /** The begin of a transaction, at a client. */
    BEGIN
  }

  /** A handling equals only itself: a comparison by value would compare all causes. */
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }

  @Override
  public String toString() {
    return kind + " of " + message + " at " + at + " at " + startNanos + " ns";
  }

  /** Whether this and another handling belong to one turn of one event loop. */
  public boolean isInTurnOf(Handling other) {
    return turnNanos == other.turnNanos && at.equals(other.at);
  }
}
