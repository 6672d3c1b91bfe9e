package org.mortydb.check.anomaly;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.check.history.Status;

/**
 * Checks single registers for linearizability: every operation takes effect at one point between
 * its begin and its end. Linearizability is local, so each register has a search of its own. The
 * search is the algorithm of Wing and Gong, with Lowe's cache of failed configurations ("Testing
 * for linearizability", 2017).
 */
public final class LinearizabilityChecker {

  /** The effect of an operation on a register, which is empty at first. */
  public sealed interface Action {}

  /**
   * A read.
   *
   * @param value the value read; null if the register was empty
   */
  public record Read(@Nullable Long value) implements Action {
    @Override
    public String toString() {
      return "read of " + value;
    }
  }

  /** A write. */
  public record Write(long value) implements Action {
    @Override
    public String toString() {
      return "write of " + value;
    }
  }

  /** A write that takes effect only if the register holds the expected value. */
  public record CompareAndSet(long expected, long value) implements Action {
    @Override
    public String toString() {
      return "change from " + expected + " to " + value;
    }
  }

  /**
   * An operation on a register. A failed one had no effect. One with unknown status may have taken
   * effect at any time after its begin.
   *
   * @param name the name in explanations
   * @param register the register
   * @param begin its begin, as a position in the history or by a clock without equal times
   * @param end its end in the same unit; only valid if it committed
   */
  public record Call(
      String name, String register, long begin, long end, Status status, Action action) {}

  /** The most configurations of a search. Beyond that the register stays unchecked. */
  private static final int MOST_CONFIGURATIONS = 300_000;

  /** The operations that have taken effect, and the value after them. */
  private record Configuration(BitSet done, @Nullable Long value) {}

  private LinearizabilityChecker() {}

  /** Checks a history. If the search of a register takes too long, its reads count as skipped. */
  public static Verdict check(List<Call> calls) {
    Map<String, List<Call>> registers = new TreeMap<>();
    long committed = 0;
    for (Call call : calls) {
      committed += call.status == Status.COMMITTED ? 1 : 0;
      boolean tells = call.status == Status.COMMITTED || !(call.action instanceof Read);
      if (tells && call.status != Status.ABORTED) {
        registers.computeIfAbsent(call.register, _ -> new ArrayList<>()).add(call);
      }
    }
    Anomalies anomalies = new Anomalies();
    long checked = 0;
    long skipped = 0;
    for (Map.Entry<String, List<Call>> register : registers.entrySet()) {
      long reads = register.getValue().stream().filter(c -> c.action instanceof Read).count();
      Search search = new Search(register.getKey(), register.getValue());
      switch (search.run()) {
        case FOUND -> checked += reads;
        case NONE -> {
          checked += reads;
          anomalies.add(search::anomaly);
        }
        case TOO_LONG -> skipped += reads;
      }
    }
    return anomalies.verdict(new Coverage(calls.size(), committed, checked, skipped, 0));
  }

  /** The result of a search. */
  private enum Outcome {
    FOUND,
    NONE,
    TOO_LONG
  }

  /** The search for an order of one register's operations. */
  private static final class Search {
    private final String register;
    private final List<Call> calls;
    private final int count;

    // A linked list of the begins (0 to count-1) and ends (count to 2 count-1) of pending
    // operations, in the order of the history. Operations with unknown status have no end.
    private final int head;
    private final int[] next;
    private final int[] previous;

    /** For an operation of unknown status, the previous one with the same effect; or -1. */
    private final int[] sameBefore;

    private final BitSet done = new BitSet();
    private final Deque<Integer> order = new ArrayDeque<>();
    private final List<@Nullable Long> values = new ArrayList<>();
    private final Set<Configuration> tried = new HashSet<>();
    private @Nullable Long value;
    private long latestEnd = Long.MIN_VALUE;
    private int stuckAt;
    private final Set<String> held = new TreeSet<>();

    Search(String register, List<Call> unsorted) {
      this.register = register;
      this.calls = new ArrayList<>(unsorted);
      calls.sort(Comparator.comparingLong(Call::begin));
      count = calls.size();
      head = 2 * count;
      next = new int[2 * count + 1];
      previous = new int[2 * count + 1];
      sameBefore = new int[count];
      List<Integer> events = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        events.add(i);
        if (mustHappen(i)) {
          events.add(count + i);
        }
      }
      // A begin comes before an end at the same time, because the operations overlap.
      events.sort(
          Comparator.<Integer>comparingLong(this::time).thenComparing(event -> event >= count));
      int last = head;
      for (int event : events) {
        link(last, event);
        last = event;
      }
      link(last, head);
      noteSame();
    }

    private boolean mustHappen(int i) {
      return calls.get(i).status == Status.COMMITTED;
    }

    private long time(int event) {
      return event < count ? calls.get(event).begin : calls.get(event - count).end;
    }

    private void link(int before, int after) {
      next[before] = after;
      previous[after] = before;
    }

    private void noteSame() {
      Arrays.fill(sameBefore, -1);
      Map<String, Integer> last = new TreeMap<>();
      for (int i = 0; i < count; i++) {
        if (!mustHappen(i)) {
          Integer before = last.put(calls.get(i).action.toString(), i);
          sameBefore[i] = before == null ? -1 : before;
        }
      }
    }

    Outcome run() {
      int event = next[head];
      while (event != head) {
        if (event < count) {
          event = take(event) ? next[head] : next[event];
          if (tried.size() > MOST_CONFIGURATIONS) {
            return Outcome.TOO_LONG;
          }
        } else {
          // Its operation should have taken effect before.
          noteStuck(event);
          if (order.isEmpty()) {
            return Outcome.NONE;
          }
          event = next[undo()];
        }
      }
      return Outcome.FOUND;
    }

    /** Takes an operation next, if it is possible and not yet tried. */
    private boolean take(int i) {
      Long after;
      switch (calls.get(i).action) {
        case Read(Long seen) -> {
          if (!Objects.equals(seen, value)) {
            return false;
          }
          after = value;
        }
        case Write(long written) -> after = written;
        case CompareAndSet(long expected, long written) -> {
          if (value == null || value != expected) {
            return false;
          }
          after = written;
        }
      }
      if (!mustHappen(i)) {
        // An operation without effect may be left out. The first of several equal ones represents
        // all.
        int same = sameBefore[i];
        if (Objects.equals(after, value) || (same >= 0 && !done.get(same))) {
          return false;
        }
      }
      done.set(i);
      if (!tried.add(new Configuration((BitSet) done.clone(), after))) {
        done.clear(i);
        return false;
      }
      order.push(i);
      values.add(value);
      value = after;
      remove(i);
      if (mustHappen(i)) {
        remove(count + i);
      }
      return true;
    }

    /** Undoes the last operation and returns it. */
    private int undo() {
      int i = order.pop();
      value = values.removeLast();
      done.clear(i);
      if (mustHappen(i)) {
        insert(count + i);
      }
      insert(i);
      return i;
    }

    private void remove(int event) {
      next[previous[event]] = next[event];
      previous[next[event]] = previous[event];
    }

    private void insert(int event) {
      next[previous[event]] = event;
      previous[next[event]] = event;
    }

    private void noteStuck(int event) {
      if (time(event) > latestEnd) {
        latestEnd = time(event);
        stuckAt = event - count;
        held.clear();
      }
      if (time(event) == latestEnd) {
        held.add(value == null ? "nothing" : value.toString());
      }
    }

    Anomaly anomaly() {
      Call call = calls.get(stuckAt);
      return new Anomaly(
          Kind.NOT_LINEARIZABLE,
          List.of(call.name),
          "register %s: in no order can %s, a %s, take effect before its end; the register then holds %s at best"
              .formatted(register, call.name, call.action, String.join(" or ", held)));
    }
  }
}
