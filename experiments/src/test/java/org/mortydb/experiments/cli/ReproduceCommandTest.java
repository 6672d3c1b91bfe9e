package org.mortydb.experiments.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.CommandLines;
import org.mortydb.cli.ExitCode;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Claims from the command line to the page, in virtual time. */
@Tag("slow")
@Timeout(60)
final class ReproduceCommandTest {
  private static final String HOME = "morty.home";

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path results = Path.of("");

  @BeforeEach
  void writeTheClaims() throws IOException {
    results = folder.resolve("results");
    Path claims = Files.createDirectory(folder.resolve("claims"));
    Files.writeString(
        folder.resolve("tiny.yaml"),
        """
        name: tiny
        title: Tiny
        warmup: 0.1
        seconds: 0.1
        points:
          system: [morty, tapir]
          way: simulated
          cores: 1
          delayMillis: 5
          workload: {name: retwis, keys: 600}
          clients: 6
        """);
    claim(claims.resolve("one-round-trip.yaml"), 1, 10, 20);
    claim(claims.resolve("instant.yaml"), 1, 0.001, 0.002);
    claim(claims.resolve("huge.yaml"), 1_024, 10, 20);
  }

  private static void claim(Path file, int cores, double paper, double below) throws IOException {
    Files.writeString(
        file,
        """
        name: %s
        title: The time of a commit
        statement: A commit takes %s ms.
        experiment: ../tiny.yaml
        minutes: 1
        needs: {cores: %d, memoryGib: 1}
        figures:
          - {name: Median commit, paper: %s, expect: about, tolerance: 0.5,
             direction: {below: %s}, metric: commitP50, of: {system: morty}}
        """
            .formatted(
                file.getFileName().toString().replace(".yaml", ""), paper, cores, paper, below));
  }

  private int run(String... args) {
    String[] all =
        Stream.concat(
                Stream.of("reproduce", "--claims", folder.resolve("claims").toString()),
                Stream.of(args))
            .toArray(String[]::new);
    return CommandLines.run(out, err, all);
  }

  private int examine(String... args) {
    return run(
        Stream.concat(Stream.of("--out", results.toString()), Stream.of(args))
            .toArray(String[]::new));
  }

  @Test
  void aTinyClaimIsExaminedAndContinued() {
    Path json = folder.resolve("result.json");
    assertThat(examine("--claim", "one-round-trip", "--json", json.toString()))
        .as("%s%s", out, err)
        .isEqualTo(ExitCode.OK);
    assertThat(out.toString()).contains("one-round-trip: reproduced", "Median commit", "10.00 ms");
    assertThat(err.toString()).contains("Claim 1 of 1: one-round-trip, about 1 min");
    assertThat(results.resolve("reproduce.html"))
        .content()
        .contains("3 claims: 1 reproduced, 1 refuted, 1 not run here")
        .contains("needs 1024 cores");
    JsonNode claim = new JsonMapper().readTree(json.toFile()).path("claims").path(0);
    assertThat(claim.path("verdict").asString()).isEqualTo("reproduced");
    assertThat(claim.path("figures").path(0).path("here").asDouble()).isBetween(10.0, 15.0);
    assertThat(results.resolve("tiny")).isDirectoryContaining("glob:**morty*-r1.json");
    assertThat(results.resolve("tiny")).isDirectoryNotContaining("glob:**tapir*");

    assertThat(examine("--all")).isEqualTo(ExitCode.VIOLATION);
    assertThat(out.toString()).contains("instant: refuted", "huge: not run here");
    assertThat(examine("--claim", "huge")).isEqualTo(ExitCode.FAILED);
    assertThat(examine("--again", "--claim", "one-round-trip")).isEqualTo(ExitCode.OK);
  }

  @Test
  void againReplacesRecordsAndASecondStartGoesOn() throws IOException {
    examine("--claim", "one-round-trip");
    Path record = onlyRecord();
    String old = Files.readString(record);
    Path mark = results.resolve("again.json");
    assertThat(examine("--again", "--claim", "one-round-trip")).isEqualTo(ExitCode.OK);
    assertThat(record).content().isNotEqualTo(old);
    assertThat(mark).doesNotExist();

    // As after a kill: the record is younger than the mark.
    old = Files.readString(record);
    Files.writeString(mark, "{\"since\": \"2026-01-01T00:00:00Z\", \"of\": [\"one-round-trip\"]}");
    assertThat(examine("--again", "--claim", "one-round-trip")).isEqualTo(ExitCode.OK);
    assertThat(err.toString()).contains("goes on with --again", "delete " + mark);
    assertThat(record).hasContent(old);
    assertThat(mark).doesNotExist();
  }

  @Test
  void aRunOfAgainThatFailsKeepsItsRecordAndIsMadeByTheNextStart() throws IOException {
    assertThat(examine("--claim", "one-round-trip")).isEqualTo(ExitCode.OK);
    Path record = onlyRecord();
    String old = Files.readString(record);
    Path mark = results.resolve("again.json");
    String home = System.getProperty(HOME, "");
    Files.createDirectories(folder.resolve("paper/experiments"));
    System.setProperty(HOME, folder.toString()); // has no calibration
    try {
      assertThat(examine("--again", "--claim", "one-round-trip")).isEqualTo(ExitCode.FAILED);
    } finally {
      if (home.isEmpty()) {
        System.clearProperty(HOME);
      } else {
        System.setProperty(HOME, home);
      }
    }
    assertThat(err.toString()).contains("a run failed: ", "its earlier record is kept: " + record);
    assertThat(record).hasContent(old);
    assertThat(mark).exists();
    assertThat(examine("--again", "--claim", "one-round-trip")).isEqualTo(ExitCode.OK);
    assertThat(err.toString()).contains("goes on with --again");
    assertThat(record).content().isNotEqualTo(old);
    assertThat(mark).doesNotExist();
  }

  private Path onlyRecord() throws IOException {
    try (Stream<Path> files = Files.list(results.resolve("tiny"))) {
      return files.findFirst().orElseThrow();
    }
  }

  @Test
  void aRecordThatWasCutShortRunsAgain() throws IOException {
    examine("--claim", "one-round-trip");
    Path record = onlyRecord();
    Files.writeString(record, "");
    assertThat(examine("--claim", "one-round-trip")).isEqualTo(ExitCode.OK);
    assertThat(err.toString()).contains(record + " is damaged, perhaps cut short");
    assertThat(record).content().startsWith("{");
  }

  @Test
  void aQuickCheckGivesNoVerdicts() {
    assertThat(examine("--quick")).as("%s%s", out, err).isEqualTo(ExitCode.OK);
    assertThat(out.toString())
        .contains("virtual time, retwis, morty", "works", "quick: numbers are not evidence")
        .contains("1 of 1 kinds of runs work; tried in ", " processors, ")
        .contains("not run here: huge: needs 1024 cores")
        .doesNotContain("reproduced");
    assertThat(results.resolve("quick.html")).content().contains("quick: numbers are not evidence");
    assertThat(results.resolve("reproduce.html")).doesNotExist();
  }

  @Test
  void claimsAreListed() {
    assertThat(run("--list")).isEqualTo(ExitCode.OK);
    assertThat(out.toString())
        .contains("one-round-trip", "1 runs", "virtual time", "about 1 min")
        .contains("not here: needs 1024 cores")
        .contains("All 3 claims take at most 0 h 3 min");
  }

  @Test
  void mistakesAreExplained() throws IOException {
    assertThat(run()).isEqualTo(ExitCode.USAGE);
    assertThat(run("--all", "--quick")).isEqualTo(ExitCode.USAGE);
    assertThat(examine("--claim", "one-round-tirp")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString())
        .contains("unknown claim 'one-round-tirp': did you mean 'one-round-trip'?");
    Files.writeString(results, "a file");
    assertThat(examine("--all")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("--out must be a folder, but is a file: " + results);
    Path claim = folder.resolve("claims/instant.yaml");
    Files.writeString(claim, Files.readString(claim).replace("tolerance: 0.5,", ""));
    assertThat(run("--list")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString())
        .contains("instant.yaml: figures[0] (line 8) lacks the key 'tolerance'")
        .contains("paper/claims/README.md describes the keys");
    assertThat(CommandLines.run(out, err, "reproduce", "--list", "--claims", "/no/such"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("--claims: no such folder: /no/such");
  }
}
