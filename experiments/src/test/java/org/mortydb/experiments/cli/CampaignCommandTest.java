package org.mortydb.experiments.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.CommandLines;
import org.mortydb.cli.ExitCode;
import org.mortydb.experiments.fixture.SampleWindows;
import org.mortydb.experiments.fixture.TestRepository;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.DefinitionFile;
import org.mortydb.experiments.plan.Way;
import org.mortydb.experiments.runs.RecordFolder;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A campaign of short runs in virtual time, in a checkout of its own. */
@Tag("slow")
@Timeout(120)
final class CampaignCommandTest {
  private static final String HOME = "morty.home";
  private static final String CALIBRATION = "paper/calibration/two-cores.json";
  private static final JsonMapper MAPPER = new JsonMapper();

  @TempDir Path checkout;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private String before = "";
  private TestRepository repository;
  private String commit = "";

  @BeforeEach
  void enter() throws Exception {
    before = System.getProperty(HOME, "");
    Path own = Path.of(before).toAbsolutePath();
    while (!Files.exists(own.resolve(CALIBRATION))) {
      own = own.getParent();
    }
    Files.createDirectories(checkout.resolve(CALIBRATION).getParent());
    Files.copy(own.resolve(CALIBRATION), checkout.resolve(CALIBRATION));
    System.setProperty(HOME, checkout.toString());
    Files.createDirectories(checkout.resolve("paper/experiments"));
    Files.createDirectories(checkout.resolve("paper/report"));
    for (String name : List.of("one", "two", "unseen")) {
      Files.writeString(
          checkout.resolve("paper/experiments/" + name + ".yaml"),
          """
          {name: %s, title: T, warmup: 0.1, seconds: 0.1, rounds: 2,
           points: {way: simulated, cores: 1, delayMillis: 5, clients: 4,
                    workload: {name: retwis, keys: 600}}}
          """
              .formatted(name));
    }
    Files.writeString(
        checkout.resolve("paper/report/report.md"),
        "{{table experiment=two columns=system}}\n{{table experiment=one columns=system}}\n");
    repository = TestRepository.in(checkout);
    repository.git("add", ".");
    commit = repository.commit("protocol/src/main/A.java");
  }

  @AfterEach
  void leave() {
    if (before.isEmpty()) {
      System.clearProperty(HOME);
    } else {
      System.setProperty(HOME, before);
    }
  }

  private int campaign(String... more) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return CommandLines.run(
        out, err, Stream.concat(Stream.of("campaign"), Stream.of(more)).toArray(String[]::new));
  }

  private List<Path> records(String experiment) throws IOException {
    Path folder = checkout.resolve("paper/records").resolve(experiment);
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  /** Lets all records be of the test's commit: this process has determined its own code before. */
  private void signRecords() throws IOException {
    for (String experiment : List.of("one", "two")) {
      for (Path file : records(experiment)) {
        ObjectNode record = (ObjectNode) MAPPER.readTree(file);
        ((ObjectNode) record.path("environment")).put("commit", commit).put("dirty", false);
        MAPPER.writeValue(file, record);
      }
    }
  }

  @Test
  void allRunsThatTheReportLacksAreMadeAndNoOthers() throws Exception {
    assertThat(campaign("--estimate")).as("%s%s", out, err).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).contains("4 runs, about", "two", "one").doesNotContain("unseen");
    assertThat(records("one")).isEmpty();

    assertThat(campaign()).as("%s%s", out, err).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).contains("4 runs measured, 0 failed", "morty report --check");
    assertThat(err.toString())
        .containsSubsequence("Experiment 1 of 2: two, 2 runs", "Experiment 2 of 2: one, 2 runs");
    assertThat(records("one")).hasSize(2);
    assertThat(records("two")).hasSize(2);
    assertThat(records("unseen")).isEmpty();

    signRecords();
    assertThat(campaign()).isEqualTo(ExitCode.OK);
    assertThat(err.toString()).contains("All records stand");
    Path standing = records("two").getFirst();
    String old = Files.readString(standing);
    Files.delete(records("one").getFirst());
    Path disturbed = records("one").getFirst();
    ObjectNode record = (ObjectNode) MAPPER.readTree(disturbed);
    ((ObjectNode) record.path("environment")).put("otherPrograms", 0.3);
    MAPPER.writeValue(disturbed, record);
    Path stray = Files.writeString(standing.resolveSibling("old.json"), "{}");
    assertThat(campaign("--jobs", "2")).as("%s%s", out, err).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).as("continues").contains("2 runs measured, 0 failed");
    assertThat(err.toString()).contains("delete it: " + stray).doesNotContain("two, 2 runs");
    assertThat(standing).hasContent(old);
    Files.delete(stray);

    signRecords();
    repository.commit("protocol/src/main/A.java");
    assertThat(campaign("--estimate")).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).as("one commit old").contains("All records stand");
    assertThat(campaign("--estimate", "--max-age", "0")).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).contains("4 runs, about");
  }

  @Test
  void mistakesAreExplained() throws Exception {
    assertThat(campaign("--experiments", "on")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("unknown experiment 'on': did you mean 'one'?");
    assertThat(campaign("--max-age", "-1")).isEqualTo(ExitCode.USAGE);
    Files.writeString(checkout.resolve("protocol/src/main/A.java"), "changed");
    assertThat(campaign()).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString()).contains("the code differs from the commit");
    assertThat(records("one")).isEmpty();
    repository.git("checkout", "-q", "--", ".");
    Files.move(checkout.resolve(".git"), checkout.resolve("git"));
    assertThat(campaign()).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString()).contains("run the campaign in a clone");
  }

  @Test
  void experimentsAreChosenAndWindowsAreOne() {
    assertThat(campaign("--estimate", "--experiments", "unseen,windows")).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).contains("unseen", "windows", "3 runs").doesNotContain("two");
  }

  /** A measured record with a violation is evidence: it is reported, and not measured again. */
  @Test
  void violationsInRecordsThatStandAreReported() throws Exception {
    assertThat(campaign()).as("%s%s", out, err).isEqualTo(ExitCode.OK);
    signRecords();
    Path violated = records("two").getFirst();
    ObjectNode record = (ObjectNode) MAPPER.readTree(violated);
    MAPPER.writeValue(violated, record.put("serializable", false));
    String evidence = Files.readString(violated);
    assertThat(campaign()).isEqualTo(ExitCode.VIOLATION);
    assertThat(err.toString())
        .contains("morty: a check found a violation: " + violated)
        .doesNotContain("All records stand");
    assertThat(campaign("--experiments", "one")).as("others").isEqualTo(ExitCode.OK);

    Files.delete(records("one").getFirst());
    assertThat(campaign()).as("with something to run").isEqualTo(ExitCode.VIOLATION);
    assertThat(out.toString()).contains("1 runs measured, 0 failed");
    assertThat(err.toString()).contains("a check found a violation: " + violated);
    assertThat(violated).hasContent(evidence);
  }

  /** Nobody has to start agents for points that have their records. */
  @Test
  void simulatedRunsAreMadeBesideDeployedOnesThatStand() throws Exception {
    assertThat(campaign("--experiments", "one")).as("%s%s", out, err).isEqualTo(ExitCode.OK);
    signRecords();
    ObjectNode record = (ObjectNode) MAPPER.readTree(records("one").getFirst());
    Path file = checkout.resolve("paper/experiments/both.yaml");
    Files.writeString(
        file,
        """
        {name: both, title: T, warmup: 0.1, seconds: 0.1, rounds: 1,
         points: {way: [deployed, simulated], delayMillis: 5, clients: 4,
                  workload: {name: retwis, keys: 600}}}
        """);
    RecordFolder folder = new RecordFolder(checkout.resolve("paper/records/both"));
    for (Definition.Step step : DefinitionFile.read(file).steps()) {
      if (step.point().way() == Way.DEPLOYED) {
        folder.write(step, record);
      }
    }
    repository.git("add", ".");
    commit = repository.commit("B.java");
    assertThat(campaign("--experiments", "both")).as("%s%s", out, err).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).contains("1 runs measured, 0 failed");
  }

  @Test
  void violationsOfWindowsAreReported() throws Exception {
    Path folder = Files.createDirectories(checkout.resolve("paper/records/windows"));
    Path file = folder.resolve("windows.json");
    ObjectNode record = SampleWindows.of(20, Map.of("morty", 1L, "tapir", 2L)).json();
    record.withObject("/environment").put("commit", commit);
    MAPPER.writeValue(file, record);
    assertThat(campaign("--experiments", "windows")).as("%s%s", out, err).isEqualTo(ExitCode.OK);
    assertThat(err.toString()).contains("All records stand");
    ((ObjectNode) record.path("systems").get(0)).put("serializable", false);
    MAPPER.writeValue(file, record);
    assertThat(campaign("--experiments", "windows")).isEqualTo(ExitCode.VIOLATION);
    assertThat(err.toString()).contains("a check found a violation: " + file);
  }

  @Test
  void growthIsMadeByItsOwnCommand() throws Exception {
    Files.writeString(
        checkout.resolve("paper/report/report.md"),
        "{{table experiment=one columns=system}} {{growth show=summary}}\n");
    Path folder = checkout.resolve("paper/records/growth");
    Path file = folder.resolve("growth.json");
    String command = "bin/morty growth --json " + file;
    assertThat(campaign("--estimate")).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).contains("2 runs, about", command);
    repository.git("add", ".");
    repository.git("commit", "-q", "-m", "report");
    assertThat(campaign()).as("the others run").isEqualTo(ExitCode.FAILED);
    assertThat(out.toString()).contains("2 runs measured, 0 failed");
    assertThat(err.toString()).contains("no record of growth that stands", command);
    signRecords();
    assertThat(campaign()).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString()).contains(command).doesNotContain("All records stand");
    assertThat(campaign("--experiments", "growth")).isEqualTo(ExitCode.FAILED);

    ObjectNode record = MAPPER.createObjectNode().put("experiment", "growth");
    record.put("serializable", true).put("lost", 0);
    record.withObject("/environment").put("commit", commit).put("dirty", false);
    Files.createDirectories(folder);
    MAPPER.writeValue(file, record);
    assertThat(campaign()).as("%s%s", out, err).isEqualTo(ExitCode.OK);
    assertThat(err.toString()).contains("All records stand");
    MAPPER.writeValue(file, record.put("lost", 2));
    assertThat(campaign()).isEqualTo(ExitCode.VIOLATION);
    assertThat(err.toString()).contains("a check found a violation: " + file);
    repository.commit("server/src/main/A.java");
    assertThat(campaign("--max-age", "0", "--experiments", "growth")).isEqualTo(ExitCode.VIOLATION);
    assertThat(err.toString()).as("too old").contains(command);
  }
}
