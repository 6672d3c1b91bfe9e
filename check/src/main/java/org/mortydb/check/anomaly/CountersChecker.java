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
 * Checks counters that only grow. Each transaction reads all counters, with 0 for an unwritten one,
 * and may write the highest number plus 1 into one of them. In every serial order each number from
 * 1 on is written once, and no counter falls. If the serial positions are known, each transaction
 * must see exactly the earlier writes.
 */
public final class CountersChecker {

  /**
   * A write of a counter.
   *
   * @param counter the index of the counter, from 0
   * @param number the number written
   */
  public record Raise(int counter, long number) {}

  /**
   * A committed transaction.
   *
   * @param name the name in explanations
   * @param session its session, which runs one transaction at a time
   * @param beginMicros its begin
   * @param endMicros the time at which its client learnt the outcome
   * @param saw the numbers of all counters before its write
   * @param raise its write; null if it only read
   * @param place its serial position; null if unknown
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

    /** The highest number that is certainly written at its end. */
    private long highest() {
      return raise == null ? highestSeen() : Math.max(highestSeen(), raise.number);
    }
  }

  private record Placed(Step step, TxnId place) {}

  /** The most missing numbers that an explanation names. */
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
   * @param steps the committed transactions
   * @param unknown the number of writers with unknown outcome, 0 or more
   * @param order the additional order that the serial order must respect
   * @throws IllegalArgumentException if transactions saw different numbers of counters, or wrote an
   *     unknown counter, so that the history cannot be checked
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
            "%s saw %d counters, but %s saw %d; all transactions must read the same counters"
                .formatted(steps.getFirst().name, count, step.name, step.saw.size()));
      }
      if (step.raise != null && (step.raise.counter < 0 || step.raise.counter >= count)) {
        throw new IllegalArgumentException(
            "%s wrote counter %d, but there are only %d, from 0"
                .formatted(step.name, step.raise.counter, count));
      }
    }
  }

  /** No number is written twice, and each is one more than its writer saw. */
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
            same ? Kind.LOST_UPDATE : Kind.G2_ITEM,
            List.of(other.name, step.name),
            () ->
                "%s and %s both wrote %d, and neither saw the other"
                    .formatted(other.name, step.name, raise.number));
      }
    }
  }

  /** A number without a known writer must come from a transaction with unknown outcome. */
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
          Kind.FAILED_WRITE,
          List.of(),
          () ->
              "no committed transaction wrote %s: %d numbers up to %d lack a writer, but only %d writers have an unknown outcome"
                  .formatted(first, count, top, unknown));
    }
  }

  /** A number seen in a counter must have been written there. */
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

  /** In a serial order no counter falls, so neither does the sum of all. */
  private void checkComparable() {
    List<Step> sorted = new ArrayList<>(steps);
    sorted.sort(Comparator.comparingLong(s -> s.saw.stream().mapToLong(Long::longValue).sum()));
    for (int i = 1; i < sorted.size(); i++) {
      Step less = sorted.get(i - 1);
      Step more = sorted.get(i);
      int counter = firstFall(less.saw, more.saw);
      if (counter >= 0) {
        anomalies.add(
            Kind.INCOMPARABLE_READS,
            List.of(less.name, more.name),
            () ->
                "%s saw %s and %s saw %s: because of counter %d neither can come first"
                    .formatted(less.name, less.saw, more.name, more.saw, counter));
      }
    }
  }

  /** The first counter that falls from the first to the second; -1 if none does. */
  private static int firstFall(List<Long> before, List<Long> after) {
    for (int counter = 0; counter < before.size(); counter++) {
      if (after.get(counter) < before.get(counter)) {
        return counter;
      }
    }
    return -1;
  }

  /** By serial positions, a transaction sees all earlier writes and no later ones. */
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
              "saw %d in counter %d, but earlier timestamps leave %d there"
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

  /** A transaction sees all writes that were known to be committed at its begin. */
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
            "saw %d at most, but began after the end of %s, when %d was written"
                .formatted(step.highestSeen(), from, known));
      }
    }
  }

  private void report(Kind kind, Step step, String what) {
    anomalies.add(kind, List.of(step.name), () -> step.name + " " + what);
  }
}
