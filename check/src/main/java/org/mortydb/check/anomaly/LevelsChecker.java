package org.mortydb.check.anomaly;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.check.anomaly.CountersChecker.Raise;
import org.mortydb.check.anomaly.CountersChecker.Step;
import org.mortydb.protocol.model.TxnId;

/**
 * Checks counters that only grow ({@link CountersChecker}), read at several levels and within
 * sessions (docs/protocol.md, section 16). Reads at a place are judged like any transaction at that
 * place. A bounded one must not be older than asked. One key by key must have seen only what has
 * committed. A session sees what it has written, and never goes back.
 */
public final class LevelsChecker {

  /**
   * A committed transaction.
   *
   * @param step what it has seen and written
   * @param byKey whether it has read each counter by itself, so that it has no place
   * @param boundMicros how old the state may be that it has read; negative without a bound
   * @param beganMicros when its client began it, by the clock of places; 0 if unknown
   * @param session the session that it belongs to; null if it belongs to none
   * @param readsOwnWrites whether the session guarantees to read its own writes
   * @param readsMonotonically whether the session guarantees monotonic reads
   * @param begin the position of its begin in the history
   * @param end the position of its end
   */
  public record LevelStep(
      Step step,
      boolean byKey,
      long boundMicros,
      long beganMicros,
      @Nullable String session,
      boolean readsOwnWrites,
      boolean readsMonotonically,
      long begin,
      long end) {}

  private final List<LevelStep> steps;
  private final Anomalies anomalies = new Anomalies();

  private LevelsChecker(List<LevelStep> steps) {
    this.steps = steps;
  }

  /**
   * Checks a history.
   *
   * @param steps the committed transactions
   * @param unknown the number of writers with unknown outcome, 0 or more
   * @throws IllegalArgumentException if transactions saw different numbers of counters, or wrote an
   *     unknown counter, so that the history cannot be checked
   */
  public static Verdict check(List<LevelStep> steps, long unknown) {
    Verdict atPlaces =
        CountersChecker.check(
            steps.stream().filter(step -> !step.byKey).map(LevelStep::step).toList(),
            unknown,
            Order.NONE);
    if (atPlaces instanceof Verdict.Violated) {
      return atPlaces;
    }
    return new LevelsChecker(steps).run(unknown);
  }

  private Verdict run(long unknown) {
    checkByKey(unknown);
    steps.forEach(this::checkAge);
    Map<String, List<LevelStep>> sessions = new TreeMap<>();
    for (LevelStep step : steps) {
      if (step.session != null) {
        sessions.computeIfAbsent(step.session, _ -> new ArrayList<>()).add(step);
      }
    }
    sessions.values().forEach(this::checkSession);
    return anomalies.verdict(
        new Coverage(steps.size() + unknown, steps.size(), steps.size(), 0, 0));
  }

  /** A number that was seen by itself must have been written there, by who has committed. */
  private void checkByKey(long unknown) {
    Map<Long, Step> writers = new HashMap<>();
    for (LevelStep step : steps) {
      Raise raise = step.step.raise();
      if (raise != null) {
        writers.put(raise.number(), step.step);
      }
    }
    for (LevelStep step : steps) {
      List<Long> saw = step.step.saw();
      for (int counter = 0; step.byKey && counter < saw.size(); counter++) {
        long number = saw.get(counter);
        Step writer = writers.get(number);
        Raise raise = writer == null ? null : writer.raise();
        int at = counter;
        if (writer != null && raise != null && raise.counter() != counter) {
          anomalies.add(
              Kind.ABORTED_READ,
              List.of(step.step.name()),
              () ->
                  "%s saw %d in counter %d, but %s wrote it into counter %d"
                      .formatted(step.step.name(), number, at, writer.name(), raise.counter()));
        } else if (raise == null && number > 0 && unknown == 0) {
          anomalies.add(
              Kind.ABORTED_READ,
              List.of(step.step.name()),
              () ->
                  "%s saw %d in counter %d, which no committed transaction wrote"
                      .formatted(step.step.name(), number, at));
        }
      }
    }
  }

  private void checkAge(LevelStep step) {
    TxnId place = step.step.place();
    if (step.boundMicros >= 0
        && place != null
        && step.beganMicros > 0
        && place.timeMicros() < step.beganMicros - step.boundMicros) {
      anomalies.add(
          Kind.TOO_OLD,
          List.of(step.step.name()),
          () ->
              "%s was to read a state of the last %d us, and read one that was %d us old"
                  .formatted(
                      step.step.name(), step.boundMicros, step.beganMicros - place.timeMicros()));
    }
  }

  /** A transaction sees what those of its session that ended before its begin guarantee it. */
  private void checkSession(List<LevelStep> of) {
    List<LevelStep> begins = new ArrayList<>(of);
    begins.sort(Comparator.comparingLong(LevelStep::begin));
    PriorityQueue<LevelStep> ends =
        new PriorityQueue<>(of.size(), Comparator.comparingLong(LevelStep::end));
    ends.addAll(of);
    Map<Integer, Long> needed = new TreeMap<>();
    Map<Integer, String> because = new TreeMap<>();
    for (LevelStep step : begins) {
      for (LevelStep end = ends.peek(); end != null && end.end < step.begin; end = ends.peek()) {
        need(end, needed, because);
        ends.remove();
      }
      needed.forEach(
          (counter, number) -> {
            if (step.step.saw().get(counter) < number) {
              anomalies.add(
                  Kind.SESSION_GUARANTEE,
                  List.of(step.step.name()),
                  () ->
                      "%s of session %s saw %d in counter %d, after %s, which knew %d there"
                          .formatted(
                              step.step.name(),
                              step.session,
                              step.step.saw().get(counter),
                              counter,
                              because.get(counter),
                              number));
            }
          });
    }
  }

  /** What later transactions of a session must see at least because of one that has ended. */
  private static void need(
      LevelStep ended, Map<Integer, Long> needed, Map<Integer, String> because) {
    Raise raise = ended.step.raise();
    if (ended.readsOwnWrites && raise != null) {
      raise(raise.counter(), raise.number(), ended.step.name(), needed, because);
    }
    for (int i = 0; ended.readsMonotonically && i < ended.step.saw().size(); i++) {
      raise(i, ended.step.saw().get(i), ended.step.name(), needed, because);
    }
  }

  private static void raise(
      int counter,
      long number,
      String by,
      Map<Integer, Long> needed,
      Map<Integer, String> because) {
    if (number > needed.getOrDefault(counter, 0L)) {
      needed.put(counter, number);
      because.put(counter, by);
    }
  }
}
