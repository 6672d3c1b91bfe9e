package org.mortydb.sim.host;

import java.util.function.Consumer;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.StateMachine;

/**
 * A machine from one start of its server to the next crash. Those that keep nothing across a crash
 * leave the defaults.
 */
@FunctionalInterface
public interface HostedMachine extends StateMachine<Effects> {

  /** Takes one record of its checkpoint or log, in their order, before its first event. */
  default void restore(long nowMicros, LogRecord logged) {}

  /** Whether what it took is all that it has ever promised. */
  default boolean isWhole() {
    return true;
  }

  /** Begins without memory, before its first event; incarnations grow with each process. */
  default void join(long incarnation) {}

  /** Whether it answers; not while it joins. */
  default boolean isServing() {
    return true;
  }

  /**
   * Copies what some slots hold for a checkpoint.
   *
   * @return the slot to go on from, or -1 at the end
   */
  default int copyVersions(int slot, int limit, Consumer<LogRecord> to) {
    return -1;
  }

  /** Notes a mark in its log. */
  default void mark(int number) {}

  /** Copies what the log after a mark does not tell. */
  default void copyRecords(int mark, Consumer<LogRecord> to) {}
}
