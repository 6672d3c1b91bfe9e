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
  private final long latencyNanos;

  /** A machine whose cores begin at once. */
  Machine(VirtualClock clock, int cores) {
    this(clock, cores, 0);
  }

  /**
   * @param cores at least 1
   * @param latencyNanos how long a core that has been idle takes to begin the turn of a loop that
   *     has slept
   */
  Machine(VirtualClock clock, int cores, long latencyNanos) {
    if (cores < 1) {
      throw new IllegalArgumentException("a machine has at least 1 core, not " + cores);
    }
    this.clock = clock;
    this.latencyNanos = latencyNanos;
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
    private long freeNanos = -2 * VirtualClock.NANOS_PER_MICRO;
    private @Nullable Loop loop;
    private boolean beginning;

    void start(Loop next) {
      loop = next;
      long ready = next.readyNanos();
      if (latencyNanos > 0 && next.wakesUp() && wasIdle(ready)) {
        beginning = true;
        freeNanos = ready + latencyNanos;
        clock.scheduleAt(freeNanos, this);
      } else {
        turn(next, Math.max(freeNanos, ready));
      }
    }

    /** Loops become ready at whole microseconds, so a turn that ends within one has just ended. */
    private boolean wasIdle(long readyNanos) {
      return VirtualClock.microsUp(freeNanos) * VirtualClock.NANOS_PER_MICRO < readyNanos;
    }

    private void turn(Loop next, long startNanos) {
      freeNanos = next.turn(startNanos);
      clock.scheduleAt(freeNanos, this);
    }

    @Override
    protected void run() {
      Loop own = Objects.requireNonNull(loop, "a core without a loop");
      if (beginning) {
        beginning = false;
        turn(own, freeNanos);
        return;
      }
      idle.add(this);
      own.turnEnds();
      dispatch();
    }
  }
}
