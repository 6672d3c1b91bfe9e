package org.mortydb.bench.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CalibrationTest {
  @TempDir private Path folder;

  @Test
  void isWhatWasWritten() {
    Path file = folder.resolve("calibration.json");
    Calibrations.round().write(file);
    assertThat(Calibration.read(file)).isEqualTo(Calibrations.round());
  }

  @Test
  void aFileThatIsMissingOrBrokenIsNamed() throws IOException {
    Path file = folder.resolve("none.json");
    assertThatThrownBy(() -> Calibration.read(file))
        .isInstanceOf(InvalidCalibrationException.class)
        .hasMessageContainingAll(file.toString(), "morty calibrate");
    Files.writeString(file, "{\"method\": ");
    assertThatThrownBy(() -> Calibration.read(file))
        .isInstanceOf(InvalidCalibrationException.class)
        .hasMessageContaining(file.toString());
  }
}
