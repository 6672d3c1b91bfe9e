package org.mortydb.experiments.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.CommandLines;
import org.mortydb.cli.ExitCode;
import org.mortydb.experiments.runs.RecordFolder;
import tools.jackson.databind.node.ObjectNode;

/** Experiments from the command line to the figure. */
@Tag("slow")
@Timeout(60)
final class ExperimentCommandTest {
  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(Object... args) {
    String[] texts = new String[args.length];
    for (int i = 0; i < args.length; i++) {
      texts[i] = args[i].toString();
    }
    return CommandLines.run(out, err, texts);
  }

  private Path definition(String points) throws IOException {
    return Files.writeString(
        folder.resolve("tiny.yaml"),
        """
        name: tiny
        title: A tiny one
        warmup: 0.3
        seconds: 1
        %s
        figures: [{name: rate, title: Rate, x: clients, y: throughput}]
        """
            .formatted(points));
  }

  @Test
  void aTinyExperimentIsRunDrawnAndResumed() throws IOException {
    Path file =
        definition(
            "points: {system: [morty, occ], workload: {name: retwis, keys: 600},"
                + " processes: false, clients: 4}");
    Path results = folder.resolve("out");
    assertThat(run("experiment", file, "--out", results)).as("%s%s", out, err).isZero();
    assertThat(out.toString())
        .contains("morty", "occ", "serializable", "ratio to Morty")
        .contains("2 points measured, 0 measured before, 0 failed");
    assertThat(results.resolve("figures/rate.svg")).content().startsWith("<svg");
    assertThat(run("experiment", file, "--out", results)).isZero();
    assertThat(out.toString()).contains("0 points measured, 2 measured before, 0 failed");

    Path text = Files.writeString(folder.resolve("text.md"), "# T\n\n{{checks}}\n");
    Path html = folder.resolve("report.html");
    assertThat(run("report", "--records", results, "--text", text, "--out", html))
        .as("%s", err)
        .isZero();
    assertThat(html).content().contains("<title>T</title>");
  }

  @Test
  void againGoesOnAfterAKill() throws IOException {
    Path file =
        definition(
            "points: {way: simulated, cores: 1, system: [morty, occ], clients: 4,"
                + " workload: {name: retwis, keys: 600}}");
    Path results = folder.resolve("out");
    assertThat(run("experiment", file, "--out", results)).as("%s%s", out, err).isZero();
    // As a kill leaves it: one record is of before the start, the other one is made again.
    Path old;
    try (Stream<Path> files = Files.list(results)) {
      old =
          files.filter(one -> one.toString().endsWith(".json")).sorted().findFirst().orElseThrow();
    }
    String text = Files.readString(old);
    Files.writeString(old, text.replaceAll("(\"time\" : \")[^\"]*", "$12026-01-01T00:00:00Z"));
    Path mark = results.resolve("again.json");
    Files.writeString(
        mark,
        """
        {"since": "2026-02-01T00:00:00Z", "of": ["deploy false", "minutes null", "tiny"]}
        """);
    assertThat(run("experiment", file, "--out", results, "--again")).isZero();
    assertThat(out.toString()).contains("1 points measured, 1 measured before, 0 failed");
    assertThat(err.toString()).contains("goes on with --again", mark.toString());
    assertThat(mark).doesNotExist();
    assertThat(Files.readString(old)).doesNotContain("2026-01-01T00:00:00Z");
    out.getBuffer().setLength(0);
    assertThat(run("experiment", file, "--out", results, "--again")).isZero();
    assertThat(out.toString()).contains("2 points measured, 0 measured before, 0 failed");
    assertThat(mark).doesNotExist();
  }

  @Test
  void aFolderThatCannotBeCreatedIsRefusedBeforeAnythingRuns() throws IOException {
    Path tiny = definition("points: {workload: {name: retwis, keys: 600}, processes: false}");
    Path file = Files.createFile(folder.resolve("file"));
    Path below = file.resolve("a/b");
    for (Object[] args :
        new Object[][] {
          {"experiment", tiny},
          {"compare", tiny},
          {"windows", "--seconds", 1, "--keys", 600},
          {"chain", "--seconds", 1, "--keys", 600},
          {"reproduce", "--quick"}
        }) {
      Object[] all = Arrays.copyOf(args, args.length + 2);
      all[args.length] = "--out";
      for (Path wrong : new Path[] {file, below}) {
        all[args.length + 1] = wrong;
        err.getBuffer().setLength(0);
        assertThat(run(all)).as("%s: %s", args[0], err).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("--out must be a folder, but is a file: " + file);
      }
    }
    assertThat(file).isEmptyFile();
  }

  @Test
  void aKilledServerCostsTheFastPath() throws IOException {
    Path file =
        definition(
            "points: {workload: {name: retwis, keys: 600}, clients: 4, down: 1,"
                + " serverJvm: -Xmx192m -XX:+UseSerialGC -XX:TieredStopAtLevel=1}");
    Path results = folder.resolve("out");
    assertThat(run("experiment", file, "--out", results)).as("%s%s", out, err).isZero();
    ObjectNode record = RecordFolder.readAll(results).getFirst();
    assertThat(record.at("/point/down").asInt()).isEqualTo(1);
    assertThat(record.path("serializable").asBoolean()).isTrue();
    assertThat(record.path("consistent").isBoolean()).isFalse();
    assertThat(record.path("committedPerSecond").asDouble()).isPositive();
    assertThat(record.path("slowPathShare").asDouble()).isGreaterThan(0.9);
    assertThat(record.path("cpuMicrosPerCommit").asDouble()).as("of the others").isPositive();
    assertThat(record.at("/pauses/processes").size()).as("two servers, clients").isEqualTo(3);
    assertThat(record.at("/environment/otherPrograms").asDouble(-1)).isBetween(0.0, 1.0);
  }

  @Test
  void aPointThatCannotBeRunIsReportedByTheExitCode() throws IOException {
    Path file = definition("points: {workload: retwis, serverJvm: -Xmx1k}");
    assertThat(run("experiment", file, "--out", folder.resolve("out"))).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString())
        .startsWith("morty: a point failed: morty, retwis: server-1 did not start");
    assertThat(out.toString()).contains("0 points measured, 0 measured before, 1 failed");
  }

  @Test
  void mistakesAreExplainedInASentence() throws IOException {
    assertThat(run("experiment", definition("points: {workload: retwis, colour: red}")))
        .isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).startsWith("morty: " + folder).contains("points.colour");
    assertThat(run("experiment", "no-such-experiment")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("'no-such-experiment'").contains("compare");
    assertThat(run("compare", "--minutes", "0")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("--minutes must be greater than 0");
    assertThat(run("report", "--records", "/no/such")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("--records", "/no/such");
  }

  @Test
  void experimentsAreListed() {
    assertThat(run("experiment")).isZero();
    assertThat(out.toString()).contains("retwis-contention").contains(" points  about ");
  }
}
