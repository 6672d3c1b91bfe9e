package org.mortydb.bench.simulated;

import java.util.ArrayDeque;
import java.util.ArrayList;

/**
 * An event loop: one thread that handles what has arrived, and lets what it sends leave at the end
 * of each turn, as few frames as possible. What arrives during a turn waits for the next.
 *
 * <p>A turn is computed at its begin, with a clock that runs ahead by what it has cost so far; what
 * others get to see of it happens at its end.
 */
final class Loop {

  /** Something that an event loop does. */
  interface Task {
    /** Does it, and charges the loop what it costs. */
    void run();
  }

  /** Where a loop leaves something in a turn for others to find afterwards. */
  interface Outlet {
    /** The turn's work is done: charges the loop what leaving costs. */
    void close();

    /** The turn is over: off it goes. */
    void leave(long nanos);
  }

  /** What event loops of one process have done. */
  static final class Usage {
    /** Processor time, in nanoseconds. */
    long busyNanos;

    /** Turns after a sleep, and all turns. */
    long wakes;

    long turns;
    long framesIn;
    long framesOut;
    long handovers;

    /** Messages handled. */
    long messages;

    /** What of the processor time went into steps, encoding and decoding. */
    long workNanos;

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
      wakes += sign * other.wakes;
      turns += sign * other.turns;
      framesIn += sign * other.framesIn;
      framesOut += sign * other.framesOut;
      handovers += sign * other.handovers;
      messages += sign * other.messages;
      workNanos += sign * other.workNanos;
    }
  }

  private final Machine machine;
  private final VirtualClock clock;
  private final Usage usage;
  private Costs costs;
  private final ArrayDeque<Task> inbox = new ArrayDeque<>();
  private final ArrayDeque<Task> afterInbox = new ArrayDeque<>();
  private final ArrayList<Outlet> open = new ArrayList<>();
  private boolean engaged;
  private boolean asleep = true;
  private long readyNanos;
  private long endNanos;

  /** What the turn has reached. */
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

  Usage usage() {
    return usage;
  }

  /** Whether this is the loop that is at work right now. */
  boolean isAtWork() {
    return atWork;
  }

  /** When it became ready. */
  long readyNanos() {
    return readyNanos;
  }

  /** Gives it something to do; from anywhere. */
  void post(Task task) {
    if (clock.inTurn()) {
      clock.after(0, () -> enqueue(task));
    } else {
      enqueue(task);
    }
  }

  /** Has something done in this turn, after everything that has arrived; from within a turn. */
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

  /** Takes a turn; returns when it ends. */
  long turn(long startNanos) {
    atWork = true;
    nowNanos = startNanos;
    clock.turnTo(startNanos);
    usage.turns++;
    if (asleep) {
      asleep = false;
      usage.wakes++;
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

  /** The turn is over. */
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

  /** Time goes by within the turn. */
  void charge(long nanos) {
    nowNanos += nanos;
    clock.turnTo(nowNanos);
  }

  /** The same for a step, for encoding or decoding. */
  void chargeWork(long nanos) {
    usage.workNanos += nanos;
    charge(nanos);
  }

  /** Has an outlet closed at the end of the turn. */
  void opened(Outlet outlet) {
    open.add(outlet);
  }
}
