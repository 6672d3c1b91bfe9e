package org.mortydb.sim.host;

import java.util.function.Consumer;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.StateMachine;

/**
 * A machine from one start of its server to the next crash. The defaults suit machines without
 * durable state.
 */
@FunctionalInterface
public interface HostedMachine extends StateMachine<Effects> {

  /** Restores one record of the checkpoint or log, in order, before the first event. */
  default void restore(long nowMicros, LogRecord logged) {}

  /** Whether the restored records include all its promises. */
  default boolean isWhole() {
    return true;
  }

  /**
   * Starts without memory, before the first event.
   *
   * @param incarnation grows with each process
   * @param doubtful whether earlier processes may have promised more than was restored
   */
  default void join(long incarnation, boolean doubtful) {}

  /** Whether it serves; false while it joins. */
  default boolean isServing() {
    return true;
  }

  /** Whether its partition has ended, so that it need not serve. */
  default boolean hasEnded() {
    return false;
  }

  /** Whether it has promised nothing yet, in a partition that a change of the map adds. */
  default boolean isNew() {
    return false;
  }

  /**
   * Copies the versions of some slots for a checkpoint.
   *
   * @return the next slot, or -1 at the end
   */
  default int copyVersions(int slot, int limit, Consumer<LogRecord> to) {
    return -1;
  }

  /** Notes a mark in the log. */
  default void mark(int number) {}

  /** Copies the records that the log after a mark does not cover. */
  default void copyRecords(int mark, Consumer<LogRecord> to) {}
}
