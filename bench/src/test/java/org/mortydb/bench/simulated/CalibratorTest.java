package org.mortydb.bench.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystems;
import org.mortydb.workloads.load.Progress;

@Tag("alone")
final class CalibratorTest {
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
         "latencyMicros": {"p50": 1, "p99": 2}}
        """
            .formatted(zipf, cpuMicros, clientCpuMicros));
  }

  @Test
  void stepsAreMadeAsLongAsTheRealRunsSay() throws IOException, InterruptedException {
    Path even = record("even.json", "null", 3_000, 1_000);
    Path uneven = record("uneven.json", "0.9", 30_000, 1_000);
    Calibration calibration =
        new Calibrator(0.3, 0.1, Progress.NONE, line -> {})
            .calibrate(
                List.of(Morty.SYSTEM, TransactionSystems.named("morty-no-push")),
                List.of("retwis"),
                List.of(),
                List.of(even, uneven),
                "made up");
    assertThat(calibration.points())
        .as("both points are compared, the even one was fitted by")
        .hasSize(2);
    Calibration.Comparison fitted = calibration.points().getFirst();
    // In 0.3 s few transactions commit, and what steps cost is measured here: once it was 2,315.
    // Without factors both are a small part of this.
    assertThat(fitted.simulated().serverCpuMicrosPerCommit()).isCloseTo(2_000, within(600.0));
    assertThat(fitted.simulated().clientCpuMicrosPerCommit()).isCloseTo(1_000, within(300.0));
    assertThat(calibration.points().getLast().cpuRatio()).isLessThan(0.5);
    assertThat(calibration.scale("morty").server()).isGreaterThan(1);
    assertThat(calibration.scale("morty-no-push")).isEqualTo(calibration.scale("morty"));
  }
}
