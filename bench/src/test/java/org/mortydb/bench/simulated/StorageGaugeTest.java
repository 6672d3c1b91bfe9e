package org.mortydb.bench.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("alone")
final class StorageGaugeTest {
  private static final double MICROSECOND = 1_000;

  @TempDir private Path disk;

  @Test
  void aRecordTakesAMicrosecondAndAWriteMore() throws InterruptedException {
    StorageCosts costs = new StorageGauge(0.05, disk).measure();
    assertThat(costs.record()).isBetween(0.05 * MICROSECOND, 100 * MICROSECOND);
    assertThat(costs.flush()).isBetween(0.0, 500 * MICROSECOND);
    assertThat(costs.write()).isBetween(MICROSECOND, 1_000 * MICROSECOND);
    assertThat(costs.force() + costs.device()).as("a system call").isGreaterThan(MICROSECOND);
    assertThat(disk).as("nothing is left").isEmptyDirectory();
  }

  @Test
  void aDirectoryThatIsMissingIsNamed() {
    Path missing = disk.resolve("none");
    assertThatThrownBy(() -> new StorageGauge(0.05, missing).measure())
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining(missing.toString());
  }
}
