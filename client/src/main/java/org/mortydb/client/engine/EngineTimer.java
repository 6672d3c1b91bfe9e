package org.mortydb.client.engine;

import org.jspecify.annotations.Nullable;

/**
 * A moment at which a {@link ClientEngine} continues something. The engine makes timers and uses
 * each of them many times; the host keeps the time.
 */
public abstract class EngineTimer {
  private @Nullable Object hostState;
  private boolean scheduled;

  EngineTimer() {}

  /** The object that the host has attached; null at first. */
  public final @Nullable Object hostState() {
    return hostState;
  }

  /** Attaches the host's own record of this timer, so that the host finds it in O(1). */
  public final void hostState(@Nullable Object state) {
    hostState = state;
  }

  /** Schedules the timer, once, instead of an earlier schedule. */
  final void schedule(EngineHost host, long delayMicros) {
    cancel(host);
    scheduled = true;
    host.schedule(delayMicros, this);
  }

  /** Cancels the timer if it is scheduled. */
  final void cancel(EngineHost host) {
    if (scheduled) {
      scheduled = false;
      host.cancel(this);
    }
  }

  /** The time is over. A timer that is not scheduled does nothing. */
  final void expire() {
    if (scheduled) {
      scheduled = false;
      fire();
    }
  }

  /** Does what the timer was scheduled for. */
  abstract void fire();
}
