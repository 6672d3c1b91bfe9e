package org.mortydb.workloads.load;

/** Is told how far a run is. Called by the thread that runs it, which waits meanwhile. */
public interface RunObserver {

  /** Observes nothing. */
  RunObserver NONE = new RunObserver() {};

  /** The warm-up is half over: the time for what disturbs, such as a garbage collection. */
  default void warmingUp() {}

  /** The window begins. */
  default void windowBegins() {}

  /** The window has ended; transactions still run. */
  default void windowEnds() {}
}
