package org.mortydb.bench.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystems;
import org.mortydb.workloads.load.Progress;

@Tag("alone")
final class CalibratorTest {
  private static final double SERVER_MICROS = 2_000;
  private static final double CLIENT_MICROS = 1_000;

  /** The longest distance of a fitted figure from the real one, by the real one. */
  private static final double TOLERANCE = 0.3;

  /**
   * On a machine that is busy with something else the event loops can come out dearer than a whole
   * real transaction here, and no factor fits that. Each attempt measures them for longer.
   */
  private static final int ATTEMPTS = 4;

  @TempDir private Path folder;

  private Path record(String name, String zipf, int cpuMicros, int clientCpuMicros)
      throws IOException {
    return Files.writeString(
        folder.resolve(name),
        """
        {"settings": {"system": "morty", "processes": true, "keys": 600, "zipf": %s,
          "clients": 8, "delayMillis": null, "partitions": 1, "f": 1},
         "committedPerSecond": 1000, "commitRate": 1,
         "cpuMicrosPerCommit": %d, "clientCpuMicrosPerCommit": %d,
         "latencyMicros": {"p50": 1, "p99": 2}, "environment": {"serverCollectors": 0.25}}
        """
            .formatted(zipf, cpuMicros, clientCpuMicros));
  }

  @Test
  void stepsAreMadeAsLongAsTheRealRunsSay() throws IOException, InterruptedException {
    Path real = record("real.json", "null", 3_000, 1_000);
    Calibration calibration = calibrated(0.1, real);
    for (int i = 1; i < ATTEMPTS && !fits(calibration.points().getFirst()); i++) {
      calibration = calibrated(0.1 * (i + 1), real);
    }
    assertThat(calibration.points()).hasSize(1);
    Calibration.Comparison fitted = calibration.points().getFirst();
    // In 0.3 s few transactions commit, and what steps cost is measured here: once it was 2,315.
    // Without factors both are a small part of this.
    assertThat(fitted.simulated().serverCpuMicrosPerCommit())
        .isCloseTo(SERVER_MICROS, within(TOLERANCE * SERVER_MICROS));
    assertThat(fitted.simulated().clientCpuMicrosPerCommit())
        .isCloseTo(CLIENT_MICROS, within(TOLERANCE * CLIENT_MICROS));
    assertThat(calibration.scale("morty").server()).isGreaterThan(1);
    assertThat(calibration.scale("morty-no-push")).isEqualTo(calibration.scale("morty"));
    Calibration again =
        new Calibrator(0.2, 0.3, folder, Progress.NONE, line -> {}).refit(calibration, "");
    assertThat(again.costs()).as("nothing is measured").isEqualTo(calibration.costs());
    assertThat(again.transport()).isEqualTo(calibration.transport());
    assertThat(again.points().getFirst().real()).isEqualTo(fitted.real());
    assertThat(again.points().getFirst().simulated().serverCpuMicrosPerCommit())
        .isCloseTo(SERVER_MICROS, within(TOLERANCE * SERVER_MICROS));
  }

  /** A run with conflicts takes part in the fit as well. */
  @Test
  void theFactorsLieBetweenThoseOfRunsThatDisagree() throws IOException, InterruptedException {
    Path even = record("even.json", "null", 3_000, 1_000);
    Path uneven = record("uneven.json", "0.9", 30_000, 1_000);
    Calibration calibration = calibrated(0.1, even, uneven);
    assertThat(calibration.points()).hasSize(2);
    assertThat(calibration.points().getFirst().cpuRatio()).isGreaterThan(1);
    assertThat(calibration.points().getLast().cpuRatio()).isLessThan(1);
    assertThat(calibration.scale("morty").collector()).isPositive();
    Calibration again =
        new Calibrator(0.2, 0.3, folder, Progress.NONE, line -> {}).refit(calibration, "");
    assertThat(again.transport())
        .as("two runs tell loops from steps")
        .isNotEqualTo(calibration.transport());
    assertThat(again.costs()).isEqualTo(calibration.costs());
  }

  @Test
  void aRecordThatDoesNotKnowTheCollectorsIsRefused() throws IOException {
    Path real = record("real.json", "null", 3_000, 1_000);
    Files.writeString(real, Files.readString(real).replace("serverCollectors", "others"));
    assertThatThrownBy(() -> calibrated(0.1, real))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(real.toString(), "serverCollectors", "run it again");
  }

  @Test
  void measuresStepsAgainForTheSameRealRuns() throws InterruptedException {
    Calibration.Outcome real = new Calibration.Outcome(1_000, 1, 1, 2, SERVER_MICROS, 0, 1_000);
    Map<String, @Nullable Object> point = new HashMap<>();
    point.put("system", "morty");
    point.put("workload", "retwis");
    point.put("keys", 600);
    point.put("zipf", 0.0);
    point.put("clients", 8);
    point.put("delayMillis", null);
    TransportCosts transport = new TransportCosts(5_000, 1_000, 3_000, 3_000, 5_000, 0);
    StorageCosts storage = new StorageCosts(1_000, 2_000, 5_000, 10_000, 100_000);
    Path file = folder.resolve("earlier.json");
    new Calibration(
            "",
            "made up",
            Map.of("processors", Runtime.getRuntime().availableProcessors()),
            transport,
            storage,
            Map.of(),
            Map.of(),
            List.of(new Calibration.Comparison(point, real, real, 1, 1)))
        .write(file);
    Calibration again =
        new Calibrator(0.2, 0.3, folder, Progress.NONE, line -> {})
            .again(Calibration.read(file), List.of(Morty.SYSTEM), List.of("retwis"), "");
    assertThat(again.transport()).isEqualTo(transport);
    assertThat(again.storage()).isEqualTo(storage);
    assertThat(again.remarks()).isEqualTo("made up");
    Calibration.Comparison run = again.points().getFirst();
    assertThat(run.real()).isEqualTo(real);
    assertThat(run.point()).containsEntry("keys", 600).containsEntry("clients", 8);
    assertThat(again.scale("morty").server()).isGreaterThan(1);
    assertThat(again.costs("morty-no-push", "retwis")).isEqualTo(again.costs("morty", "retwis"));
    assertThat(again.scale("morty-no-push")).isEqualTo(again.scale("morty"));
  }

  @Test
  void variantsOfMortyAreNotMeasured() {
    assertThat(Calibrator.gauged())
        .extracting(system -> system.name())
        .contains("morty", "mvtso", "tapir", "si")
        .noneMatch(name -> name.startsWith("morty-"));
  }

  private Calibration calibrated(double partSeconds, Path... records) throws InterruptedException {
    return new Calibrator(0.2, 0.3, partSeconds, folder, Progress.NONE, line -> {})
        .calibrate(
            List.of(Morty.SYSTEM, TransactionSystems.named("morty-no-push")),
            List.of("retwis"),
            List.of(),
            List.of(records),
            "made up");
  }

  private static boolean fits(Calibration.Comparison point) {
    return Math.abs(point.simulated().serverCpuMicrosPerCommit() / SERVER_MICROS - 1) <= TOLERANCE
        && Math.abs(point.simulated().clientCpuMicrosPerCommit() / CLIENT_MICROS - 1) <= TOLERANCE;
  }
}
