package org.mortydb.workloads.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.client.OverloadedException;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.workloads.load.Meter.TypeMeter;
import org.mortydb.workloads.load.Workload.Planned;

@Timeout(20)
final class LoopTest {
  private final SteeredClient client = new SteeredClient();
  private final long now = System.nanoTime();
  private final Window always = new Window(now - 1_000_000_000L, now + 3_600_000_000_000L);
  private final Meter meter = new Meter(1);
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();

  LoopTest() {
    meter.measure(always);
  }

  private List<LoadSession> sessions(int count) {
    List<LoadSession> sessions = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      sessions.add(
          new LoadSession(
              i, client, () -> new Planned(0, (txn, ctx) -> {}), meter, null, LoadClock.WALL));
    }
    return sessions;
  }

  private TypeMeter figures() {
    return new Measurement(1, always, List.of(meter), List.of()).type(0);
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      Thread.sleep(1);
    }
  }

  @Test
  void aClosedLoopKeepsEverySessionBusyAndNoMore() {
    ClosedLoop loop = new ClosedLoop(sessions(3), LoadClock.WALL, failures::add);
    loop.start();
    for (int i = 0; i < 50; i++) {
      assertThat(client.underWay()).isEqualTo(3);
      client.commitNext(1, 0, Path.FAST);
    }
    loop.stop();
    for (int i = 3; i > 0; i--) {
      assertThat(loop.underWay()).isEqualTo(i);
      client.commitNext(1, 0, Path.FAST);
    }
    assertThat(loop.underWay()).isZero();
    assertThat(figures().committed()).isEqualTo(53);
  }

  @Test
  void aSessionThatCannotRunItsTransactionSaysWhy() {
    ClosedLoop loop = new ClosedLoop(sessions(2), LoadClock.WALL, failures::add);
    loop.start();
    client.fail(new IllegalStateException("broken"));
    assertThat(failures).singleElement().hasToString("java.lang.IllegalStateException: broken");
    assertThat(loop.underWay()).isEqualTo(1);
  }

  @Test
  void aTransactionThatSpentItsDeadlineInTheClientsQueueIsGivenUp() {
    long[] nanos = {now};
    LoadClock clock =
        new LoadClock() {
          @Override
          public long nanos() {
            return nanos[0];
          }

          @Override
          public void sleep(long delayNanos) {
            nanos[0] += delayNanos;
          }

          @Override
          public void after(long delayMicros, Runnable task) {
            throw new UnsupportedOperationException();
          }

          @Override
          public Runnable pace(LongSupplier next, LongConsumer task, BooleanSupplier stopped) {
            throw new UnsupportedOperationException();
          }
        };
    LoadSession session =
        new LoadSession(0, client, () -> new Planned(0, (txn, ctx) -> {}), meter, null, clock);
    ClosedLoop loop = new ClosedLoop(List.of(session), clock, failures::add);
    loop.start();
    nanos[0] += 10_000_000_000L;
    client.fail(new OverloadedException("waited", true));
    assertThat(failures).isEmpty();
    assertThat(client.underWay()).isEqualTo(1);
    assertThat(figures().givenUp()).isEqualTo(1);
    client.fail(new OverloadedException("refused at once", false));
    assertThat(failures).hasSize(1);
  }

  @Test
  void anOpenLoopCountsTheWaitOfTransactionsThatWereDue() throws InterruptedException {
    OpenLoop loop =
        new OpenLoop(
            sessions(1),
            1_000,
            Arrivals.UNIFORM,
            new SplittableRandom(1),
            LoadClock.WALL,
            failures::add);
    loop.start();
    await(() -> loop.offered().arrivals() >= 100);
    assertThat(client.begun).as("the store stands still, and one session is all").isEqualTo(1);
    // The 100 arrivals above were due in the past 0.1 s, so all are served at once.
    for (int i = 0; i < 100; i++) {
      await(() -> client.underWay() == 1);
      client.commitNext(1, 0, Path.FAST);
    }
    loop.stop();
    assertThat(figures().latency().getTotalCount()).isEqualTo(100);
    assertThat(figures().latency().getMaxValue()).isGreaterThan(90_000);
    assertThat(figures().latency().getValueAtPercentile(50)).isGreaterThan(40_000);
    // Excludes the time before a session was free. The machine may pause in some transactions.
    assertThat(figures().commitLatency().getValueAtPercentile(90)).isLessThan(40_000);
  }

  @Test
  void anOpenLoopTellsWhatItDidNotRun() throws InterruptedException {
    OpenLoop loop =
        new OpenLoop(
            sessions(2),
            2_000,
            Arrivals.POISSON,
            new SplittableRandom(1),
            LoadClock.WALL,
            failures::add);
    loop.start();
    await(() -> loop.offered().arrivals() >= 50);
    loop.stop();
    Offered offered = loop.offered();
    assertThat(offered.neverBegun()).isEqualTo(offered.arrivals() - 2);
    assertThat(offered.turnedAway()).isZero();
    assertThat(offered.perSecond()).isEqualTo(2_000);
    assertThat(loop.underWay()).isEqualTo(2);
    client.commitNext(1, 0, Path.FAST);
    assertThat(loop.underWay()).as("what waited does not begin after the end").isEqualTo(1);
    assertThat(loop.offered().neverBegun()).isEqualTo(offered.neverBegun());
  }

  @Test
  void anOpenLoopUsesASessionNoMoreThatCannotContinue() throws InterruptedException {
    OpenLoop loop =
        new OpenLoop(
            sessions(1),
            1_000,
            Arrivals.UNIFORM,
            new SplittableRandom(1),
            LoadClock.WALL,
            failures::add);
    loop.start();
    await(() -> client.underWay() == 1);
    client.fail(new IllegalStateException("broken"));
    long arrivals = loop.offered().arrivals();
    await(() -> loop.offered().arrivals() >= arrivals + 10);
    loop.stop();
    assertThat(failures).hasSize(1);
    assertThat(loop.underWay()).isZero();
    assertThat(client.begun).isEqualTo(1);
  }

  @Test
  void arrivalsComeAtTheirRate() {
    for (Arrivals arrivals : Arrivals.values()) {
      SplittableRandom random = new SplittableRandom(2);
      double sum = 0;
      for (int i = 0; i < 100_000; i++) {
        sum += arrivals.gap(random);
      }
      assertThat(sum / 100_000).isBetween(0.98, 1.02);
    }
  }

  @Test
  void theWindowDecidesWhatCounts() {
    Window window = new Window(1_000_000_000L, 2_000_000_000L);
    assertThat(window.contains(999_999_999L)).isFalse();
    assertThat(window.contains(1_000_000_000L)).isTrue();
    assertThat(window.contains(2_000_000_000L)).isFalse();
    assertThat(window.seconds()).isEqualTo(1.0);
  }
}
