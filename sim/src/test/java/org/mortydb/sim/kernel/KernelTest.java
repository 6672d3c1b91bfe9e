package org.mortydb.sim.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class KernelTest {
  private final Kernel kernel = new Kernel();
  private final List<String> happened = new ArrayList<>();

  @Test
  void runsEventsByTimeAndThenInTheOrderOfScheduling() {
    kernel.schedule(20, () -> happened.add("c"));
    kernel.schedule(10, () -> happened.add("a"));
    kernel.schedule(10, () -> happened.add("b"));
    kernel.runUntil(15);
    assertThat(happened).containsExactly("a", "b");
    assertThat(kernel.nowMicros()).isEqualTo(15);
    kernel.runUntil(20);
    assertThat(happened).containsExactly("a", "b", "c");
    assertThat(kernel.executed()).isEqualTo(3);
  }

  @Test
  void runsWhatEventsSchedule() {
    kernel.schedule(5, () -> kernel.schedule(0, () -> happened.add("at " + kernel.nowMicros())));
    kernel.runUntil(5);
    assertThat(happened).containsExactly("at 5");
  }

  @Test
  void movesAnEventThatIsScheduledAgain() {
    Named event = new Named("x");
    kernel.schedule(10, event);
    kernel.schedule(30, event);
    kernel.runUntil(20);
    assertThat(happened).isEmpty();
    kernel.runUntil(30);
    assertThat(happened).containsExactly("x");
    assertThat(event.isScheduled()).isFalse();
  }

  @Test
  void forgetsACancelledEvent() {
    Named event = new Named("x");
    kernel.schedule(10, event);
    kernel.cancel(event);
    kernel.cancel(event);
    assertThat(kernel.runNext()).isFalse();
  }

  @Test
  void refusesThePast() {
    assertThatThrownBy(() -> kernel.schedule(-1, () -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
  }

  /** Against an ordered set, which is slow and obviously right. */
  @Test
  void agreesWithAnOrderedSet() {
    SplittableRandom random = new SplittableRandom(7);
    TreeSet<Named> expected =
        new TreeSet<>(
            Comparator.<Named>comparingLong(e -> e.timeMicros).thenComparingLong(e -> e.sequence));
    List<Named> all = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      all.add(new Named("e" + i));
    }
    for (int i = 0; i < 50_000; i++) {
      Named event = all.get(random.nextInt(all.size()));
      switch (random.nextInt(4)) {
        case 0 -> {
          if (!expected.isEmpty()) {
            happened.clear();
            Named first = expected.removeFirst();
            assertThat(kernel.runNext()).isTrue();
            assertThat(happened).containsExactly(first.name);
          }
        }
        case 1 -> {
          expected.remove(event);
          kernel.cancel(event);
        }
        default -> {
          expected.remove(event);
          kernel.schedule(random.nextInt(50), event);
          expected.add(event);
        }
      }
    }
    happened.clear();
    while (kernel.runNext()) {
      // The condition runs the events.
    }
    assertThat(happened).containsExactlyElementsOf(expected.stream().map(e -> e.name).toList());
  }

  @Test
  void namedGeneratorsDoNotDependOnEachOther() {
    Randomness randomness = new Randomness(42);
    long first = randomness.stream("network").nextLong();
    SplittableRandom other = randomness.stream("clocks");
    long _ = other.nextLong();
    assertThat(randomness.stream("network").nextLong()).isEqualTo(first);
    assertThat(randomness.stream("clocks").nextLong()).isNotEqualTo(first);
    assertThat(new Randomness(43).stream("network").nextLong()).isNotEqualTo(first);
    assertThat(randomness.child("client", 1).stream("network").nextLong())
        .isNotEqualTo(randomness.child("client", 2).stream("network").nextLong());
  }

  @Test
  void traceDigestsDependOnContentAndTimeAndOrder() {
    assertThat(digest(1, 2)).isEqualTo(digest(1, 2)).isNotEqualTo(digest(2, 1));
    SimTrace early = SimTrace.digestOnly(kernel);
    SimTrace late = SimTrace.digestOnly(kernel);
    early.fold(1, 2);
    kernel.runUntil(1);
    late.fold(1, 2);
    assertThat(early.digest()).isNotEqualTo(late.digest());
  }

  private long digest(long... numbers) {
    SimTrace trace = SimTrace.digestOnly(kernel);
    for (long number : numbers) {
      trace.fold(number, 0);
    }
    return trace.digest();
  }

  private final class Named extends SimEvent {
    private final String name;

    Named(String name) {
      this.name = name;
    }

    @Override
    protected void run() {
      happened.add(name);
    }
  }
}
