package org.mortydb.faults.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.CommandLines;
import org.mortydb.cli.ExitCode;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The parts with tiny numbers, on real processes. */
@Tag("slow")
@Timeout(300)
final class DurabilityCommandTest {
  private static final String SMALL_JVM =
      "-Xms64m -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1";

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return CommandLines.run(out, err, args);
  }

  private JsonNode measure(String parts) {
    Path json = folder.resolve("durability.json");
    int code =
        run(
            "durability",
            "--only",
            parts,
            "--seconds",
            "0.5",
            "--warmup",
            "0.2",
            "--rounds",
            "1",
            "--keys",
            "600",
            "--load-keys",
            "600",
            "--deaths",
            "3",
            "--restarts",
            "1",
            "--rate",
            "50",
            "--data",
            folder.toString(),
            "--server-jvm",
            SMALL_JVM,
            "--json",
            json.toString());
    assertThat(code).as("%s%s", out, err).isEqualTo(ExitCode.OK);
    return new JsonMapper().readTree(json);
  }

  @Test
  @Tag("long")
  void serversAndCoordinatorsComeToTheirEnds() throws IOException {
    JsonNode report = measure("death,restart,catch-up");
    JsonNode death = report.get("death");
    assertThat(death.get("count").asInt()).isEqualTo(3);
    assertThat(death.get("committed").asInt())
        .as("what all voted for is committed, what one has heard of is not")
        .isBetween(1, 2);
    assertThat(death.get("decidedMicros").get("max").asLong())
        .as("nobody asks before the inquire time, nor recovers before the second")
        .isGreaterThan(2 * death.get("inquireMicros").asLong() - 100_000);
    assertThat(death.get("recovered").asLong()).isGreaterThanOrEqualTo(3);
    assertThat(report.get("restart").size()).isEqualTo(2);
    for (JsonNode restart : report.get("restart")) {
      assertThat(restart.get("secondsToServing").asDouble()).isPositive();
      assertThat(restart.get("logMb").asDouble()).isPositive();
    }
    assertThat(report.get("catchUp").size()).isEqualTo(2);
    for (JsonNode catchUp : report.get("catchUp")) {
      assertThat(catchUp.get("keysPerSecond").asDouble()).isPositive();
      assertThat(catchUp.get("secondsToCaughtUp").asDouble())
          .isGreaterThanOrEqualTo(catchUp.get("secondsToServing").asDouble());
    }
    assertThat(report.get("modes").isNull()).isTrue();
    assertNothingIsLeft();
  }

  @Test
  void clustersAreCompared() throws IOException {
    JsonNode report = measure("pauses,tls");
    JsonNode pauses = report.get("pauses");
    for (String arm : List.of("frequent", "rare")) {
      assertThat(pauses.get(arm).get("commitLatencyMicros").get("p999").asLong()).isPositive();
      assertThat(pauses.get(arm).get("settings").get("server.durability").asString())
          .isEqualTo("sync");
    }
    assertThat(report.get("tls").size()).isEqualTo(2);
    for (JsonNode arm : report.get("tls")) {
      assertThat(arm.get("committedPerSecond").asDouble()).isPositive();
      assertThat(arm.get("cpuMicrosPerCommit").asDouble())
          .isGreaterThan(arm.get("serverCpuMicrosPerCommit").asDouble());
    }
    assertThat(out.toString()).contains("p99.9").contains("TLS");
    assertNothingIsLeft();
  }

  private void assertNothingIsLeft() throws IOException {
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).containsExactly(folder.resolve("durability.json"));
    }
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
        .as("server processes that are left over")
        .isEmpty();
  }

  @Test
  void wrongOptionsAreRefused() {
    for (String wrong :
        List.of(
            "--only modes,speed",
            "--seconds 0",
            "--warmup -1",
            "--rounds 0",
            "--keys 3",
            "--load-keys 3",
            "--deaths 0",
            "--restarts 0",
            "--rate 0",
            "--data " + folder.resolve("missing"),
            "--json " + folder.resolve("missing/run.json"))) {
      assertThat(run(("durability " + wrong).split(" "))).as(wrong).isEqualTo(ExitCode.USAGE);
    }
    assertThat(out.toString()).isEmpty();
  }
}
