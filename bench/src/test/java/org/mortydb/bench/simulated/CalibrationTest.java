package org.mortydb.bench.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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
  void theDigestIsThatOfTheCostsAlone() {
    Calibration round = Calibrations.round();
    Calibration remarked =
        new Calibration(
            "another method",
            "another day",
            Map.of("processors", 2, "os", "another one"),
            round.transport(),
            round.storage(),
            round.scales(),
            round.costs(),
            round.points());
    assertThat(round.digest()).matches("[0-9a-f]{12}").isEqualTo(remarked.digest());
    assertThat(round.with(round.transport(), Map.of("morty", new StepScale(1, 1.01, 0))).digest())
        .isNotEqualTo(round.digest());
    Calibration larger =
        new Calibration(
            round.method(),
            round.remarks(),
            Map.of("processors", 4),
            round.transport(),
            round.storage(),
            round.scales(),
            round.costs(),
            round.points());
    assertThat(larger.digest()).isNotEqualTo(round.digest());
    Path file = folder.resolve("calibration.json");
    round.write(file);
    assertThat(Calibration.read(file).digest()).isEqualTo(round.digest());
  }

  @Test
  void theCalibratedMachineSaysHowManyProcessorsItHas() {
    Calibration round = Calibrations.round();
    assertThat(round.processors()).isEqualTo(2);
    Calibration silent =
        new Calibration("", "", Map.of(), round.transport(), null, Map.of(), Map.of(), List.of());
    assertThatThrownBy(silent::processors)
        .isInstanceOf(InvalidCalibrationException.class)
        .hasMessageContaining("environment.processors");
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

  @Test
  void aMisspeltBaseSystemIsNamed() {
    assertThat(Calibration.instead("mine", "mortyy"))
        .contains("'mortyy'", "calibratedLike() of 'mine'", "did you mean 'morty'?");
  }

  @Test
  void aBaseSystemThatWasNotMeasuredIsNamed() {
    assertThatThrownBy(() -> Calibrations.round().costs("morty-no-push", "never-measured"))
        .isInstanceOf(InvalidCalibrationException.class)
        .hasMessageContaining("'morty-no-push' on workload 'never-measured', and 'morty', whose");
  }

  @Test
  void kindsThatAreMissingAreAddedAtTheSpeedOfTheCalibratedMachine() {
    KindCost get = new KindCost(500, 2_000, 0);
    KindCost put = new KindCost(100, 1_000, 0);
    PlaceCosts known = new PlaceCosts(Map.of("Get", get, "Put", put), get, 1, 1);
    PlaceCosts slower =
        new PlaceCosts(
            Map.of(
                "Get", new KindCost(1_000, 6_000, 0),
                "Put", new KindCost(200, 3_000, 10),
                "ReadPast", new KindCost(2_000, 9_000, 70)),
            put,
            2,
            2);
    PlaceCosts completed = known.completed(slower);
    assertThat(completed.kinds())
        .containsOnly(
            Map.entry("Get", get),
            Map.entry("Put", put),
            Map.entry("ReadPast", new KindCost(1_000, 3_000, 70)));
    assertThat(completed.others()).isEqualTo(known.others());
  }
}
