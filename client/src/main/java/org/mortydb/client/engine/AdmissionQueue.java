package org.mortydb.client.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Transactions that wait to be admitted, in the order of their calls, whatever their types. Retries
 * of an admitted transaction do not come here: it keeps its place among those in flight. A
 * transaction leaves the queue at its deadline at the latest.
 *
 * <p>One timer serves all deadlines. It is scheduled for the earliest deadline of all that have
 * come, and looks at the whole queue when it fires.
 */
final class AdmissionQueue extends EngineTimer {
  /** The timer fires no more often, so a deadline may pass that much earlier than its failure. */
  private static final long LEAST_MICROS = 1_000;

  private final EngineHost host;
  private final Consumer<RunningTransaction<?>> late;
  private final ArrayDeque<RunningTransaction<?>> waiting = new ArrayDeque<>();

  /** The time at which the timer fires; {@link Long#MAX_VALUE} if it is not scheduled. */
  private long wakeUpMicros = Long.MAX_VALUE;

  /**
   * @param late fails a transaction whose deadline has passed in the queue, on a timer
   */
  AdmissionQueue(EngineHost host, Consumer<RunningTransaction<?>> late) {
    this.host = host;
    this.late = late;
  }

  int size() {
    return waiting.size();
  }

  void add(RunningTransaction<?> transaction) {
    waiting.add(transaction);
    wakeUpAt(transaction.remainingMicros());
  }

  /** Takes the one that has waited longest, or null. */
  @Nullable RunningTransaction<?> poll() {
    return waiting.poll();
  }

  /** Takes all, in their order. */
  List<RunningTransaction<?>> removeAll() {
    cancel(host);
    wakeUpMicros = Long.MAX_VALUE;
    List<RunningTransaction<?>> all = List.copyOf(waiting);
    waiting.clear();
    return all;
  }

  private void wakeUpAt(long remainingMicros) {
    long delay = Math.max(LEAST_MICROS, remainingMicros);
    long at = host.elapsedMicros() + delay;
    if (at < wakeUpMicros) {
      wakeUpMicros = at;
      schedule(host, delay);
    }
  }

  @Override
  void fire() {
    wakeUpMicros = Long.MAX_VALUE;
    List<RunningTransaction<?>> over = new ArrayList<>();
    long earliest = Long.MAX_VALUE;
    for (RunningTransaction<?> transaction : waiting) {
      long remaining = transaction.remainingMicros();
      if (remaining <= 0) {
        over.add(transaction);
      } else {
        earliest = Math.min(earliest, remaining);
      }
    }
    if (!over.isEmpty()) {
      waiting.removeIf(transaction -> transaction.remainingMicros() <= 0);
    }
    if (earliest < Long.MAX_VALUE) {
      wakeUpAt(earliest);
    }
    over.forEach(late); // may begin other transactions, which are then added
  }
}
