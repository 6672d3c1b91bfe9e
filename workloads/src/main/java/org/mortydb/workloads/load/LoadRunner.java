package org.mortydb.workloads.load;

/** Runs one load after another on filled records. For one thread. */
@FunctionalInterface
public interface LoadRunner {

  /**
   * Runs the mix of transactions for a warm-up and a measured window.
   *
   * @param observer is called when the window begins and ends
   * @throws LoadFailedException when a transaction fails with an error
   */
  RunResult run(RunOptions options, RunObserver observer) throws InterruptedException;
}
