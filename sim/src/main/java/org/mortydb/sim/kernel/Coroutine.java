package org.mortydb.sim.kernel;

import java.io.Serial;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Code that can wait in its middle. It has a virtual thread of its own, which runs only while
 * {@link #resume} waits for it. So one thread runs at a time, and the caller alone decides when. A
 * change of threads takes about a microsecond if the caller's thread is virtual too.
 */
public final class Coroutine {
  private final Thread thread;
  private @Nullable Thread caller;
  private @Nullable Throwable failure;
  private boolean started;
  private boolean ended;
  private boolean cancelled;

  /** Whether it is the turn of this code, and not of the caller. */
  private volatile boolean running;

  /** Leaves code that is cancelled. */
  private static final class Cancelled extends Error {
    @Serial private static final long serialVersionUID = 1;

    Cancelled() {
      super("the code is cancelled: let this error pass", null, false, false);
    }
  }

  /**
   * @param code runs from the first {@link #resume} on
   */
  public Coroutine(Runnable code) {
    thread = Thread.ofVirtual().unstarted(() -> run(code));
  }

  private void run(Runnable code) {
    try {
      code.run();
    } catch (Cancelled e) {
      // As wanted.
    } catch (Throwable e) {
      failure = e;
    }
    ended = true;
    giveBack();
  }

  /**
   * Runs the code until it suspends itself or ends. Fails as the code does.
   *
   * @throws IllegalStateException if the code has ended, or runs
   */
  public void resume() {
    if (ended || running) {
      throw new IllegalStateException("the code " + (ended ? "has ended" : "runs already"));
    }
    caller = Thread.currentThread();
    running = true;
    if (started) {
      LockSupport.unpark(thread);
    } else {
      started = true;
      thread.start();
    }
    while (running) {
      LockSupport.park(this);
    }
    switch (failure) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(failure);
    }
  }

  /** Waits for the next {@link #resume}. Called by the code. */
  public void suspend() {
    if (!cancelled) {
      giveBack();
      while (!running) {
        LockSupport.park(this);
      }
    }
    if (cancelled) {
      throw new Cancelled();
    }
  }

  /** Ends the code where it waits: from now on {@link #suspend} throws an error. */
  public void cancel() {
    cancelled = true;
    if (started && !ended) {
      resume();
    }
  }

  private void giveBack() {
    running = false;
    LockSupport.unpark(caller);
  }
}
