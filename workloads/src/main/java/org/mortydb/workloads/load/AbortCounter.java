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
  private final LoadClock clock;
  private volatile @Nullable Counts latest;

  /** The attempts of one window, by the ordinal of the reason. */
  private record Counts(Window window, AtomicLongArray byReason) {}

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
    Counts counts = latest;
    if (attempt.completion() instanceof Completion.Aborted aborted
        && counts != null
        && counts.window.contains(clock.nanos())) {
      counts.byReason.incrementAndGet(aborted.reason().ordinal());
    }
  }

  /** Begins to count anew: a client serves several loads, each with a window of its own. */
  void count(Window window) {
    latest = new Counts(window, new AtomicLongArray(AbortReason.values().length));
  }

  /** Aborted attempts within the latest window. */
  long count(AbortReason reason) {
    Counts counts = latest;
    return counts == null ? 0 : counts.byReason.get(reason.ordinal());
  }
}
