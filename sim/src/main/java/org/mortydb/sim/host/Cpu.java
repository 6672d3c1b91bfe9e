package org.mortydb.sim.host;

import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.SimEvent;

/**
 * A host's cores. Work belongs to actors: an actor's work is done in order and one at a time, as by
 * a thread that owns it; different actors share the cores first come, first served. Work takes
 * effect when its service time is over. Where services are free nothing waits.
 */
public final class Cpu {
  private static final long NANOS_PER_MICRO = 1_000;

  private final Kernel kernel;
  private final int cores;
  private final ArrayDeque<Core> idle = new ArrayDeque<>();
  private final ArrayDeque<Actor> ready = new ArrayDeque<>();
  private long busyNanos;

  /**
   * @param cores at least 1
   */
  public Cpu(Kernel kernel, int cores) {
    if (cores < 1) {
      throw new IllegalArgumentException("a host has at least one core, not " + cores);
    }
    this.kernel = kernel;
    this.cores = cores;
    for (int i = 0; i < cores; i++) {
      idle.add(new Core());
    }
  }

  /** Somebody whose work is done in order and one at a time. */
  public final class Actor {
    private final ArrayDeque<Work> mailbox = new ArrayDeque<>();

    /** Whether it waits for a core or has one. */
    private boolean engaged;

    /** When its last work was done; finer than virtual time, so that short services add up. */
    private long freeNanos;

    /** Work that waits or is being done. */
    public int backlog() {
      return mailbox.size();
    }

    /**
     * Has work done.
     *
     * @param serviceNanos how long a core is busy with it, 0 or more; 0 does it now, if nothing of
     *     this actor waits
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
      busyNanos += work.serviceNanos;
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

  /** The number of cores. */
  public int cores() {
    return cores;
  }

  /** The share of the cores' time that was spent on work since the start, 0 to 1. */
  public double utilisation() {
    long nanos = kernel.nowMicros() * NANOS_PER_MICRO * cores;
    return nanos == 0 ? 0 : Math.min(1, (double) busyNanos / nanos);
  }
}
