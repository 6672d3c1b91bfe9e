package org.mortydb.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.protocol.system.TransactionSystems;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SimCommandTest {
  @Test
  void progressInAFileIsALineEveryFewSeconds() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    AtomicLong clock = new AtomicLong();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    SimCommand.LineProgress progress = new SimCommand.LineProgress(out, 2_000, clock::get);
    progress.update(1, 0);
    clock.addAndGet(5_000_000_000L);
    progress.update(900, 0);
    progress.update(901, 0);
    progress.update(2_000, 1);
    assertThat(bytes.toString(StandardCharsets.UTF_8).lines())
        .containsExactly(
            "sim      900 of 2,000 seeds: no violation", "sim      2,000 of 2,000 seeds: 1 failed");
  }

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void runsSeedsAndReports(@TempDir Path folder) throws IOException {
    Path json = folder.resolve("sim.json");
    Path trace = folder.resolve("trace.txt");
    assertThat(run("--seeds", "2", "--seed", "5", "--twice", "--json", json.toString())).isZero();
    assertThat(out.toString()).contains("2 seeds", "completed/committed");
    JsonNode result = new JsonMapper().readTree(Files.readString(json));
    assertThat(result.get("seeds").asLong()).isEqualTo(2L * FaultMix.values().length);
    assertThat(result.get("firstSeed").asLong()).isEqualTo(5);
    assertThat(result.get("clean").asBoolean()).isTrue();
    assertThat(result.get("failures").isEmpty()).isTrue();
    assertThat(run("--seeds", "1", "--faults", "loss,skew", "--trace", trace.toString())).isZero();
    assertThat(Files.readAllLines(trace).getFirst()).contains("seed 1");
  }

  @Test
  void writesTheStepsThatTheSpecificationIsCheckedAgainst(@TempDir Path folder) throws IOException {
    Path steps = folder.resolve("steps.json");
    assertThat(run("--seeds", "1", "--seed", "7", "--steps", steps.toString())).isZero();
    List<String> lines = Files.readAllLines(steps);
    assertThat(lines.getFirst()).contains("\"seed\":7");
    assertThat(lines).anyMatch(line -> line.contains("\"prepare\""));
    assertThat(lines).anyMatch(line -> line.contains("\"decide\""));
  }

  @Test
  void refusesWrongOptions() {
    assertThat(run("--faults", "loss,gremlins")).isEqualTo(2);
    assertThat(err.toString()).contains("--faults", "'gremlins'", "partition");
    assertThat(run("--seeds", "0")).isEqualTo(2);
    assertThat(run("--seeds", "many")).isEqualTo(2);
    assertThat(run("--seeds", "2", "--trace", "x")).isEqualTo(2);
    assertThat(err.toString()).contains("--trace", "--seeds 1");
    assertThat(run("--seeds", "1", "--trace", "/no/such/folder/x")).isEqualTo(2);
    assertThat(run("--seeds", "2", "--steps", "x")).isEqualTo(2);
    assertThat(err.toString()).contains("--steps records one seed");
    assertThat(run("--seeds", "1", "--steps", "/no/such/folder/x")).isEqualTo(2);
    assertThat(run("--seeds", "1", "--system", "occ", "--steps", "x")).isEqualTo(2);
    assertThat(err.toString()).contains("--steps records the steps of morty alone, not of occ");
    assertThat(run("--unknown")).isEqualTo(2);
  }

  @Test
  void aFailureNamesTheCommandThatReplaysIt() {
    SeedResult failure =
        new SeedResult(
            17,
            FaultMix.GENERAL,
            "a plan",
            1,
            List.of(new Violation(Violation.Rule.STUCK, "t1 never ended")),
            new Marks(),
            10,
            20,
            0);
    SeedOptions seed = SeedOptions.DEFAULTS.withFaults(SimFault.parse("skew,loss"));
    CampaignOptions options = new CampaignOptions(1, 100, 1, false, 1, seed);
    CampaignResult result =
        new CampaignResult(
            17, List.of(), List.of(failure), List.of(), new Marks(), 10, 20, 0, 0, 1_000_000);
    assertThat(result.isClean()).isFalse();
    new SimReport(options, result).print(new PrintWriter(out, true));
    assertThat(out.toString())
        .contains("SEED 17", "a plan", "STUCK", "t1 never ended")
        .contains("bin/morty sim --seeds 1 --seed 17 --faults loss,skew");
    assertThat(new SimReport(options, result).toJson())
        .contains("\"replay\"", "--seed 17", "\"STUCK\"");
  }

  @Test
  void aReplayNamesAnotherSystem() {
    TransactionSystem spanner = TransactionSystems.named("spanner");
    assertThat(SeedOptions.DEFAULTS.withSystem(spanner).replay(5))
        .isEqualTo("bin/morty sim --system spanner --seeds 1 --seed 5 --faults all");
  }

  @Test
  void everyMixRunsUnlessOneIsNamed(@TempDir Path folder) throws IOException {
    Path json = folder.resolve("sim.json");
    assertThat(run("--seeds", "1", "--json", json.toString())).isZero();
    assertThat(mixesIn(json))
        .containsExactly(
            "general",
            "rejoin",
            "promises",
            "checkpoints",
            "power",
            "truncation",
            "changes",
            "clocks",
            "levels",
            "durability",
            "merges",
            "combined");
    assertThat(run("--seeds", "1", "--mix", "power,clocks", "--json", json.toString())).isZero();
    assertThat(mixesIn(json)).containsExactly("power", "clocks");
    assertThat(run("--seeds", "1", "--faults", "all", "--json", json.toString())).isZero();
    assertThat(mixesIn(json)).containsExactly("general");
    assertThat(run("--seeds", "1", "--system", "tapir", "--json", json.toString())).isZero();
    assertThat(mixesIn(json)).containsExactly("general");
  }

  private static List<String> mixesIn(Path json) throws IOException {
    return new JsonMapper()
        .readTree(Files.readString(json))
        .get("mixes")
        .valueStream()
        .map(mix -> mix.get("mix").asString())
        .toList();
  }

  @Test
  void refusesMixesThatItCannotRun() {
    assertThat(run("--mix", "power,gremlins")).isEqualTo(2);
    assertThat(err.toString()).contains("--mix", "'gremlins'", "checkpoints");
    assertThat(run("--mix", "power", "--faults", "loss")).isEqualTo(2);
    assertThat(run("--mix", "power", "--durability", "sync")).isEqualTo(2);
    assertThat(run("--mix", "power", "--system", "tapir")).isEqualTo(2);
  }

  @Test
  void aReplayNamesTheMix() {
    assertThat(SeedOptions.DEFAULTS.withMix(FaultMix.CLOCKS).replay(5))
        .isEqualTo("bin/morty sim --mix clocks --seeds 1 --seed 5");
  }

  @Test
  void faultsAreReadAsTheyAreWritten() {
    for (String text : List.of("all", "none", "loss", "dup,reorder", "partition,slow,jump")) {
      assertThat(SimFault.format(SimFault.parse(text))).isEqualTo(text);
    }
  }

  private int run(String... args) {
    return new CommandLine(new SimCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }
}
