package org.mortydb.workloads.load;

/** Is called at the stages of a run, by the thread that runs it. The run waits for the call. */
public interface RunObserver {

  /** Observes nothing. */
  RunObserver NONE = new RunObserver() {};

  /**
   * The time for disturbances such as a garbage collection: half of a closed loop's warm-up is
   * over, or an open loop is about to begin.
   */
  default void warmingUp() {}

  /** The window begins. */
  default void windowBegins() {}

  /** The window has ended; transactions are still running. */
  default void windowEnds() {}
}
