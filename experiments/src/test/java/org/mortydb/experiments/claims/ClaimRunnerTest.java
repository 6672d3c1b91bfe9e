package org.mortydb.experiments.claims;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.experiments.fixture.SampleReport;
import org.mortydb.experiments.fixture.SampleWindows;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Point;
import org.mortydb.experiments.plan.Way;
import org.mortydb.experiments.runs.Again;
import org.mortydb.experiments.runs.ExperimentRunner.Outcome;
import org.mortydb.experiments.runs.PointRunner;
import org.mortydb.experiments.windows.WindowsRecord;
import org.mortydb.workloads.load.Progress;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs with invented reports, their records, the verdicts, and the page. */
final class ClaimRunnerTest {
  private static final Machine MACHINE = new Machine(2, 16L << 30, 1L << 30, file -> true);

  @TempDir Path folder;

  private final Map<String, Double> throughput =
      new HashMap<>(Map.of("morty", 400.0, "tapir", 100.0, "occ", 300.0));

  private final List<String> run = new ArrayList<>();
  private boolean serializable = true;
  private int stopAt = Integer.MAX_VALUE;
  private int windowRuns;
  private String broken = "";
  private boolean lacksMemory;

  private static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  private final PointRunner runner =
      (point, progress) -> {
        if (run.size() == stopAt) {
          throw new Killed();
        }
        String system = point.system().name();
        run.add(system);
        if (system.equals(broken)) {
          throw new IllegalStateException("the server is on fire\n  its log");
        }
        return SampleReport.of(point, throughput.get(system), serializable);
      };

  private WindowsRecord windows(List<String> systems, double seconds, Progress progress) {
    windowRuns++;
    if (lacksMemory) {
      throw new OutOfMemoryError("Java heap space");
    }
    if (!broken.isEmpty()) {
      throw new IllegalStateException("no update of a key committed");
    }
    return SampleWindows.of(seconds, Map.of("morty", 1_000L, "tapir", 3_000L), serializable);
  }

  private Claim claim(String name, String other, int cores) throws IOException {
    Files.writeString(
        folder.resolve("sample.yaml"),
        """
        name: sample
        title: Sample
        rounds: 2
        points:
          - {system: [morty, tapir, occ], workload: retwis, clients: 4}
          - {system: [morty], workload: retwis, clients: 9}
        """);
    return read(
        name,
        """
        name: %s
        title: Morty over %s
        statement: Morty has 4 times the <throughput>.
        experiment: sample
        minutes: 1
        needs: {cores: %d, memoryGib: 1}
        where: {clients: 4}
        figures:
          - {name: Ratio, paper: 4, expect: about, tolerance: 0.25, direction: {above: 1},
             metric: throughput, of: {system: morty}, to: {system: %s}}
        """
            .formatted(name, other, cores, other));
  }

  private Claim windowsClaim(double seconds) throws IOException {
    return read(
        "short",
        """
        name: short
        title: Windows
        statement: Short.
        windows: {seconds: %s}
        minutes: 1
        needs: {cores: 1, memoryGib: 1}
        figures:
          - {name: A, paper: 1, expect: at-most, tolerance: 0, metric: serialization,
             of: {system: morty}, to: {system: tapir}}
        """
            .formatted(seconds));
  }

  private Claim read(String name, String text) throws IOException {
    Path claims = Files.createDirectories(folder.resolve("claims"));
    return ClaimFile.read(Files.writeString(claims.resolve(name + ".yaml"), text), folder);
  }

  private ClaimRecords records() {
    return new ClaimRecords(folder.resolve("out"));
  }

  private List<String> run(Claim claim) throws InterruptedException {
    return make(claim).failures();
  }

  private Outcome again(Claim claim, Predicate<JsonNode> stands) throws InterruptedException {
    return new ClaimRunner(records(), Map.of(Way.REAL, runner), this::windows, Progress.NONE)
        .withStanding(stands)
        .run(claim);
  }

  private Outcome make(Claim claim) throws InterruptedException {
    return new ClaimRunner(records(), Map.of(Way.REAL, runner), this::windows, Progress.NONE)
        .run(claim);
  }

  private Judgement judge(Claim claim) {
    return new Judge(records(), MACHINE).judge(claim);
  }

  @Test
  void theVerdictFollowsFromTheRecords() throws Exception {
    Claim tapir = claim("over-tapir", "tapir", 2);
    Claim occ = claim("over-occ", "occ", 2);
    assertThat(judge(tapir).verdict()).isEqualTo(Verdict.NOT_RUN);
    assertThat(judge(tapir).reason())
        .isEqualTo("no records yet; run morty reproduce --claim over-tapir");

    assertThat(run(tapir)).isEmpty();
    assertThat(run).hasSize(4).containsOnly("morty", "tapir");
    assertThat(judge(tapir).verdict()).isEqualTo(Verdict.REPRODUCED);
    assertThat(judge(tapir).reason()).isEqualTo("Ratio: 4 here, 3 to 5 expected");
    assertThat(judge(tapir).environment()).contains("2 processors", "4 runs");
    assertThat(judge(occ).reason())
        .isEqualTo("2 of 4 runs are recorded; run morty reproduce --claim over-occ to continue");

    run.clear();
    run(occ);
    assertThat(run).as("Morty's records serve both claims").containsExactly("occ", "occ");
    assertThat(judge(occ).verdict()).isEqualTo(Verdict.DIRECTION_ONLY);
    assertThat(judge(occ).reason())
        .isEqualTo("Ratio: 1.333 here, 3 to 5 expected; but above 1, as in the paper");

    throughput.put("occ", 500.0);
    again(occ, record -> false);
    assertThat(judge(occ).verdict()).isEqualTo(Verdict.REFUTED);
    assertThat(judge(occ).reason())
        .isEqualTo("Ratio: 0.8 here, 3 to 5 expected, and it is not above 1");
  }

  @Test
  void aKilledRunContinues() throws Exception {
    Claim claim = claim("over-tapir", "tapir", 2);
    stopAt = 3;
    try {
      run(claim);
    } catch (Killed e) {
      // As by a signal: no record of the fourth run.
    }
    assertThat(judge(claim).verdict()).isEqualTo(Verdict.NOT_RUN);
    assertThat(judge(claim).reason()).startsWith("3 of 4 runs are recorded");
    stopAt = Integer.MAX_VALUE;
    run.clear();
    run(claim);
    assertThat(run).hasSize(1);
    assertThat(judge(claim).verdict()).isEqualTo(Verdict.REPRODUCED);
  }

  @Test
  void aRecordThatWasCutShortIsSetAsideAndRunsAgain() throws Exception {
    Claim claim = claim("over-tapir", "tapir", 2);
    run(claim);
    Path cut;
    try (Stream<Path> files = Files.list(folder.resolve("out/sample"))) {
      cut = files.findFirst().orElseThrow();
    }
    Files.writeString(cut, "{\"experiment\": ");
    assertThat(records().setAsideDamaged(claim)).containsExactly(cut);
    assertThat(cut.resolveSibling(cut.getFileName() + ".damaged")).exists();
    assertThat(judge(claim).verdict()).isEqualTo(Verdict.NOT_RUN);
    run.clear();
    run(claim);
    assertThat(run).hasSize(1);
    assertThat(records().setAsideDamaged(claim)).isEmpty();
    assertThat(judge(claim).verdict()).isEqualTo(Verdict.REPRODUCED);
  }

  @Test
  void aFailedRunIsTheReasonForNoVerdict() throws Exception {
    Claim claim = claim("over-tapir", "tapir", 2);
    broken = "tapir";
    assertThat(run(claim)).hasSize(2).first().asString().contains("the server is on fire");
    assertThat(judge(claim).verdict()).isEqualTo(Verdict.NOT_RUN);
    assertThat(judge(claim).reason()).isEqualTo("a run failed: the server is on fire");
    broken = "";
    run(claim);
    assertThat(judge(claim).verdict()).isEqualTo(Verdict.REPRODUCED);
  }

  @Test
  void figuresOfAHistoryThatIsNotSerializableMeanNothing() throws Exception {
    Claim claim = claim("over-tapir", "tapir", 2);
    serializable = false;
    run(claim);
    Judgement judgement = judge(claim);
    assertThat(judgement.verdict()).isEqualTo(Verdict.REFUTED);
    assertThat(judgement.reason()).startsWith("a check found a violation");
    assertThat(judgement.violations()).hasSize(4);
  }

  @Test
  void aFailedRunHidesNoViolation() throws Exception {
    Claim claim = claim("over-tapir", "tapir", 2);
    serializable = false;
    broken = "tapir";
    Outcome outcome = make(claim);
    assertThat(outcome.failures()).hasSize(2);
    assertThat(outcome.violations()).hasSize(2).allMatch(text -> text.contains("morty"));
    Judgement judgement = judge(claim);
    assertThat(judgement.verdict()).isEqualTo(Verdict.REFUTED);
    assertThat(judgement.reason()).startsWith("a check found a violation");
    assertThat(judgement.violations()).hasSize(2);
    assertThat(judgement.figures())
        .extracting(Judgement.JudgedFigure::verdict)
        .containsExactly(Verdict.NOT_RUN);
  }

  @Test
  void aMissingRunHidesNoViolation() throws Exception {
    Claim claim = claim("over-tapir", "tapir", 2);
    serializable = false;
    stopAt = 1;
    try {
      run(claim);
    } catch (Killed e) {
      // As by a signal: one of four runs has a record.
    }
    assertThat(judge(claim).verdict()).isEqualTo(Verdict.REFUTED);
    assertThat(judge(claim).violations()).hasSize(1);
    stopAt = Integer.MAX_VALUE;
    serializable = true;
    assertThat(make(claim).violations()).as("found before").hasSize(1);
  }

  @Test
  void violationsOfWindowsAreHandedOn() throws Exception {
    Claim claim = windowsClaim(2);
    assertThat(make(claim).violations()).isEmpty();
    Claim longer = windowsClaim(3);
    serializable = false;
    assertThat(make(longer).violations()).containsExactly("windows of morty", "windows of tapir");
    assertThat(make(longer).violations()).as("found before").hasSize(2);
    assertThat(judge(longer).verdict()).isEqualTo(Verdict.REFUTED);
  }

  @Test
  void aRefutedFigureOutranksOneThatWasNotRun() throws Exception {
    claim("over-tapir", "tapir", 2); // writes the experiment
    Claim claim =
        read(
            "both",
            """
            name: both
            title: Both
            statement: One is wrong, and one is missing.
            experiment: sample
            minutes: 1
            needs: {cores: 1, memoryGib: 1}
            where: {clients: 4}
            figures:
              - {name: Missing, paper: 1, expect: about, tolerance: 0.1, metric: readP50,
                 of: {system: occ}}
              - {name: Wrong, paper: 900, expect: about, tolerance: 0.1, metric: throughput,
                 of: {system: occ}}
            """);
    run(claim);
    Judgement judgement = judge(claim);
    assertThat(judgement.verdict()).isEqualTo(Verdict.REFUTED);
    assertThat(judgement.reason()).startsWith("Wrong: ");
    assertThat(judgement.figures())
        .extracting(Judgement.JudgedFigure::verdict)
        .containsExactly(Verdict.NOT_RUN, Verdict.REFUTED);
  }

  /** The other round alone is not what the claim is about. */
  @Test
  void aFigureThatLacksARoundIsNotRun() throws Exception {
    claim("over-tapir", "tapir", 2); // writes the experiment
    Claim claim =
        read(
            "latency",
            """
            name: latency
            title: Latency
            statement: Morty is fast.
            experiment: sample
            minutes: 1
            needs: {cores: 1, memoryGib: 1}
            where: {clients: 4}
            figures:
              - {name: Median, paper: 2, expect: at-most, tolerance: 0.1, metric: p50,
                 of: {system: tapir}}
              - {name: Least, paper: 2, expect: at-most, tolerance: 0.1, metric: p50,
                 of: {workload: retwis}, best: min}
            """);
    run(claim);
    assertThat(judge(claim).verdict()).isEqualTo(Verdict.REPRODUCED);
    throughput.put("tapir", 0.0);
    Path one;
    try (Stream<Path> files = Files.list(folder.resolve("out/sample"))) {
      one = files.filter(file -> file.toString().contains("tapir")).findFirst().orElseThrow();
    }
    Files.delete(one);
    run(claim);
    assertThat(judge(claim).verdict()).isEqualTo(Verdict.NOT_RUN);
    assertThat(judge(claim).reason()).isEqualTo("Median: not every run has a value of p50");
    assertThat(judge(claim).figures())
        .extracting(Judgement.JudgedFigure::verdict)
        .containsOnly(Verdict.NOT_RUN);
  }

  @Test
  void aClaimThatNeedsMoreThanThisMachineHasIsNotRun() throws Exception {
    run(claim("over-tapir", "tapir", 2));
    Judgement judgement = judge(claim("large", "tapir", 64));
    assertThat(judgement.verdict()).isEqualTo(Verdict.NOT_RUN);
    assertThat(judgement.reason()).isEqualTo("needs 64 cores, this machine has 2");
  }

  /** A process with a larger heap may have made the runs. */
  @Test
  void aSmallHeapKeepsClaimsFromRunningAndNotFromAVerdict() throws Exception {
    claim("over-tapir", "tapir", 2); // writes the experiment
    Claim claim =
        read(
            "heap",
            """
            name: heap
            title: Heap
            statement: Large.
            experiment: sample
            minutes: 1
            needs: {cores: 1, memoryGib: 1, heapGib: 2}
            where: {clients: 4}
            figures:
              - {name: A, paper: 400, expect: about, tolerance: 0, metric: throughput,
                 of: {system: morty}}
            """);
    assertThat(judge(claim).verdict()).isEqualTo(Verdict.NOT_RUN);
    assertThat(judge(claim).reason())
        .isEqualTo("needs a heap of 2 GiB, this process has 1; set MORTY_JAVA_OPTS=-Xmx2g");
    run(claim);
    assertThat(judge(claim).verdict()).isEqualTo(Verdict.REPRODUCED);
  }

  @Test
  void theBestPointCountsAndTheWorstFigureDecides() throws Exception {
    claim("over-tapir", "tapir", 2); // writes the experiment
    Claim claim =
        read(
            "extremes",
            """
            name: extremes
            title: Extremes
            statement: The best is far from the worst.
            experiment: sample
            minutes: 1
            needs: {cores: 1, memoryGib: 1}
            where: {clients: 4}
            figures:
              - {name: Least, paper: 100, expect: about, tolerance: 0.1, metric: throughput,
                 of: {workload: retwis}, best: min}
              - {name: Wrong, paper: 900, expect: about, tolerance: 0.1, metric: throughput,
                 of: {system: occ}}
              - {name: Most, paper: 400, expect: about, tolerance: 0.1, metric: throughput,
                 of: {workload: retwis}, best: max}
            """);
    run(claim);
    Judgement judgement = judge(claim);
    assertThat(judgement.figures())
        .extracting(figure -> Objects.requireNonNull(figure.here()).mean())
        .containsExactly(100.0, 300.0, 400.0);
    assertThat(judgement.verdict()).isEqualTo(Verdict.REFUTED);
    assertThat(judgement.reason()).startsWith("Wrong: 300 transactions/s here");
  }

  @Test
  void windowsAreMeasuredOncePerLength() throws Exception {
    Claim claim = windowsClaim(2);
    assertThat(judge(claim).verdict()).isEqualTo(Verdict.NOT_RUN);
    run(claim);
    run(claim);
    assertThat(windowRuns).isEqualTo(1);
    assertThat(judge(claim).verdict()).isEqualTo(Verdict.REPRODUCED);
    assertThat(judge(claim).reason()).isEqualTo("A: 0.333 here, at most 1 expected");
    Claim longer = windowsClaim(3);
    assertThat(judge(longer).verdict()).isEqualTo(Verdict.NOT_RUN);
    broken = "all";
    assertThat(run(longer)).containsExactly("windows: no update of a key committed");
    lacksMemory = true;
    assertThat(run(longer)).singleElement().asString().contains("MORTY_JAVA_OPTS=-Xmx");
    lacksMemory = false;
    broken = "";
    run(longer);
    assertThat(judge(longer).verdict()).isEqualTo(Verdict.REPRODUCED);
  }

  private Again mark(String now, Claim... claims) {
    return Again.begin(
        folder.resolve("out"),
        Stream.of(claims).map(Claim::name).toList(),
        Clock.fixed(Instant.parse(now), ZoneOffset.UTC));
  }

  private static JsonNode madeAt(String time) {
    return new JsonMapper().readTree("{\"environment\": {\"time\": \"" + time + "\"}}");
  }

  @Test
  void aSecondStartOfAgainGoesOnUntilAllIsMade() throws Exception {
    Claim tapir = claim("over-tapir", "tapir", 2);
    Claim occ = claim("over-occ", "occ", 2);
    Again first = mark("2026-11-29T07:00:00.5Z", tapir, occ);
    assertThat(first.continues()).isFalse();
    assertThat(first.stands(madeAt("2026-11-29T07:00:00Z"))).as("in the same second").isFalse();
    assertThat(first.stands(madeAt("2026-11-29T07:00:01Z"))).isTrue();
    assertThat(first.stands(madeAt("yesterday"))).isFalse();
    Again second = mark("2026-11-29T08:00:00Z", occ, tapir);
    assertThat(second.continues()).isTrue();
    assertThat(second.since()).isEqualTo(first.since());
    second.end();
    assertThat(second.file()).doesNotExist();
    Again third = mark("2026-11-29T09:00:00Z", tapir, occ);
    assertThat(third.stands(madeAt("2026-11-29T08:59:00Z"))).isFalse();
    assertThat(mark("2026-11-29T10:00:00Z", occ).continues()).as("of other claims").isFalse();
    Files.writeString(third.file(), "{");
    assertThat(mark("2026-11-29T11:00:00Z", occ).continues()).as("cut short").isFalse();
  }

  @Test
  void againReplacesRecordsOneByOneAndKeepsThoseOfFailedRuns() throws Exception {
    Claim claim = claim("over-tapir", "tapir", 2);
    run(claim);
    throughput.put("morty", 800.0);
    throughput.put("tapir", 200.0);
    run.clear();
    stopAt = 1;
    try {
      again(claim, record -> false);
    } catch (Killed e) {
      // As by a signal: three records are those of before.
    }
    assertThat(judge(claim).verdict()).as("no record is missing").isNotEqualTo(Verdict.NOT_RUN);
    stopAt = Integer.MAX_VALUE;
    run.clear();
    broken = "tapir";
    Outcome outcome = again(claim, record -> record.path("committedPerSecond").asDouble() > 400);
    assertThat(outcome.skipped() + run.size()).isEqualTo(4);
    assertThat(outcome.failures()).hasSize(2).allMatch(text -> text.contains("record is kept"));
    assertThat(judge(claim).reason()).startsWith("Ratio: 8 here");
  }

  @Test
  void windowsAreMeasuredAgain() throws Exception {
    Claim claim = windowsClaim(2);
    run(claim);
    again(claim, record -> record.path("environment").path("time").isString());
    assertThat(windowRuns).isEqualTo(1);
    again(claim, record -> false);
    assertThat(windowRuns).isEqualTo(2);
  }

  @Test
  void thePageHasTheNumbersSideBySide() throws Exception {
    Claim tapir = claim("over-tapir", "tapir", 2);
    run(tapir);
    List<Judgement> all = List.of(judge(tapir), judge(claim("over-occ", "occ", 2)));
    Path page = folder.resolve("out/page.html");
    ClaimPage.write(page, all);
    assertThat(page)
        .content()
        .contains("2 claims: 1 reproduced, 1 not run here")
        .contains("Morty has 4 times the &lt;throughput&gt;.")
        .contains("<td class=\"number\">4</td><td>3 to 5; direction: above 1</td>")
        .contains("<td class=\"missing\">not measured</td>")
        .contains("2 of 4 runs are recorded")
        .contains("reproduce --again --claim over-tapir");
    assertThat(ClaimPage.text(all))
        .contains("over-tapir: reproduced\n", "over-occ: not run here\n", "3 to 5");
    ReproduceResult result = ReproduceResult.of(all);
    assertThat(result.claims())
        .extracting(ReproduceResult.JudgedClaim::verdict)
        .containsExactly("reproduced", "not-run-here");
    assertThat(result.claims().getFirst().figures())
        .singleElement()
        .satisfies(
            figure -> {
              assertThat(figure.here()).isEqualTo(4.0);
              assertThat(figure.least()).isEqualTo(3.0);
              assertThat(figure.unit()).isEmpty();
            });
  }

  @Test
  void aQuickCheckInVirtualTimeHasFewClientsAndKeys() throws Exception {
    Files.writeString(
        folder.resolve("large.yaml"),
        """
        name: large
        title: Large
        points: {workload: retwis, way: simulated, cores: 20, clients: 7680}
        """);
    Claim claim =
        read(
            "far",
            """
            name: far
            title: Far
            statement: Far.
            experiment: large
            minutes: 1
            needs: {cores: 1, memoryGib: 1}
            figures:
              - {name: A, paper: 1, expect: at-least, tolerance: 0, metric: throughput,
                 of: {system: morty}}
            """);
    assertThat(QuickCheck.chosen(List.of(claim)).getFirst().points())
        .singleElement()
        .satisfies(
            point -> {
              assertThat(point.clients()).isEqualTo(192);
              assertThat(point.workload().options()).containsEntry("keys", 2_000);
              assertThat(point.seconds()).isLessThan(1);
            });
  }

  @Test
  void aQuickCheckTriesEachKindOfRunOnce() throws Exception {
    List<Claim> claims =
        List.of(claim("over-tapir", "tapir", 2), claim("over-occ", "occ", 2), windowsClaim(20));
    List<Definition> chosen = QuickCheck.chosen(claims);
    assertThat(chosen).singleElement().extracting(Definition::rounds).isEqualTo(1);
    assertThat(chosen.getFirst().points())
        .allSatisfy(point -> assertThat(point.seconds()).isEqualTo(1))
        .extracting(Point::clients)
        .containsExactly(4, 4, 4);
    QuickCheck quick =
        new QuickCheck(
            folder.resolve("out"), Map.of(Way.REAL, runner), this::windows, Progress.NONE);
    List<QuickCheck.Tried> tried = quick.run(claims);
    assertThat(tried)
        .extracting(QuickCheck.Tried::kind)
        .containsExactlyInAnyOrder(
            "real, processes, retwis, morty",
            "real, processes, retwis, tapir",
            "real, processes, retwis, occ",
            "windows, retwis, morty",
            "windows, retwis, tapir");
    assertThat(tried).extracting(QuickCheck.Tried::words).containsOnly("works");
    assertThat(judge(claims.getFirst()).verdict())
        .as("quick records are no evidence")
        .isEqualTo(Verdict.NOT_RUN);
    broken = "tapir";
    assertThat(quick.run(claims))
        .extracting(QuickCheck.Tried::words)
        .contains("failed: the server is on fire", "failed: no update of a key committed");
    assertThat(ClaimPage.quickHtml(tried, List.of("large: needs 64 cores"), "All work."))
        .contains("All work.", "quick: numbers are not evidence", "large: needs 64 cores", "works");
    assertThat(ClaimPage.quickText(tried)).contains("real, processes, retwis, occ");
  }
}
