package org.mortydb.experiments.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.bench.experiment.GitRepository;
import org.mortydb.cli.CommandLines;
import org.mortydb.cli.ExitCode;
import org.mortydb.experiments.fixture.SampleReport;
import org.mortydb.experiments.fixture.TestRepository;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Definition.Step;
import org.mortydb.experiments.plan.DefinitionFile;
import org.mortydb.experiments.runs.PointRecord;
import org.mortydb.experiments.runs.RecordFolder;
import tools.jackson.databind.node.ObjectNode;

/** {@code morty report} in a checkout of its own. */
@Timeout(60)
final class ReportCommandTest {
  private static final String HOME = "morty.home";

  @TempDir Path checkout;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private String before = "";

  @BeforeEach
  void enter() throws IOException {
    before = System.getProperty(HOME, "");
    System.setProperty(HOME, checkout.toString());
    Files.createDirectories(checkout.resolve("paper/experiments"));
    Files.createDirectories(checkout.resolve("paper/records"));
    Files.writeString(
        checkout.resolve("paper/experiments/x.yaml"),
        "{name: x, title: X, points: {system: [morty, tapir], workload: retwis}}");
  }

  @AfterEach
  void leave() {
    if (before.isEmpty()) {
      System.clearProperty(HOME);
    } else {
      System.setProperty(HOME, before);
    }
  }

  private int report(String text, String... more) throws IOException {
    Path file = Files.writeString(checkout.resolve("text.md"), text);
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    String[] arguments = new String[more.length + 5];
    arguments[0] = "report";
    arguments[1] = "--text";
    arguments[2] = file.toString();
    arguments[3] = "--out";
    arguments[4] = checkout.resolve("report.html").toString();
    System.arraycopy(more, 0, arguments, 5, more.length);
    return CommandLines.run(out, err, arguments);
  }

  /** Records of the first points with a commit. */
  private void record(int count, String commit) {
    Definition definition = DefinitionFile.read(checkout.resolve("paper/experiments/x.yaml"));
    RecordFolder folder = new RecordFolder(checkout.resolve("paper/records/x"));
    for (Step step : definition.steps().subList(0, count)) {
      ObjectNode record =
          PointRecord.measured(definition, step, SampleReport.of(step.point(), 9, true), 1);
      ((ObjectNode) record.path("environment")).put("commit", commit).put("dirty", false);
      folder.write(step, record);
    }
  }

  @Test
  void theCheckFailsForMissingRunsAndOldRecords() throws Exception {
    String text = "# T\n\n{{table experiment=x columns=system,throughput}}\n";
    TestRepository repository = TestRepository.in(checkout);
    String commit = repository.commit("server/src/main/A.java");
    assertThat(report(text, "--check")).isEqualTo(ExitCode.VIOLATION);
    assertThat(err.toString()).startsWith("morty: text.md: line 3: ").contains("0 of 2 runs");
    assertThat(out.toString()).contains("0 of 1 placeholders replaced, 1 not measured");
    assertThat(report(text)).as("without --check").isEqualTo(ExitCode.OK);

    record(1, commit);
    assertThat(report(text, "--check")).isEqualTo(ExitCode.VIOLATION);
    assertThat(err.toString()).contains("1 of 2 runs");

    record(2, commit);
    assertThat(report(text, "--check", "--max-age", "0")).as("%s", err).isEqualTo(ExitCode.OK);
    assertThat(err.toString()).isEmpty();

    repository.commit("server/src/main/A.java");
    assertThat(report(text, "--check", "--max-age", "0")).isEqualTo(ExitCode.VIOLATION);
    assertThat(err.toString()).contains("x: commit " + commit.substring(0, 12), "(records: 2)");
    assertThat(report(text, "--check")).as("%s", err).isEqualTo(ExitCode.OK);
    assertThat(checkout.resolve("report.html")).content().contains(commit.substring(0, 12));
  }

  @Test
  void withoutARepositoryAgesAreUnknown() throws Exception {
    assertThat(report("# T\n", "--check")).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString())
        .contains("age of records", checkout + " is not a git repository", "clone");
    assertThat(report("# T\n")).isEqualTo(ExitCode.OK);
    TestRepository.in(checkout).commit("a");
    assertThat(GitRepository.ofCheckout().head()).hasSize(40);
    assertThat(report("# T\n", "--check")).as("nothing to measure").isEqualTo(ExitCode.OK);
  }

  @Test
  void theHelpIsFormatted() {
    assertThat(CommandLines.run(out, err, "report", "--help")).isEqualTo(ExitCode.OK);
    assertThat(out.toString().replaceAll("\\s+", " "))
        .contains("have 95 % confidence intervals", "commits (default: 50)")
        .doesNotContain("%n", "%%");
  }

  @Test
  void aNegativeAgeIsAMistake() throws Exception {
    assertThat(report("# T\n", "--check", "--max-age", "-1")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("--max-age must be 0 or more");
  }
}
