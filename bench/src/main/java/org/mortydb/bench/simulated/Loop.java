package org.mortydb.bench.simulated;

import java.util.ArrayDeque;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * An event loop: one thread that handles what has arrived, and sends its output at the end of each
 * turn, in as few frames as possible. Tasks that arrive during a turn wait for the next.
 *
 * <p>A turn is computed at its begin, with a clock that runs ahead by its costs so far. Its effects
 * on others happen at its end.
 */
final class Loop {

  /** A task of an event loop. */
  interface Task {
    /** Runs the task, and charges its costs to the loop. */
    void run();
  }

  /** The output of a loop's turn, which others receive after the turn. */
  interface Outlet {
    /** Ends the turn's output, and charges the costs of sending to the loop. */
    void close();

    /** Sends the output at the end of the turn. */
    void leave(long nanos);
  }

  /** The processor time of event loops. */
  static final class Usage {
    /** All processor time, in nanoseconds. */
    long busyNanos;

    /** The part for steps, encoding and decoding. */
    long workNanos;

    /** The part of garbage collectors. */
    long collectorNanos;

    Usage copy() {
      Usage copy = new Usage();
      copy.add(this, 1);
      return copy;
    }

    Usage since(Usage earlier) {
      Usage difference = copy();
      difference.add(earlier, -1);
      return difference;
    }

    void add(Usage other, long sign) {
      busyNanos += sign * other.busyNanos;
      workNanos += sign * other.workNanos;
      collectorNanos += sign * other.collectorNanos;
    }
  }

  private final Machine machine;
  private final VirtualClock clock;
  private final Usage usage;
  private Costs costs;
  private @Nullable Collector collector;
  private final ArrayDeque<Task> inbox = new ArrayDeque<>();
  private final ArrayDeque<Task> afterInbox = new ArrayDeque<>();
  private final ArrayList<Outlet> open = new ArrayList<>();
  private boolean engaged;
  private boolean asleep = true;
  private long readyNanos;
  private long endNanos;

  /** The begin of the turn. */
  private long beganNanos;

  /** The current time of the turn. */
  private long nowNanos;

  private boolean atWork;

  Loop(Machine machine, VirtualClock clock, Usage usage, Costs costs) {
    this.machine = machine;
    this.clock = clock;
    this.usage = usage;
    this.costs = costs;
  }

  Costs costs() {
    return costs;
  }

  void costs(Costs other) {
    costs = other;
  }

  /** Sets the collector that cleans up behind this loop. */
  void cleanedBy(Collector other) {
    collector = other;
  }

  Usage usage() {
    return usage;
  }

  /** Whether this loop is in a turn. */
  boolean isAtWork() {
    return atWork;
  }

  /** Whether this loop waits for something to arrive. */
  boolean isAsleep() {
    return !engaged;
  }

  /** Whether its next turn follows a sleep. */
  boolean wakesUp() {
    return asleep;
  }

  /** The begin of the current turn. */
  long turnNanos() {
    return beganNanos;
  }

  /** The time at which it became ready. */
  long readyNanos() {
    return readyNanos;
  }

  /** Adds a task, from any loop or from outside. */
  void post(Task task) {
    if (clock.inTurn()) {
      clock.after(0, () -> enqueue(task));
    } else {
      enqueue(task);
    }
  }

  /** Adds a task to the current turn, after all tasks that have arrived. */
  void afterInbox(Task task) {
    afterInbox.add(task);
  }

  private void enqueue(Task task) {
    inbox.add(task);
    if (!engaged) {
      engaged = true;
      readyNanos = clock.nanos();
      machine.ready(this);
    }
  }

  // ---- turns --------------------------------------------------------------------------------

  /** Takes a turn, and returns the time of its end. */
  long turn(long startNanos) {
    atWork = true;
    beganNanos = startNanos;
    nowNanos = startNanos;
    clock.turnTo(startNanos);
    if (asleep) {
      asleep = false;
      charge(costs.wake);
    } else {
      charge(costs.turn);
    }
    for (int left = inbox.size(); left > 0; left--) {
      inbox.remove().run();
    }
    while (!afterInbox.isEmpty()) {
      afterInbox.remove().run();
    }
    for (int i = 0; i < open.size(); i++) {
      open.get(i).close();
    }
    endNanos = nowNanos;
    usage.busyNanos += endNanos - startNanos;
    atWork = false;
    clock.endTurn();
    return endNanos;
  }

  /** Ends the turn, and sends its output. */
  void turnEnds() {
    for (int i = 0; i < open.size(); i++) {
      open.get(i).leave(endNanos);
    }
    open.clear();
    if (inbox.isEmpty()) {
      engaged = false;
      asleep = true;
    } else {
      readyNanos = endNanos;
      machine.ready(this);
    }
  }

  /** Lets time pass within the turn. */
  void charge(long nanos) {
    nowNanos += nanos;
    clock.turnTo(nowNanos);
  }

  /** Lets the time of a step, of encoding or of decoding pass. */
  void chargeWork(long nanos) {
    usage.workNanos += nanos;
    charge(nanos);
    if (collector != null) {
      collector.worked(nanos);
    }
  }

  /** Adds an outlet to close at the end of the turn. */
  void opened(Outlet outlet) {
    open.add(outlet);
  }
}
