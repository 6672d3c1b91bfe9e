package org.mortydb.check.anomaly;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.protocol.model.TxnId;

/**
 * The check of a number that is spread over counters and only grows: each transaction reads all
 * counters, 0 where nothing was written, and may write one more than the highest into one of them.
 * In every serial order each number from 1 on is given once, and what one transaction has seen is
 * nowhere less than what those before it saw. Where the place of each in the serial order is known,
 * it sees exactly what those before it have written.
 */
public final class CountersChecker {

  /**
   * What a transaction wrote.
   *
   * @param counter its place among the counters, from 0 on
   * @param number what was written into it
   */
  public record Raise(int counter, long number) {}

  /**
   * A transaction that committed.
   *
   * @param name for people
   * @param session who ran one after the other
   * @param beginMicros when it began
   * @param endMicros when its end was known
   * @param saw what every counter held, before it wrote
   * @param raise what it wrote; null if it only looked
   * @param place its place in the serial order; null if that is not known
   */
  public record Step(
      String name,
      int session,
      long beginMicros,
      long endMicros,
      List<Long> saw,
      @Nullable Raise raise,
      @Nullable TxnId place) {
    public Step {
      saw = List.copyOf(saw);
    }

    private long highestSeen() {
      return saw.isEmpty() ? 0 : Collections.max(saw);
    }

    /** The highest number that is known to be written when this has ended. */
    private long highest() {
      return raise == null ? highestSeen() : Math.max(highestSeen(), raise.number);
    }
  }

  private record Placed(Step step, TxnId place) {}

  /** Of many missing numbers so many are named. */
  private static final int NAMED = 10;

  private final List<Step> steps;
  private final Anomalies anomalies = new Anomalies();
  private final Map<Long, Step> writers = new TreeMap<>();

  private CountersChecker(List<Step> steps) {
    this.steps = steps;
  }

  /**
   * Checks a history.
   *
   * @param steps the transactions that committed
   * @param unknown how many that were to write may have committed or not, 0 or more
   * @param order what the serial order must respect as well
   * @throws IllegalArgumentException when transactions saw different numbers of counters, or wrote
   *     into one that is not there: such a history cannot be checked
   */
  public static Verdict check(List<Step> steps, long unknown, Order order) {
    return new CountersChecker(steps).run(unknown, order);
  }

  private Verdict run(long unknown, Order order) {
    requireCounters();
    noteWriters();
    checkNothingMissing(unknown);
    steps.forEach(this::checkSeen);
    checkComparable();
    checkPlaces();
    switch (order) {
      case NONE -> {}
      case SESSION -> {
        Map<Integer, List<Step>> sessions = new TreeMap<>();
        steps.forEach(s -> sessions.computeIfAbsent(s.session, _ -> new ArrayList<>()).add(s));
        sessions.values().forEach(this::checkNoneIsBehind);
      }
      case REAL_TIME -> checkNoneIsBehind(steps);
    }
    return anomalies.verdict(
        new Coverage(steps.size() + unknown, steps.size(), steps.size(), 0, 0));
  }

  private void requireCounters() {
    for (Step step : steps) {
      int count = steps.getFirst().saw.size();
      if (step.saw.size() != count) {
        throw new IllegalArgumentException(
            "%s saw %d counters, %s saw %d: all must look at the same"
                .formatted(steps.getFirst().name, count, step.name, step.saw.size()));
      }
      if (step.raise != null && (step.raise.counter < 0 || step.raise.counter >= count)) {
        throw new IllegalArgumentException(
            "%s wrote counter %d: there are %d, from 0 on"
                .formatted(step.name, step.raise.counter, count));
      }
    }
  }

  /** No number is given twice, and each is one more than its writer saw. */
  private void noteWriters() {
    for (Step step : steps) {
      Raise raise = step.raise;
      if (raise == null) {
        continue;
      }
      if (raise.number != step.highestSeen() + 1) {
        report(Kind.INTERNAL, step, "wrote %d, but saw %s".formatted(raise.number, step.saw));
      }
      Step other = writers.putIfAbsent(raise.number, step);
      if (other != null && other.raise != null) {
        boolean same = other.raise.counter == raise.counter;
        anomalies.add(
            () ->
                new Anomaly(
                    same ? Kind.LOST_UPDATE : Kind.G2_ITEM,
                    List.of(other.name, step.name),
                    "%s and %s both wrote %d, neither having seen the other"
                        .formatted(other.name, step.name, raise.number)));
      }
    }
  }

  /** Numbers that no transaction of those known has written were written by unknown ones. */
  private void checkNothingMissing(long unknown) {
    long top = steps.stream().mapToLong(Step::highest).max().orElse(0);
    List<Long> first = new ArrayList<>();
    long missing = top;
    long expected = 1;
    for (long number : writers.keySet()) {
      missing -= number >= 1 ? 1 : 0;
      for (; expected < number && first.size() < NAMED; expected++) {
        first.add(expected);
      }
      expected = number + 1;
    }
    for (; expected <= top && first.size() < NAMED; expected++) {
      first.add(expected);
    }
    if (missing > unknown) {
      long count = missing;
      anomalies.add(
          () ->
              new Anomaly(
                  Kind.FAILED_WRITE,
                  List.of(),
                  "nobody who is known to have committed wrote %s: %d numbers up to %d are missing,"
                          .formatted(first, count, top)
                      + " and of only %d writers it is not known whether they committed"
                          .formatted(unknown)));
    }
  }

  /** What is seen in a counter was written there. */
  private void checkSeen(Step step) {
    for (int counter = 0; counter < step.saw.size(); counter++) {
      long number = step.saw.get(counter);
      Step writer = writers.get(number);
      if (writer != null && writer.raise != null && writer.raise.counter != counter) {
        report(
            Kind.WRONG_VALUE,
            step,
            "saw %d in counter %d, but %s wrote it into counter %d"
                .formatted(number, counter, writer.name, writer.raise.counter));
      }
    }
  }

  /** In a serial order no counter ever falls, so that neither does their sum. */
  private void checkComparable() {
    List<Step> sorted = new ArrayList<>(steps);
    sorted.sort(Comparator.comparingLong(s -> s.saw.stream().mapToLong(Long::longValue).sum()));
    for (int i = 1; i < sorted.size(); i++) {
      Step less = sorted.get(i - 1);
      Step more = sorted.get(i);
      int counter = firstFall(less.saw, more.saw);
      if (counter >= 0) {
        anomalies.add(
            () ->
                new Anomaly(
                    Kind.INCOMPARABLE_READS,
                    List.of(less.name, more.name),
                    "%s saw %s, %s saw %s: neither can come first, for counter %d"
                        .formatted(less.name, less.saw, more.name, more.saw, counter)));
      }
    }
  }

  /** The first counter that is lower in the second; -1 if none is. */
  private static int firstFall(List<Long> before, List<Long> after) {
    for (int counter = 0; counter < before.size(); counter++) {
      if (after.get(counter) < before.get(counter)) {
        return counter;
      }
    }
    return -1;
  }

  /** In the order of places nobody misses what those before wrote, or sees what those after did. */
  private void checkPlaces() {
    List<Placed> sorted = new ArrayList<>();
    for (Step step : steps) {
      if (step.place != null) {
        sorted.add(new Placed(step, step.place));
      }
    }
    sorted.sort(Comparator.comparing(Placed::place));
    Map<Integer, Long> now = new TreeMap<>();
    for (Placed placed : sorted) {
      Step step = placed.step;
      for (int counter = 0; counter < step.saw.size(); counter++) {
        long number = step.saw.get(counter);
        long was = now.getOrDefault(counter, 0L);
        Step writer = writers.get(number);
        if (number < was) {
          report(
              Kind.MISSED_WRITE,
              step,
              "saw %d in counter %d, which held %d for those of earlier timestamps"
                  .formatted(number, counter, was));
        } else if (writer != null && writer.place != null && placed.place.isBefore(writer.place)) {
          report(
              Kind.FUTURE_READ,
              step,
              "saw %d in counter %d, which %s wrote at a later timestamp"
                  .formatted(number, counter, writer.name));
        }
        now.put(counter, Math.max(was, number));
      }
      if (step.raise != null) {
        now.merge(step.raise.counter, step.raise.number, Math::max);
      }
    }
  }

  /** Whoever begins sees what was known when he did. */
  private void checkNoneIsBehind(List<Step> of) {
    List<Step> begins = new ArrayList<>(of);
    begins.sort(Comparator.comparingLong(Step::beginMicros));
    PriorityQueue<Step> ends =
        new PriorityQueue<>(Math.max(1, of.size()), Comparator.comparingLong(Step::endMicros));
    ends.addAll(of);
    long known = 0;
    String from = "";
    for (Step step : begins) {
      for (Step end = ends.peek();
          end != null && end.endMicros < step.beginMicros;
          end = ends.peek()) {
        if (end.highest() > known) {
          known = end.highest();
          from = end.name;
        }
        ends.remove();
      }
      if (step.highestSeen() < known) {
        report(
            Kind.ORDER,
            step,
            "saw %d at most, and began after %s had ended, by which time %d was written"
                .formatted(step.highestSeen(), from, known));
      }
    }
  }

  private void report(Kind kind, Step step, String what) {
    anomalies.add(() -> new Anomaly(kind, List.of(step.name), step.name + " " + what));
  }
}
