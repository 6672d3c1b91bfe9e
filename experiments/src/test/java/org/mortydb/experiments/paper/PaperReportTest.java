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
        .contains("Morty makes 740 transactions/s")
        .contains("7.40 times TAPIR's")
        .contains("at best 59 times")
        .contains("\n<figure><svg")
        .contains("<td>tapir</td>")
        .doesNotContain("<td>morty</td>")
        .contains("4 runs: 4 with a checked history (4,000 transactions")
        .contains("2 processors, amd64, Linux, Java 25, from 2026-11-21T10:00:00Z")
        .doesNotContain("{{");
    assertThat(report.places()).isEqualTo(7);
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
    assertThat(report.places()).isEqualTo(6);
    assertThat(report.missing()).isEqualTo(6);
    assertThat(report.html())
        .contains("<p>Figure A: <em class=\"missing\">not measured</em></p>")
        .contains("<p>The experiment: <em class=\"missing\">not measured</em></p>");
    assertThat(report("{{ratio experiment=x metric=p50 of=morty to=tapir clients=1}}", 1).missing())
        .isEqualTo(1);
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
            new Timeline(
                1_000, List.of(new Track("tapir", List.of(), List.of(List.of(1L, 200L))))));
    ObjectNode json = new JsonMapper().valueToTree(record);
    PaperReport report = PaperReport.of(text, Map.of(), new Results(List.of(json)));
    assertThat(report.missing()).isZero();
    assertThat(report.html())
        .contains("<figure><svg", "120.50 ms with\n48 clients", "k&lt;1")
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
}
