package org.mortydb.client.direct;

import java.util.function.BooleanSupplier;

/**
 * The thread on which a body runs, as {@link DirectRun} sees it. In production a real thread parks;
 * the simulator's threads wait in virtual time.
 */
public interface BodyThread {

  /**
   * Hands a task to the engine's thread, which runs such tasks one by one, in order. Called on this
   * thread.
   *
   * @throws java.util.concurrent.RejectedExecutionException when the client is closed
   */
  void tellEngine(Runnable task);

  /**
   * Waits until a condition holds. Called on this thread.
   *
   * @param condition becomes true only before a call of {@link #wake}
   */
  void await(BooleanSupplier condition);

  /** Has {@link #await} look at its condition again. Called on the engine's thread. */
  void wake();
}
