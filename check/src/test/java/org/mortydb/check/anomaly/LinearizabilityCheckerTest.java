package org.mortydb.check.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mortydb.check.anomaly.LinearizabilityChecker.Action;
import org.mortydb.check.anomaly.LinearizabilityChecker.Call;
import org.mortydb.check.anomaly.LinearizabilityChecker.CompareAndSet;
import org.mortydb.check.anomaly.LinearizabilityChecker.Read;
import org.mortydb.check.anomaly.LinearizabilityChecker.Write;
import org.mortydb.check.history.Status;

/** Compares the search with the definition, and with the size of what it has to bear. */
final class LinearizabilityCheckerTest {
  private static final int HISTORIES = 20_000;
  private static final int VALUES = 3;

  @Test
  void itAgreesWithTheDefinition() {
    int good = 0;
    for (int seed = 0; seed < HISTORIES; seed++) {
      List<Call> calls = random(new SplittableRandom(seed));
      boolean expected = existsOrder(calls, null);
      assertThat(LinearizabilityChecker.check(calls).isSerializable())
          .as("seed %d: %s", seed, calls)
          .isEqualTo(expected);
      good += expected ? 1 : 0;
    }
    assertThat(good).isBetween(HISTORIES / 10, HISTORIES * 9 / 10);
  }

  private static List<Call> random(SplittableRandom random) {
    List<Call> calls = new ArrayList<>();
    int count = 1 + random.nextInt(6);
    List<Integer> moments = new ArrayList<>();
    for (int i = 0; i < 2 * count; i++) {
      moments.add(i);
    }
    for (int i = 0; i < count; i++) {
      int a = moments.remove(/* index */ random.nextInt(Math.min(4, moments.size())));
      int b = moments.remove(/* index */ random.nextInt(Math.min(4, moments.size())));
      int status = random.nextInt(8);
      calls.add(
          new Call(
              "T" + i,
              "x",
              Math.min(a, b),
              Math.max(a, b),
              status == 0 ? Status.ABORTED : status < 3 ? Status.UNKNOWN : Status.COMMITTED,
              action(random)));
    }
    return calls;
  }

  private static Action action(SplittableRandom random) {
    return switch (random.nextInt(3)) {
      case 0 -> new Read(random.nextInt(4) == 0 ? null : random.nextLong(VALUES));
      case 1 -> new Write(random.nextLong(VALUES));
      default -> new CompareAndSet(random.nextLong(VALUES), random.nextLong(VALUES));
    };
  }

  /** Whether those that committed, and some of those that may have, fit into some order. */
  private static boolean existsOrder(List<Call> left, @Nullable Long value) {
    if (left.stream().noneMatch(c -> c.status() == Status.COMMITTED)) {
      return true;
    }
    for (Call next : left) {
      boolean first =
          left.stream().noneMatch(c -> c.status() == Status.COMMITTED && c.end() < next.begin());
      if (first && next.status() != Status.ABORTED && applies(next.action(), value)) {
        List<Call> others = new ArrayList<>(left);
        others.remove(next);
        if (existsOrder(others, after(next.action(), value))) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean applies(Action action, @Nullable Long value) {
    return switch (action) {
      case Read(Long seen) -> Objects.equals(seen, value);
      case Write _ -> true;
      case CompareAndSet(long expected, long _) -> value != null && value == expected;
    };
  }

  private static @Nullable Long after(Action action, @Nullable Long value) {
    return switch (action) {
      case Read _ -> value;
      case Write(long written) -> written;
      case CompareAndSet(long _, long written) -> written;
    };
  }

  @Test
  void thoseOfUnknownEndThatDoTheSameAreTriedOnce() {
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i < 36; i++) {
      calls.add(new Call("W" + i, "x", i, 0, Status.UNKNOWN, new Write(i % VALUES)));
    }
    for (int i = 0; i < 30; i++) {
      Action read = new Read((long) i % VALUES);
      calls.add(new Call("R" + i, "x", 100 + 2 * i, 101 + 2 * i, Status.COMMITTED, read));
    }
    Verdict verdict = LinearizabilityChecker.check(calls);
    assertThat(verdict).isInstanceOf(Verdict.Serializable.class);
    assertThat(verdict.coverage().readsChecked()).isEqualTo(30);
    calls.add(new Call("R", "x", 500, 501, Status.COMMITTED, new Read(9L)));
    Verdict none = LinearizabilityChecker.check(calls);
    assertThat(none).isInstanceOf(Verdict.Violated.class);
    assertThat(none).asString().contains("register x", "R", "read of 9");
  }

  /** Twenty writes at once of as many values have more orders than anybody can try. */
  @Test
  void whatTakesTooLongIsSkipped() {
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      calls.add(new Call("W" + i, "x", i, 100, Status.COMMITTED, new Write(i)));
    }
    calls.add(new Call("R", "x", 200, 201, Status.COMMITTED, new Read(99L)));
    Verdict verdict = LinearizabilityChecker.check(calls);
    assertThat(verdict.isSerializable()).isTrue();
    assertThat(verdict.coverage().readsChecked()).isZero();
    assertThat(verdict.coverage().readsSkipped()).isEqualTo(1);
  }
}
