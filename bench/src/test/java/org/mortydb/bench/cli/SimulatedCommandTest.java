package org.mortydb.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.bench.simulated.Calibrations;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.Main;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;

/** {@code morty bench ... --simulated}. */
@Timeout(90)
final class SimulatedCommandTest {
  private static final String QUICK =
      "retwis --keys 600 --simulated --clients 12 --warmup 0.05 --seconds 0.1 --calibration ";

  @TempDir Path folder;

  private Path calibration() {
    Path file = folder.resolve("calibration.json");
    Calibrations.round().write(file);
    return file;
  }

  @Test
  void aClusterOfManyCoresIsSimulated() {
    CommandRun command = new CommandRun(folder);
    JsonNode record =
        command.run(QUICK + calibration() + " --cores 4 --partitions 4 --delays regional");
    assertThat(record.get("serializable").asBoolean()).isTrue();
    assertThat(record.get("committedPerSecond").asDouble()).isPositive();
    JsonNode settings = record.get("settings");
    assertThat(settings.get("way").asString()).isEqualTo("simulated");
    assertThat(settings.get("cores").asInt()).isEqualTo(4);
    assertThat(settings.get("localMicros").asInt()).isEqualTo(45);
    assertThat(settings.get("clientRegions").asInt()).isEqualTo(3);
    assertThat(record.get("utilisation").get("servers").asDouble()).isBetween(0.001, 1.0);
    assertThat(command.out()).contains("serializable: yes", "utilisation");
  }

  @Test
  void severalRatesYieldATableOfLatencyByLoadOnOneCluster() {
    CommandRun command = new CommandRun(folder);
    Path plot = folder.resolve("over-time.svg");
    JsonNode record =
        command.run(
            QUICK
                + calibration()
                + " --one-machine --rate max*0.1,max*0.25,500,max*2 --plot "
                + plot);
    JsonNode saturation = record.get("saturation");
    double max = saturation.get("committedPerSecond").asDouble();
    assertThat(saturation.get("steps").get(0).get("clients").asInt()).isEqualTo(16);
    assertThat(saturation.get("steps").size()).isGreaterThan(1);
    JsonNode loads = record.get("loads");
    assertThat(loads).hasSize(4);
    assertThat(loads.get(3).get("offered").get("neverBegun").asLong()).isPositive();
    assertThat(command.out()).containsOnlyOnce("was too much").contains("max*2 was too much");
    String[] rates = {"max*0.1", "max*0.25", "500"};
    double[] perSecond = {max * 0.1, max * 0.25, 500};
    for (int i = 0; i < rates.length; i++) {
      JsonNode load = loads.get(i);
      assertThat(load.get("settings").get("rate").asString()).isEqualTo(rates[i]);
      assertThat(load.get("settings").get("loop").asString()).isEqualTo("open");
      assertThat(load.get("offered").get("perSecond").asDouble())
          .isCloseTo(perSecond[i], within(0.06));
      assertThat(load.get("committedPerSecond").asDouble())
          .as("Poisson arrivals in 0.1 s")
          .isCloseTo(perSecond[i], withinPercentage(50));
      assertThat(load.get("timeline").get("committed")).hasSize(2);
      assertThat(load.get("serializable").asBoolean()).isTrue();
      assertThat(folder.resolve("over-time-" + (i + 1) + ".svg")).content().contains("</svg");
    }
    assertThat(command.out()).contains("saturated:", "max*0.25", "p99.9 ms", "serializable: yes");
  }

  @Test
  void theTwinOfARealRunSharesOneMachine() {
    JsonNode record = new CommandRun(folder).run(QUICK + calibration() + " --one-machine");
    assertThat(record.get("settings").get("oneMachine").asBoolean()).isTrue();
    assertThat(record.get("heapAfterGcBytes").isNull()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --processes                    | --processes
          --tls                          | --tls
          --style direct                 | --style
          --cores 0                      | --cores and --client-cores must be 1 to 1024
          --delays nowhere               | there are continental, global, regional
          --delays contnental            | did you mean 'continental'?
          --delays regional --delay 5    | --delay and --delays exclude each other
          --delays regional --f 2        | 3 regions
          """)
  void whatCannotBeSimulatedIsSaid(String options, String message) {
    StringWriter err = new StringWriter();
    CommandLine command = Main.commandLine();
    command.setErr(new PrintWriter(err, true));
    int code = command.execute(("bench " + QUICK + calibration() + " " + options).split(" +"));
    assertThat(code).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains(message);
  }

  @Test
  void aCalibrationThatIsMissingIsNamed() {
    StringWriter err = new StringWriter();
    CommandLine command = Main.commandLine();
    command.setErr(new PrintWriter(err, true));
    Path missing = folder.resolve("none.json");
    int code = command.execute(("bench " + QUICK + missing).split(" "));
    assertThat(code).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString()).contains(missing.toString(), "morty calibrate");
  }
}
