package org.mortydb.workloads.load;

import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.engine.CompletionListener;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;

/**
 * Counts one client's aborted attempts within a window, by reason. The results of transactions do
 * not show them, because of retries. Safe for use by several threads.
 */
public final class AbortCounter implements CompletionListener {
  private final AtomicLongArray counts = new AtomicLongArray(AbortReason.values().length);
  private final LoadClock clock;
  private volatile @Nullable Window window;

  /** A counter that uses the machine's clock. */
  public AbortCounter() {
    this(LoadClock.WALL);
  }

  /**
   * @param clock the load's clock
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
