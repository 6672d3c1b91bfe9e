package org.mortydb.workloads.load;

import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.engine.CompletionListener;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;

/**
 * Counts the attempts of one client that are aborted within a window, by reason; retries hide them
 * from whoever looks at results alone. Safe for use by several threads.
 */
public final class AbortCounter implements CompletionListener {
  private final AtomicLongArray counts = new AtomicLongArray(AbortReason.values().length);
  private final LoadClock clock;
  private volatile @Nullable Window window;

  /** A counter by the machine's clock. */
  public AbortCounter() {
    this(LoadClock.WALL);
  }

  /**
   * @param clock that of the load
   */
  public AbortCounter(LoadClock clock) {
    this.clock = clock;
  }

  @Override
  public void completed(CompletedAttempt attempt) {
    Window current = window;
    if (attempt.completion() instanceof Completion.Aborted aborted
        && current != null
        && current.contains(clock.nanos())) {
      counts.incrementAndGet(aborted.reason().ordinal());
    }
  }

  void count(Window newWindow) {
    window = newWindow;
  }

  /** Aborted attempts within the window. */
  long count(AbortReason reason) {
    return counts.get(reason.ordinal());
  }
}
