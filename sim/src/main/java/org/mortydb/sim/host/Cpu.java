package org.mortydb.sim.host;

import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.SimEvent;

/**
 * A host's cores. Each actor does its work in order, one piece at a time, like a thread. Actors
 * share the cores, first come, first served. Work takes effect at the end of its service time; work
 * without service time takes effect at once.
 */
public final class Cpu {
  private static final long NANOS_PER_MICRO = 1_000;

  private final Kernel kernel;
  private final ArrayDeque<Core> idle = new ArrayDeque<>();
  private final ArrayDeque<Actor> ready = new ArrayDeque<>();

  /**
   * @param cores at least 1
   */
  public Cpu(Kernel kernel, int cores) {
    if (cores < 1) {
      throw new IllegalArgumentException("a host has at least 1 core, not " + cores);
    }
    this.kernel = kernel;
    for (int i = 0; i < cores; i++) {
      idle.add(new Core());
    }
  }

  /** A simulated thread, whose work runs in order, one piece at a time. */
  public final class Actor {
    private final ArrayDeque<Work> mailbox = new ArrayDeque<>();

    /** Whether it has a core or waits for one. */
    private boolean engaged;

    /** The end of its last work. Finer than virtual time, so that short services add up. */
    private long freeNanos;

    /**
     * Adds work.
     *
     * @param serviceNanos its service time, 0 or more; with 0 it runs now, unless other work waits
     */
    public void submit(long serviceNanos, Runnable task) {
      if (serviceNanos == 0 && !engaged) {
        task.run();
        return;
      }
      mailbox.add(new Work(kernel.nowMicros() * NANOS_PER_MICRO, serviceNanos, task));
      if (!engaged) {
        engaged = true;
        ready.add(this);
        dispatch();
      }
    }
  }

  private record Work(long arrivalNanos, long serviceNanos, Runnable task) {}

  /** A new actor on this host. */
  public Actor actor() {
    return new Actor();
  }

  private void dispatch() {
    while (!idle.isEmpty() && !ready.isEmpty()) {
      idle.remove().start(ready.remove());
    }
  }

  private final class Core extends SimEvent {
    private long freeNanos;
    private @Nullable Actor actor;

    void start(Actor next) {
      actor = next;
      Work work = next.mailbox.element();
      long start = Math.max(Math.max(freeNanos, next.freeNanos), work.arrivalNanos);
      freeNanos = start + work.serviceNanos;
      next.freeNanos = freeNanos;
      long endMicros = (freeNanos + NANOS_PER_MICRO - 1) / NANOS_PER_MICRO;
      kernel.schedule(Math.max(0, endMicros - kernel.nowMicros()), this);
    }

    @Override
    protected void run() {
      Actor served = Objects.requireNonNull(actor, "a core without work");
      Work work = served.mailbox.remove();
      idle.add(this);
      if (served.mailbox.isEmpty()) {
        served.engaged = false;
      } else {
        ready.add(served);
      }
      work.task.run();
      dispatch();
    }
  }
}
