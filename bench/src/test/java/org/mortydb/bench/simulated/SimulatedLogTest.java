package org.mortydb.bench.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.sim.kernel.Kernel;

final class SimulatedLogTest {
  private static final long MICROS = 1_000;
  private static final StorageCosts COSTS = new StorageCosts(1_000, 2_000, 5_000, 10_000, 100_000);

  private final VirtualClock clock = new VirtualClock(new Kernel());
  private final Machine machine = new Machine(clock, 2);
  private final Loop.Usage usage = new Loop.Usage();
  private final Loop loop = new Loop(machine, clock, usage, Costs.FREE);
  private final Loop writer = new Loop(machine, clock, usage, Costs.FREE);

  /** When the log told the loop that it has got further, and how far it was then. */
  private final List<String> told = new ArrayList<>();

  private SimulatedLog log(boolean sync, long forceIntervalMicros) {
    SimulatedLog[] log = new SimulatedLog[1];
    log[0] =
        new SimulatedLog(
            clock,
            writer,
            List.of(loop),
            sync,
            forceIntervalMicros * MICROS,
            COSTS,
            at -> {
              assertThat(at).isSameAs(loop);
              told.add(
                  "%d at %d".formatted(log[0].of(loop).keptPosition(), clock.nanos() / MICROS));
            });
    return log[0];
  }

  private void appendAt(long micros, SimulatedLog.Part part, int records) {
    clock.after(
        micros,
        () ->
            loop.post(
                () -> {
                  for (int i = 0; i < records; i++) {
                    part.append();
                  }
                }));
  }

  @Test
  void recordsOfATurnAreForcedTogether() throws InterruptedException {
    SimulatedLog log = log(true, 1_000);
    appendAt(0, log.of(loop), 3);
    clock.sleep(1_000 * MICROS);
    // Three records and the wake-up, the write, the disk, and the processor time of the force.
    assertThat(told).containsExactly("3 at 120");
    assertThat(log.of(loop).writtenPosition()).isEqualTo(3);
    assertThat(usage.busyNanos).isEqualTo(20 * MICROS);
  }

  @Test
  void whatArrivesDuringAForceIsForcedWithTheNext() throws InterruptedException {
    SimulatedLog log = log(true, 1_000);
    SimulatedLog.Part part = log.of(loop);
    appendAt(0, part, 1);
    for (long i = 1; i <= 10; i++) {
      appendAt(10 * i, part, 1);
    }
    clock.sleep(2_000 * MICROS);
    assertThat(told).containsExactly("1 at 118", "11 at 233");
  }

  @Test
  void withoutSyncRecordsAreKeptOnceTheyAreWrittenAndForcedNowAndThen()
      throws InterruptedException {
    SimulatedLog log = log(false, 300);
    SimulatedLog.Part part = log.of(loop);
    appendAt(0, part, 1);
    appendAt(100, part, 1);
    clock.sleep(200 * MICROS);
    assertThat(told).containsExactly("1 at 8", "2 at 108");
    long before = usage.busyNanos;
    clock.sleep(1_000 * MICROS);
    assertThat(usage.busyNanos - before).as("one force").isEqualTo(10 * MICROS);
    assertThat(told).as("nobody waits for it").hasSize(2);
  }

  @Test
  void aWriteWaitsForTheForceThatIsDue() throws InterruptedException {
    SimulatedLog log = log(false, 50);
    SimulatedLog.Part part = log.of(loop);
    appendAt(0, part, 1);
    appendAt(60, part, 1);
    clock.sleep(1_000 * MICROS);
    // Written at 8, forced from 58 to 168; the second record is written after that.
    assertThat(told).containsExactly("1 at 8", "2 at 173");
  }

  @Test
  void whoeverWaitsForAWriteIsToldBeforeTheForce() throws InterruptedException {
    SimulatedLog log = log(true, 1_000);
    appendAt(0, log.of(loop), 1);
    log.of(loop).awaitWritten();
    clock.sleep(1_000 * MICROS);
    assertThat(told).containsExactly("0 at 8", "1 at 118");
  }

  /** The records of a turn that still runs on another core are not there yet. */
  @Test
  void aWriteTakesOnlyWhatHasLeftItsLoop() throws InterruptedException {
    Loop other = new Loop(machine, clock, usage, Costs.FREE);
    Machine own = new Machine(clock, 1);
    Loop thread = new Loop(own, clock, usage, Costs.FREE);
    List<String> kept = new ArrayList<>();
    SimulatedLog[] log = new SimulatedLog[1];
    log[0] =
        new SimulatedLog(
            clock,
            thread,
            List.of(loop, other),
            true,
            MICROS,
            COSTS,
            at ->
                kept.add(
                    "%s %d at %d"
                        .formatted(
                            at == loop ? "short" : "long",
                            log[0].of(at).keptPosition(),
                            clock.nanos() / MICROS)));
    SimulatedLog.Part part = log[0].of(loop);
    SimulatedLog.Part late = log[0].of(other);
    loop.post(part::append);
    other.post(
        () -> {
          other.charge(50 * MICROS);
          late.append();
        });
    clock.sleep(1_000 * MICROS);
    // The first force ends at 118, the record of the long turn is forced with the next one.
    assertThat(kept)
        .containsExactly("short 1 at 118", "long 0 at 118", "short 1 at 233", "long 1 at 233");
  }
}
