package org.mortydb.client.net;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Passes tasks of other threads to an event loop until it is closed. Each task either runs or is
 * rejected. The loop alone does not promise that: Netty drops a task that arrives between the last
 * pass of a loop and its end, and rejects it only if it still finds it in the queue. So the loop is
 * shut down only after {@link #close}, when no task is on its way.
 */
final class LoopGate implements Executor {
  private static final int CLOSED = Integer.MIN_VALUE;

  private final Executor loop;

  /** How many tasks are on their way to the loop, and whether the gate is closed. */
  private final AtomicInteger state = new AtomicInteger();

  LoopGate(Executor loop) {
    this.loop = loop;
  }

  /**
   * Passes a task to the loop.
   *
   * @throws RejectedExecutionException when the gate is closed
   */
  @Override
  public void execute(Runnable task) {
    try {
      if (state.incrementAndGet() < 0) {
        throw new RejectedExecutionException("the client is closed");
      }
      loop.execute(task);
    } finally {
      state.decrementAndGet();
    }
  }

  /** Rejects tasks from now on. Returns once the loop has all tasks before. */
  void close() {
    state.getAndUpdate(value -> value | CLOSED);
    while (state.get() != CLOSED) {
      Thread.yield(); // no task waits on its way
    }
  }
}
