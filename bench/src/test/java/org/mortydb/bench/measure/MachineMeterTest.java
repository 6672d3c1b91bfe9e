package org.mortydb.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.bench.measure.MachineMeter.Sample;

final class MachineMeterTest {
  @TempDir Path folder;

  private Optional<Sample> read(String text) throws IOException {
    return new MachineMeter(Files.writeString(folder.resolve("stat"), text)).sample();
  }

  @Test
  void workIsTheTimeOfProgramsAndNotThatOfInterrupts() throws IOException {
    String text =
        """
        cpu  100 20 30 4000 50 6 7 8 0 0
        cpu0 60 10 20 2000 30 3 4 4 0 0
        cpu1 40 10 10 2000 20 3 3 4 0 0
        intr 123 0 0
        """;
    assertThat(read(text)).contains(new Sample(158, 4_221, 2));
    assertThat(read("")).isEmpty();
    assertThat(read("cpu 1 2\ncpu0 1 2\n")).isEmpty();
    assertThat(read("cpu a b c d e f g h\ncpu0 1\n")).isEmpty();
    assertThat(new MachineMeter(folder.resolve("none")).sample()).isEmpty();
  }

  @Test
  void whatIsNotOfTheMeasurementIsOfOthers() {
    Sample begin = new Sample(1_000, 10_000, 2);
    Sample end = new Sample(2_500, 12_000, 2);
    // Of 20 s of two processors, 15 s were work, and 10 s of these the measurement's.
    assertThat(end.others(begin, 10_000_000_000L, 10).orElseThrow()).isCloseTo(0.25, within(1e-9));
    assertThat(end.others(begin, 16_000_000_000L, 10).orElseThrow())
        .as("ticks are coarse")
        .isZero();
    assertThat(begin.others(begin, 0, 10)).isEmpty();
  }
}
