package org.mortydb.experiments.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.experiments.figure.Results;
import org.mortydb.experiments.fixture.SampleReport;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Definition.Step;
import org.mortydb.experiments.plan.DefinitionFile;
import org.mortydb.experiments.runs.PointRecord;
import org.mortydb.experiments.windows.WindowsRecord;
import org.mortydb.experiments.windows.WindowsRecord.Lengths;
import org.mortydb.experiments.windows.WindowsRecord.SystemWindows;
import org.mortydb.experiments.windows.WindowsRecord.Timeline;
import org.mortydb.experiments.windows.WindowsRecord.Track;
import org.mortydb.workloads.load.Percentiles;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

final class PaperReportTest {
  private static final Definition DEFINITION =
      DefinitionFile.parse(
          "x.yaml",
          """
          name: x
          title: The experiment
          points: {system: [morty, tapir], workload: retwis, clients: [1, 8]}
          figures: [{name: a, title: Figure A, x: clients, y: throughput}]
          """);

  private static final String CITED = "<sup class=\"source\"><a href=\"#source-1\">1</a></sup>";

  private static PaperReport report(String text, int recorded) {
    List<ObjectNode> records = new ArrayList<>();
    for (Step step : DEFINITION.steps().subList(0, recorded)) {
      double rate =
          step.point().system().name().equals("morty") ? 740 * step.point().clients() : 100;
      records.add(
          PointRecord.measured(DEFINITION, step, SampleReport.of(step.point(), rate, true), 1));
    }
    return PaperReport.of(text, Map.of("x", DEFINITION), new Results(records));
  }

  @Test
  void placesAreFilled() {
    PaperReport report =
        report(
            """
            # The *report*

            Morty makes {{value experiment=x metric=throughput system=morty clients=1}},
            {{ratio experiment=x metric=throughput of=morty to=tapir clients=1}} times TAPIR's;
            at best {{ratio experiment=x metric=throughput of=morty to=tapir best=max}} times.

            {{figure experiment=x name=a}}

            {{table experiment=x columns=system,throughput system="tapir"}}

            {{checks}} on {{environment experiment=x}}.
            """,
            4);
    assertThat(report.html())
        .startsWith("<!DOCTYPE html>")
        .contains("<title>The report</title>")
        .contains("Morty makes 740 transactions/s <small>(one round)</small>" + CITED)
        .contains("7.40 <small>(one round)</small>" + CITED + " times TAPIR's")
        .contains("at best 59 <small>(one round)</small>" + CITED + " times")
        .contains("\n<figure><svg")
        .contains("One round, so there are no confidence intervals; commit 0123456789ab." + CITED)
        .contains("<li id=\"source-1\"><code>x</code>: 4 records in one round; 2 processors")
        .contains("<td>tapir</td>")
        .doesNotContain("<td>morty</td>")
        .contains("4 runs: 4 with a checked history (4,000 transactions")
        .contains("2 processors, amd64, Linux, Java 25, at 2026-11-21T10:00:00Z")
        .doesNotContain("{{");
    assertThat(report.places()).extracting(Place::line).containsExactly(3, 4, 5, 7, 9, 11, 11);
    assertThat(report.places()).allMatch(Place::isComplete);
    assertThat(report.missing()).isZero();
  }

  @Test
  void whatHasNoRecordIsSaidToBeNotMeasured() {
    PaperReport report =
        report(
            """
            {{value experiment=x metric=p50 system=tapir clients=8}},
            {{ratio experiment=x metric=p50 of=morty to=tapir clients=8}}

            {{figure experiment=x name=a}}

            {{table experiment=x columns=throughput}}

            {{checks experiment=x}}, {{environment experiment=x}}
            """,
            0);
    assertThat(report.places()).hasSize(6).noneMatch(Place::isComplete);
    assertThat(report.missing()).isEqualTo(6);
    assertThat(report.html())
        .contains("<p>Figure A: <em class=\"missing\">not measured</em></p>")
        .contains("<p>The experiment: <em class=\"missing\">not measured</em></p>");
    assertThat(report("{{ratio experiment=x metric=p50 of=morty to=tapir clients=1}}", 1).missing())
        .isEqualTo(1);
  }

  /** A record of a point in a round. */
  private static ObjectNode record(Definition definition, Step step, String commit, double rate) {
    ObjectNode record =
        PointRecord.measured(definition, step, SampleReport.of(step.point(), rate, true), 1);
    ((ObjectNode) record.path("environment")).put("commit", commit);
    return record;
  }

  @Test
  void severalRoundsHaveIntervalsAndTheirCommits() {
    Definition three =
        DefinitionFile.parse(
            "x.yaml",
            """
            name: x
            title: The experiment
            rounds: 3
            points: {system: [morty, tapir], workload: retwis, clients: 1}
            figures: [{name: a, title: Figure A, x: clients, y: throughput}]
            """);
    String text =
        """
        {{value experiment=x metric=throughput system=morty}},
        {{ratio experiment=x metric=throughput of=morty to=tapir}}

        {{figure experiment=x name=a}}

        {{table experiment=x columns=system,throughput}}
        """;
    List<ObjectNode> records = new ArrayList<>();
    for (Step step : three.steps()) {
      boolean morty = step.point().system().name().equals("morty");
      records.add(
          record(
              three,
              step,
              (step.round() == 3 ? "b" : "a").repeat(40),
              (morty ? 1_000 : 100) + 10 * step.round()));
    }
    PaperReport report = PaperReport.of(text, Map.of("x", three), new Results(records));
    assertThat(report.html())
        .contains("1,020 ± 25 transactions/s" + CITED, "8.50 ± 1.55" + CITED)
        .contains("Error bars are 95 % confidence intervals over 3 rounds; differing code:")
        .contains("commit aaaaaaaaaaaa (rounds 1, 2), commit bbbbbbbbbbbb (round 3).")
        .contains("<td class=\"number\">1,020 ± 25</td>")
        .contains("<code>x</code>: 6 records in 3 rounds; 2 processors")
        .doesNotContain("one round");
    assertThat(report.places()).allMatch(Place::isComplete);

    records.removeIf(
        one -> one.path("round").asInt() > 1 && one.path("system").asString().equals("tapir"));
    PaperReport lacking = PaperReport.of(text, Map.of("x", three), new Results(records));
    assertThat(lacking.html())
        .contains("over 1 to 3 rounds; hollow marks and bars without one have one round")
        .contains("over 1 to 3 rounds; values without it have one round");
    assertThat(lacking.missing()).isZero();
    assertThat(lacking.places()).extracting(Place::wantedRuns).containsExactly(3, 6, 6, 6);
    assertThat(lacking.places()).extracting(Place::foundRuns).containsExactly(3, 4, 4, 4);
  }

  @Test
  void aTableWithAHoleIsNotMeasured() {
    String table = "{{table experiment=x columns=system,throughput,longestPause}}";
    PaperReport report = report(table, 4);
    assertThat(report.html()).contains("<td class=\"missing\">not measured</td>");
    assertThat(report.missing()).isEqualTo(1);
    assertThat(report("{{table experiment=x columns=system,throughput}}", 4).missing()).isZero();
  }

  @Test
  void windowsComeFromTheirOwnRecord() {
    String text =
        """
        {{windows show=picture}}

        {{windows show=table}}

        {{windows show=median window=serialization system=tapir}} with
        {{windows show=setting name=clients}} clients
        """;
    assertThat(report(text, 4).missing()).isEqualTo(4);
    Percentiles none = new Percentiles(0, 0, 0, 0, 0, 0);
    Lengths lengths =
        new Lengths(3, 1.5, 4, 1, 0.25, new Percentiles(120_500, 0, 0, 0, 0, 0), none, none);
    WindowsRecord record =
        new WindowsRecord(
            WindowsRecord.EXPERIMENT,
            Map.of("clients", 48),
            "k<1",
            List.of(new SystemWindows("tapir", 10, 0.5, true, lengths, lengths, 2, 0, 0, 0)),
            new Timeline(1_000, List.of(new Track("tapir", List.of(), List.of(List.of(1L, 200L))))),
            null);
    ObjectNode json = new JsonMapper().valueToTree(record);
    PaperReport report = PaperReport.of(text, Map.of(), new Results(List.of(json)));
    assertThat(report.missing()).isZero();
    assertThat(report.html())
        .contains("<figure><svg", "120.50 ms" + CITED + " with\n48 clients", "k&lt;1")
        .contains("One run in virtual time; commit not recorded.")
        .doesNotContain("k<1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{{picture experiment=x}} | figure, table, value",
        "{{figure experiment=y name=a}} | experiment 'y'; the experiments are [x]",
        "{{figure experiment=x name=b}} | x has no figure 'b'",
        "{{figure experiment=x}} | lacks name=...",
        "{{value experiment=x metric=p51}} | 'p51'",
        "{{value experiment=x metric=p50 colour=1}} | 'colour' is not a coordinate of x",
        "{{value experiment=x metric=p50 system=morty}} | 2 points have these coordinates",
        "{{value experiment=x metric=p50 best=any}} | best must be max or min",
        "{{value experiment=x metric p50}} | name=value at 'metric p50'",
        "{{table experiment=x columns=colour}} | 'colour' is neither",
        "{{windows show=all}} | show must be picture, table, setting or median, not all",
      })
  void aPlaceThatAsksForWhatCannotBeIsNamed(String text, String message) {
    assertThatThrownBy(() -> report(text, 4))
        .isInstanceOf(InvalidTextException.class)
        .hasMessageStartingWith(text.strip())
        .hasMessageContaining(message);
  }

  @Test
  void windowsAndGrowthCountAsExperiments() {
    assertThat(
            PaperReport.experiments(
                "{{growth show=table}} {{windows show=table}} {{growth show=summary}}"
                    + " {{table experiment=x columns=system}} {{checks}}"))
        .containsExactly("growth", "windows", "x");
  }
}
