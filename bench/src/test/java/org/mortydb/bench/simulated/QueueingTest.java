package org.mortydb.bench.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.mortydb.sim.kernel.Kernel;

/** Event loops and cores, held against what queueing theory says of them. */
final class QueueingTest {
  private static final long SERVICE_NANOS = 10_000;

  private final VirtualClock clock = new VirtualClock(new Kernel());
  private final Loop.Usage usage = new Loop.Usage();
  private long served;
  private double waitedNanos;

  private Loop loop(Machine machine) {
    return new Loop(machine, clock, usage, Costs.FREE);
  }

  private void serve(Loop loop, long dueNanos) {
    waitedNanos += clock.nanos() - dueNanos;
    loop.charge(SERVICE_NANOS);
    served++;
  }

  @Test
  void oneServerWithPoissonArrivalsWaitsAsPollaczekAndKhinchinSay() throws InterruptedException {
    Machine machine = new Machine(clock, 1);
    Loop loop = loop(machine);
    SplittableRandom random = new SplittableRandom(1);
    double load = 0.8;
    double gapNanos = SERVICE_NANOS / load;
    double[] due = {0};
    Runnable unused =
        clock.pace(
            () -> (long) (due[0] += random.nextExponential() * gapNanos),
            at -> loop.post(() -> serve(loop, at)),
            () -> false);
    long nanos = 5_000_000_000L;
    clock.sleep(nanos);

    assertThat((double) usage.busyNanos / nanos).isCloseTo(load, within(0.01));
    // M/D/1: half the wait of M/M/1. Arrivals are rounded up to a microsecond.
    double expected = load * SERVICE_NANOS / (2 * (1 - load));
    assertThat(waitedNanos / served).isCloseTo(expected + 500, within(0.05 * expected));
  }

  @Test
  void loopsShareTheCoresThatThereAre() throws InterruptedException {
    Machine machine = new Machine(clock, 2);
    List<Loop> loops = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Loop loop = loop(machine);
      loops.add(loop);
      again(loop);
    }
    long nanos = 100_000_000L;
    clock.sleep(nanos);

    assertThat(served).as("two cores, always busy").isBetween(19_990L, 20_010L);
    assertThat((double) usage.busyNanos / nanos).isCloseTo(2, within(0.001));
  }

  private void again(Loop loop) {
    loop.post(
        () -> {
          serve(loop, clock.nanos());
          again(loop);
        });
  }

  @Test
  void aTurnTakesWhatHasArrivedAndPaysForWakingUpOnce() throws InterruptedException {
    PlaceCosts nothing = new PlaceCosts(Map.of(), new KindCost(0, 0, 0), 0, 0);
    Costs costs = new Costs(new TransportCosts(7_000, 1_000, 0, 0, 0, 0), nothing, 1);
    Loop loop = new Loop(new Machine(clock, 1), clock, usage, costs);
    List<Long> starts = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      loop.post(
          () -> {
            starts.add(clock.nanos());
            loop.charge(SERVICE_NANOS);
          });
    }
    clock.sleep(1_000_000);

    // The first is alone in a turn after a sleep; the others came during it and share the next.
    assertThat(starts).containsExactly(7_000L, 18_000L, 28_000L);
    assertThat(usage.busyNanos).isEqualTo(38_000);
  }

  @Test
  void aHandOverCostsOnlyWhatWakesTheOtherLoop() throws InterruptedException {
    PlaceCosts nothing = new PlaceCosts(Map.of(), new KindCost(0, 0, 0), 0, 0);
    Costs costs = new Costs(new TransportCosts(0, 0, 0, 0, 5_000, 0), nothing, 1);
    Machine machine = new Machine(clock, 2);
    Loop giving = new Loop(machine, clock, usage, costs);
    Loop.Usage takingUsage = new Loop.Usage();
    Loop taking = new Loop(machine, clock, takingUsage, costs);
    SimulatedServer.Handover handover = new SimulatedServer.Handover(giving, taking);
    Loop.Task give = () -> handover.add(() -> taking.charge(SERVICE_NANOS));

    giving.post(give);
    clock.sleep(6_000);
    assertThat(usage.busyNanos).as("to a loop that sleeps").isEqualTo(5_000);
    giving.post(give);
    clock.sleep(100_000);
    assertThat(usage.busyNanos).as("to a loop that is in a turn").isEqualTo(5_000);
    assertThat(takingUsage.busyNanos).isEqualTo(2 * SERVICE_NANOS);
    giving.post(give);
    clock.sleep(100_000);
    assertThat(usage.busyNanos).as("to a loop that sleeps again").isEqualTo(10_000);
  }

  @Test
  void aCollectorWorksBesideTheLoopOnItsMachine() throws InterruptedException {
    Machine machine = new Machine(clock, 2);
    Loop loop = loop(machine);
    loop.cleanedBy(new Collector(usage, 0.5, List.of(loop(machine), loop(machine))));
    working(loop);
    long nanos = 100_000_000L;
    clock.sleep(nanos);

    assertThat(served).as("the loop has a core of its own").isBetween(9_990L, 10_010L);
    assertThat((double) usage.collectorNanos / nanos).isCloseTo(0.5, within(0.005));
    assertThat((double) usage.busyNanos / nanos).isCloseTo(1.5, within(0.005));
  }

  @Test
  void aCollectorTakesTheCoreThatTheLoopNeeds() throws InterruptedException {
    Machine machine = new Machine(clock, 1);
    Loop loop = loop(machine);
    loop.cleanedBy(new Collector(usage, 0.25, List.of(loop(machine))));
    working(loop);
    long nanos = 100_000_000L;
    clock.sleep(nanos);

    assertThat((double) usage.busyNanos / nanos).isCloseTo(1, within(0.001));
    assertThat((double) usage.collectorNanos / usage.workNanos).isCloseTo(0.25, within(0.01));
    assertThat(served).isBetween(7_900L, 8_100L);
  }

  private void working(Loop loop) {
    working(loop, SERVICE_NANOS);
  }

  private void working(Loop loop, long nanos) {
    loop.post(
        () -> {
          loop.chargeWork(nanos);
          served++;
          working(loop, nanos);
        });
  }

  /** Cores take turns, so a collector of short turns would get next to nothing beside long ones. */
  @Test
  void aCollectorKeepsUpWithLongTurns() throws InterruptedException {
    Machine machine = new Machine(clock, 1);
    Loop loop = loop(machine);
    loop.cleanedBy(new Collector(usage, 0.8, List.of(loop(machine))));
    working(loop, 2_000_000);
    clock.sleep(1_000_000_000L);

    assertThat((double) usage.collectorNanos / usage.workNanos).isCloseTo(0.8, within(0.01));
  }

  @Test
  void aCoreWhoseTurnHasJustEndedBeginsAtOnce() throws InterruptedException {
    Machine machine = new Machine(clock, 1, 30_000);
    Loop loop = loop(machine);
    Loop other = loop(machine);
    List<Long> starts = new ArrayList<>();
    loop.post(
        () -> {
          loop.charge(10_500);
          other.post(() -> starts.add(clock.nanos()));
        });
    clock.sleep(1_000_000);

    assertThat(starts).containsExactly(41_000L);
  }

  @Test
  void aCoreThatHasBeenIdleBeginsLaterAndTakesWhatArrivesMeanwhile() throws InterruptedException {
    Machine machine = new Machine(clock, 1, 30_000);
    Loop loop = loop(machine);
    Loop other = loop(machine);
    List<Long> starts = new ArrayList<>();
    Loop.Task task =
        () -> {
          starts.add(clock.nanos());
          loop.charge(SERVICE_NANOS);
        };
    loop.post(task);
    clock.after(20, () -> loop.post(task));
    clock.after(35, () -> other.post(() -> starts.add(clock.nanos())));
    clock.sleep(1_000_000);

    assertThat(starts)
        .as("both in one turn, and the other loop once the core is free")
        .containsExactly(30_000L, 40_000L, 50_000L);
    assertThat(usage.busyNanos).as("the latency is no work").isEqualTo(2 * SERVICE_NANOS);
  }
}
