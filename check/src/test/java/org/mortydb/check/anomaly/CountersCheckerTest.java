package org.mortydb.check.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.mortydb.check.anomaly.CountersChecker.Raise;
import org.mortydb.check.anomaly.CountersChecker.Step;
import org.mortydb.protocol.model.TxnId;

/** Compares the checker with the definition: some order, or that of the places, explains all. */
final class CountersCheckerTest {
  private static final int HISTORIES = 4_000;
  private static final int COUNTERS = 3;

  private int serializable;
  private int violated;

  @Test
  void itAgreesWithTheDefinitionWithoutPlaces() {
    for (int seed = 0; seed < HISTORIES; seed++) {
      List<Step> steps = random(new SplittableRandom(seed), false);
      agree(seed, steps, existsOrder(steps, new ArrayList<>(zeros())));
    }
    assertThat(serializable).isGreaterThan(HISTORIES / 10);
    assertThat(violated).isGreaterThan(HISTORIES / 10);
  }

  @Test
  void itAgreesWithTheDefinitionWithPlaces() {
    for (int seed = 0; seed < HISTORIES; seed++) {
      List<Step> steps = random(new SplittableRandom(seed), true);
      List<Long> state = new ArrayList<>(zeros());
      boolean explained = true;
      for (int place = 1; place <= steps.size(); place++) {
        TxnId id = new TxnId(place, 0, 0);
        for (Step step : steps) {
          if (id.equals(step.place())) {
            explained &= takes(step, state);
          }
        }
      }
      agree(seed, steps, explained);
    }
    assertThat(serializable).isGreaterThan(HISTORIES / 10);
    assertThat(violated).isGreaterThan(HISTORIES / 10);
  }

  /** With a few sessions and overlapping times, so that some begin while long ones are open. */
  @ParameterizedTest
  @EnumSource(names = {"SESSION", "REAL_TIME"})
  void itAgreesWithTheDefinitionOfAnOrder(Order order) {
    for (int seed = 0; seed < HISTORIES; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<Step> steps = new ArrayList<>();
      for (Step step : random(random, false)) {
        long begin = random.nextInt(12);
        steps.add(withTime(step, random.nextInt(2), begin, begin + random.nextInt(12)));
      }
      Collections.shuffle(steps, new Random(seed));
      agree(seed, steps, order, existsOrder(steps, new ArrayList<>(zeros()), order));
    }
    assertThat(serializable).isGreaterThan(HISTORIES / 10);
    assertThat(violated).isGreaterThan(HISTORIES / 10);
  }

  private void agree(int seed, List<Step> steps, boolean expected) {
    agree(seed, steps, Order.NONE, expected);
  }

  private void agree(int seed, List<Step> steps, Order order, boolean expected) {
    Verdict verdict = CountersChecker.check(steps, 0, order);
    assertThat(verdict.isSerializable())
        .as("seed %d: %s%n%s", seed, steps, verdict)
        .isEqualTo(expected);
    if (expected) {
      serializable++;
    } else {
      violated++;
    }
  }

  private static List<Long> zeros() {
    return Collections.nCopies(COUNTERS, 0L);
  }

  /** A serial history, of which one number, or two places, may then be changed. */
  private static List<Step> random(SplittableRandom random, boolean places) {
    List<Long> state = new ArrayList<>(zeros());
    List<Step> steps = new ArrayList<>();
    int count = 1 + random.nextInt(5);
    for (int i = 0; i < count; i++) {
      Raise raise =
          random.nextInt(3) == 0
              ? null
              : new Raise(random.nextInt(COUNTERS), Collections.max(state) + 1);
      steps.add(step(i, state, raise, places ? i + 1 : 0));
      if (raise != null) {
        state.set(raise.counter(), raise.number());
      }
    }
    for (int change = random.nextInt(3); change > 0; change--) {
      int one = random.nextInt(count);
      int other = random.nextInt(count);
      Step changed = steps.get(one);
      Step from = steps.get(other);
      List<Long> saw = new ArrayList<>(changed.saw());
      if (random.nextBoolean()) {
        int counter = random.nextInt(COUNTERS);
        saw.set(counter, random.nextLong(count));
        steps.set(one, withSaw(changed, saw));
      } else if (places) {
        steps.set(one, withPlace(changed, from.place()));
        steps.set(other, withPlace(from, changed.place()));
      } else {
        steps.set(one, withSaw(changed, from.saw()));
      }
    }
    return steps;
  }

  private static Step step(int i, List<Long> saw, @Nullable Raise raise, int place) {
    return new Step("T" + i, i, i, i, saw, raise, place == 0 ? null : new TxnId(place, 0, 0));
  }

  private static Step withSaw(Step step, List<Long> saw) {
    return new Step(
        step.name(),
        step.session(),
        step.beginMicros(),
        step.endMicros(),
        saw,
        step.raise(),
        step.place());
  }

  private static Step withTime(Step step, int session, long begin, long end) {
    return new Step(step.name(), session, begin, end, step.saw(), step.raise(), step.place());
  }

  private static Step withPlace(Step step, @Nullable TxnId place) {
    return new Step(
        step.name(),
        step.session(),
        step.beginMicros(),
        step.endMicros(),
        step.saw(),
        step.raise(),
        place);
  }

  /** Whether a transaction can be the next one; it changes the state if so. */
  private static boolean takes(Step step, List<Long> state) {
    if (!step.saw().equals(state)) {
      return false;
    }
    Raise raise = step.raise();
    if (raise != null) {
      if (raise.number() != Collections.max(state) + 1) {
        return false;
      }
      state.set(raise.counter(), raise.number());
    }
    return true;
  }

  private static boolean existsOrder(List<Step> left, List<Long> state) {
    return existsOrder(left, state, Order.NONE);
  }

  private static boolean existsOrder(List<Step> left, List<Long> state, Order order) {
    if (left.isEmpty()) {
      return true;
    }
    for (Step step : left) {
      List<Long> after = new ArrayList<>(state);
      if (left.stream().noneMatch(other -> isBefore(other, step, order)) && takes(step, after)) {
        List<Step> others = new ArrayList<>(left);
        others.remove(step);
        if (existsOrder(others, after, order)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isBefore(Step one, Step other, Order order) {
    boolean ended = one.endMicros() < other.beginMicros();
    return switch (order) {
      case NONE -> false;
      case SESSION -> ended && one.session() == other.session();
      case REAL_TIME -> ended;
    };
  }
}
