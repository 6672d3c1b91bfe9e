package org.mortydb.client.engine;

import org.jspecify.annotations.Nullable;

/** Something that an engine wants to be woken for. Made by the engine, one object for many uses. */
public abstract class EngineTimer {
  private @Nullable Object hostState;
  boolean scheduled;

  EngineTimer() {}

  /** What the host has attached; null at first. */
  public final @Nullable Object hostState() {
    return hostState;
  }

  /** Attaches whatever the host needs to find its own record of this timer again, in O(1). */
  public final void hostState(@Nullable Object state) {
    hostState = state;
  }

  abstract void fire();
}
