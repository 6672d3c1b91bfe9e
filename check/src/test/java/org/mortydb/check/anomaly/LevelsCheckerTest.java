package org.mortydb.check.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mortydb.check.anomaly.CountersChecker.Raise;
import org.mortydb.check.anomaly.CountersChecker.Step;
import org.mortydb.check.anomaly.LevelsChecker.LevelStep;
import org.mortydb.protocol.model.TxnId;

/** Compares the checker with the definition of what levels and sessions guarantee. */
final class LevelsCheckerTest {
  private static final int HISTORIES = 4_000;

  private int right;
  private int violated;

  /** Of two transactions of a session, the later one sees what the earlier one knew. */
  @Test
  void itAgreesWithTheDefinitionOfSessions() {
    for (int seed = 0; seed < HISTORIES; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<LevelStep> steps = random(random);
      boolean expected = true;
      for (LevelStep one : steps) {
        for (LevelStep other : steps) {
          expected &= !isAfter(other, one) || sees(other, one);
        }
      }
      Verdict verdict = LevelsChecker.check(steps, 1);
      assertThat(verdict.isSerializable())
          .as("seed %d: %s%n%s", seed, steps, verdict)
          .isEqualTo(expected);
      if (expected) {
        right++;
      } else {
        violated++;
      }
    }
    assertThat(right).isGreaterThan(HISTORIES / 10);
    assertThat(violated).isGreaterThan(HISTORIES / 10);
  }

  /** Two raises, and reads of what they have left; by key, so that no place is compared. */
  private static List<LevelStep> random(SplittableRandom random) {
    List<LevelStep> steps = new ArrayList<>();
    steps.add(step(random, List.of(0L, 0L), new Raise(0, 1), false));
    steps.add(step(random, List.of(1L, 0L), new Raise(1, 2), false));
    for (int i = random.nextInt(1, 4); i > 0; i--) {
      List<Long> saw = List.of((long) random.nextInt(2), 2L * random.nextInt(2));
      steps.add(step(random, saw, null, true));
    }
    return steps;
  }

  private static LevelStep step(
      SplittableRandom random, List<Long> saw, @Nullable Raise raise, boolean byKey) {
    int session = random.nextInt(3);
    long begin = random.nextInt(10);
    return new LevelStep(
        new Step("T" + random.nextInt(1_000), 0, begin, begin, saw, raise, null),
        byKey,
        -1,
        0,
        session == 0 ? null : "s" + session,
        random.nextInt(3) > 0,
        random.nextInt(3) > 0,
        begin,
        begin + random.nextInt(10));
  }

  private static boolean isAfter(LevelStep later, LevelStep earlier) {
    return later.session() != null
        && later.session().equals(earlier.session())
        && earlier.end() < later.begin();
  }

  private static boolean sees(LevelStep later, LevelStep earlier) {
    List<Long> saw = later.step().saw();
    Raise raise = earlier.step().raise();
    boolean sees = true;
    if (earlier.readsOwnWrites() && raise != null) {
      sees = saw.get(raise.counter()) >= raise.number();
    }
    for (int i = 0; earlier.readsMonotonically() && i < saw.size(); i++) {
      sees &= saw.get(i) >= earlier.step().saw().get(i);
    }
    return sees;
  }

  /** A bound is that of the reader's own begin. */
  @Test
  void aReadIsTooOldFromOneMicrosecondBeyondItsBoundOn() {
    for (long bound : new long[] {0, 500, 2_000_000}) {
      assertThat(bounded(bound, 7_000_000 - bound).isSerializable()).isTrue();
      assertThat(bounded(bound, 7_000_000 - bound - 1).isSerializable()).isFalse();
      assertThat(bounded(-1, 7_000_000 - bound - 1).isSerializable()).isTrue();
    }
  }

  private static Verdict bounded(long boundMicros, long placeMicros) {
    TxnId place = new TxnId(placeMicros, 1, 0);
    Step step = new Step("T1", 0, 1, 2, List.of(0L), null, place);
    return LevelsChecker.check(
        List.of(new LevelStep(step, false, boundMicros, 7_000_000, null, false, false, 1, 2)), 0);
  }
}
