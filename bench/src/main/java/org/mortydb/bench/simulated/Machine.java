package org.mortydb.bench.simulated;

import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.sim.kernel.SimEvent;

/**
 * A computer whose cores run the turns of event loops, first come, first served, without
 * preemption.
 */
final class Machine {
  private final VirtualClock clock;
  private final ArrayDeque<Core> idle = new ArrayDeque<>();
  private final ArrayDeque<Loop> ready = new ArrayDeque<>();
  private final int cores;

  /**
   * @param cores at least 1
   */
  Machine(VirtualClock clock, int cores) {
    if (cores < 1) {
      throw new IllegalArgumentException("a machine has at least 1 core, not " + cores);
    }
    this.clock = clock;
    this.cores = cores;
    for (int i = 0; i < cores; i++) {
      idle.add(new Core());
    }
  }

  int cores() {
    return cores;
  }

  /** A loop has tasks. Never called within a turn. */
  void ready(Loop loop) {
    ready.add(loop);
    dispatch();
  }

  private void dispatch() {
    while (!idle.isEmpty() && !ready.isEmpty()) {
      idle.remove().start(ready.remove());
    }
  }

  private final class Core extends SimEvent {
    private long freeNanos;
    private @Nullable Loop loop;

    void start(Loop next) {
      loop = next;
      freeNanos = next.turn(Math.max(freeNanos, next.readyNanos()));
      clock.scheduleAt(freeNanos, this);
    }

    @Override
    protected void run() {
      Loop done = Objects.requireNonNull(loop, "a core without a loop");
      idle.add(this);
      done.turnEnds();
      dispatch();
    }
  }
}
