package org.mortydb.experiments.figure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.mortydb.baselines.systems.Occ;
import org.mortydb.experiments.fixture.SampleReport;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Definition.Step;
import org.mortydb.experiments.plan.DefinitionFile;
import org.mortydb.experiments.plan.FigureSpec;
import org.mortydb.experiments.plan.Point;
import org.mortydb.experiments.runs.PointRecord;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;
import tools.jackson.databind.node.ObjectNode;

final class FiguresTest {
  private static final Definition DEFINITION =
      DefinitionFile.parse(
          "x.yaml",
          """
          name: x
          title: X
          rounds: 2
          points: {system: [morty, occ], workload: {name: retwis, zipf: [0, 0.9]}, clients: [1, 8]}
          figures:
            - {name: a, title: A, x: clients, y: throughput, panel: zipf, logX: true}
            - {name: b, title: B, x: throughput, y: p50, along: clients, where: {zipf: 0.9}}
            - {name: c, title: C, x: workload, y: commitRate, where: {zipf: 0, clients: 1}}
          """);

  private static final Pattern LINE =
      Pattern.compile("x1=\"([^\"]+)\" x2=\"([^\"]+)\" y1=\"([^\"]+)\" y2=\"([^\"]+)\"");

  /** Morty makes 100 by client and round, the other a quarter of it. */
  private static List<ObjectNode> records() {
    List<ObjectNode> records = new ArrayList<>();
    for (Step step : DEFINITION.steps()) {
      double rate =
          100.0
              * step.point().clients()
              * step.round()
              / (step.point().system().name().equals("morty") ? 1 : 4);
      records.add(
          PointRecord.measured(DEFINITION, step, SampleReport.of(step.point(), rate, true), 1));
    }
    return records;
  }

  private static List<Picture> draw(int figure, List<ObjectNode> records) {
    return Figures.draw("x", DEFINITION.figures().get(figure), new Results(records).of(DEFINITION));
  }

  private static Document parsed(Picture picture) throws Exception {
    return DocumentBuilderFactory.newDefaultInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(picture.svg())));
  }

  @Test
  void aPanelHasAPictureForEachOfItsValues() throws Exception {
    List<Picture> pictures = draw(0, records());
    assertThat(pictures).extracting(Picture::name).containsExactly("a-0", "a-0.9");
    Document svg = parsed(pictures.getFirst());
    assertThat(svg.getDocumentElement().getTagName()).isEqualTo("svg");
    assertThat(svg.getDocumentElement().getTextContent())
        .contains("A: zipf 0", "clients", "committed (transactions/s)", "morty", "occ");
  }

  /** Percentiles of no transactions are written as 0. */
  @Test
  void aRunThatCommitsNothingHasNoLatency() {
    List<ObjectNode> records = records();
    for (ObjectNode record : records) {
      if (record.get("round").asInt() == 1) {
        record.put("committedPerSecond", 0.0).put("reexecutionsPerCommit", 0.0);
        ((ObjectNode) record.get("latencyMicros")).put("p50", 0);
        ((ObjectNode) record.get("commitLatencyMicros")).put("p50", 0);
      }
    }
    Measured point = new Results(records).of(DEFINITION).getFirst();
    assertThat(point.metric(RunMetric.THROUGHPUT).orElseThrow().rounds()).isEqualTo(2);
    for (RunMetric metric : List.of(RunMetric.P50, RunMetric.COMMIT_P50, RunMetric.REEXECUTIONS)) {
      Statistic value = point.metric(metric).orElseThrow();
      assertThat(value.rounds()).as(metric.key()).isEqualTo(1);
      assertThat(value.mean()).as(metric.key()).isPositive();
    }
    ObjectNode types = records.getLast().putObject("transactions").putObject("get timeline");
    types.put("committedPerSecond", 0.0).putObject("latencyMicros").put("p50", 0);
    assertThat(RunMetric.READ_P50.in(records.getLast())).isEmpty();
    types.put("committedPerSecond", 1.0);
    assertThat(RunMetric.READ_P50.in(records.getLast())).hasValue(0);
  }

  @Test
  void picturesOfOneDocumentShareNoIds() throws Exception {
    List<Picture> pictures = draw(0, records());
    for (Picture picture : pictures) {
      String begin = "x-" + picture.name().replace('.', '-') + "-";
      assertThat(picture.svg().lines().filter(line -> line.contains(" id=\"")))
          .isNotEmpty()
          .allMatch(line -> line.contains(" id=\"" + begin));
    }
  }

  @Test
  void metricsCanBeOnBothAxes() throws Exception {
    Picture picture = draw(1, records()).getFirst();
    assertThat(parsed(picture).getDocumentElement().getTextContent())
        .contains("committed (transactions/s)", "p50 (ms)");
  }

  @Test
  void namesAlongAnAxisMakeBars() throws Exception {
    Picture picture = draw(2, records()).getFirst();
    assertThat(parsed(picture).getDocumentElement().getTextContent())
        .contains("retwis", "commit rate (commits per attempt)");
  }

  /** The number of markers that are white inside. */
  private static long hollow(Picture picture) {
    return picture
        .svg()
        .lines()
        .filter(line -> line.contains("<path") && line.contains("fill:white"))
        .count();
  }

  /** The lengths of the error bars of a picture, which end in caps of 5 pixels. */
  private static List<Double> bars(Picture picture) {
    List<Double> lengths = new ArrayList<>();
    Matcher line = LINE.matcher(picture.svg());
    double length = Double.NaN;
    while (line.find()) {
      double width = Double.parseDouble(line.group(2)) - Double.parseDouble(line.group(1));
      if (width == 0) {
        length = Math.abs(Double.parseDouble(line.group(4)) - Double.parseDouble(line.group(3)));
      } else if (Math.abs(width) == 5 && !Double.isNaN(length)) {
        lengths.add(length);
        length = Double.NaN;
      }
    }
    return lengths;
  }

  @Test
  void onlySeveralRoundsHaveErrorBars() {
    List<ObjectNode> both = records();
    Picture barred = draw(0, both).getFirst();
    assertThat(hollow(barred)).isZero();
    assertThat(bars(barred))
        .as("two systems, two numbers of clients")
        .hasSize(4)
        .doesNotContain(0.0);
    Picture bare =
        draw(0, both.stream().filter(one -> one.path("round").asInt() == 1).toList()).getFirst();
    assertThat(hollow(bare)).isEqualTo(4);
    assertThat(bars(bare)).as("hidden behind the marks").hasSize(4).containsOnly(0.0);
    both.removeIf(
        one -> one.path("round").asInt() == 2 && one.path("system").asString().equals("occ"));
    assertThat(hollow(draw(0, both).getFirst())).isEqualTo(2);
  }

  @Test
  void intervalsThatReachZeroFitALogarithmicAxis() throws Exception {
    Definition logarithmic =
        DefinitionFile.parse(
            "y.yaml",
            """
            name: y
            title: Y
            rounds: 2
            points: {system: [morty, occ], workload: retwis, clients: [1, 8]}
            figures:
              - {name: a, title: A, x: clients, y: throughput, logY: true}
              - {name: b, title: B, x: system, y: throughput, where: {clients: 1}, logY: true}
            """);
    List<ObjectNode> records = new ArrayList<>();
    for (Step step : logarithmic.steps()) {
      double rate = 100.0 * step.point().clients() * step.round();
      records.add(
          PointRecord.measured(logarithmic, step, SampleReport.of(step.point(), rate, true), 1));
    }
    List<Measured> points = new Results(records).of(logarithmic);
    assertThat(points.getFirst().metric(RunMetric.THROUGHPUT).orElseThrow().low()).isNegative();
    for (FigureSpec figure : logarithmic.figures()) {
      Picture picture = Figures.draw("y", figure, points).getFirst();
      parsed(picture);
      assertThat(picture.svg()).doesNotContain("NaN", "Infinity", "E-");
    }
  }

  @Test
  void withoutRecordsNothingIsDrawn() {
    assertThat(draw(0, List.of())).isEmpty();
  }

  @Test
  void roundsArePutTogether() {
    Measured morty = new Results(records()).of(DEFINITION).getFirst();
    Statistic throughput = morty.metric(RunMetric.THROUGHPUT).orElseThrow();
    assertThat(throughput.mean()).isEqualTo(150);
    assertThat(throughput.rounds()).isEqualTo(2);
    assertThat(throughput.margin().orElseThrow())
        .as("12.706 * 70.7 / sqrt(2)")
        .isCloseTo(635.3, within(0.1));
    assertThat(morty.metric(RunMetric.P50).orElseThrow().mean()).isEqualTo(2);
    assertThat(morty.metric(RunMetric.CPU_UTILISATION).orElseThrow().mean())
        .as("150 per second with 200 µs each, on two processors")
        .isEqualTo(1.5);
    assertThat(morty.verdict()).isEqualTo("serializable");
  }

  @Test
  void aTableHasUnitsRatiosAndVerdicts() {
    List<Measured> points = new Results(records()).of(DEFINITION);
    PointTable table =
        PointTable.of(
            points, List.of("zipf", "clients", "system", "throughput", "ratio", "verdict"));
    assertThat(table.rows()).hasSize(8);
    assertThat(table.rows().get(0))
        .containsExactly("0", "1", "morty", "150 ± 635", "1.00", "serializable");
    assertThat(table.rows().get(1))
        .as("in each round a quarter of Morty's")
        .containsExactly("0", "1", "occ", "38 ± 159", "0.25 ± 0.00", "serializable");
    assertThat(table.text().lines().limit(4))
        .containsExactly(
            "zipf  clients  system       committed  ratio to Morty  checks",
            "                       transactions/s",
            "",
            "0     1        morty        150 ± 635            1.00  serializable");
    assertThat(table.html()).contains("<td class=\"number\">0.25 ± 0.00</td>");
    assertThatThrownBy(() -> PointTable.of(points, List.of("colour")))
        .hasMessageContaining("'colour'");
  }

  @Test
  void failuresAndViolationsShowInTheTable() {
    List<ObjectNode> records = new ArrayList<>();
    Step morty = DEFINITION.steps().getFirst();
    Step other =
        DEFINITION.steps().stream()
            .filter(
                step ->
                    step.point().coordinates().equals(morty.point().on(new Occ()).coordinates()))
            .findFirst()
            .orElseThrow();
    records.add(
        PointRecord.measured(DEFINITION, morty, SampleReport.of(morty.point(), 9, false), 1));
    records.add(PointRecord.failed(DEFINITION, other, new IllegalStateException("no")));
    PointTable table =
        PointTable.of(
            new Results(records).of(DEFINITION), List.of("system", "p99", "ratio", "verdict"));
    assertThat(table.rows())
        .containsExactly(
            List.of("morty", "9.00", "1.00", "VIOLATED"),
            List.of("occ", PointTable.NOTHING, "-", "FAILED"));
  }

  // ---- open loops ---------------------------------------------------------------------------

  private static final Definition LOADS =
      DefinitionFile.parse(
          "loads.yaml",
          """
          name: loads
          title: Loads
          points:
            - {system: [morty, occ], workload: retwis, rate: [max*0.5, max*0.9, 700]}
            - {system: [morty, occ], workload: retwis}
          figures:
            - {name: a, title: A, x: throughput, y: p99, along: rate, where: {clients: 1024}, logY: true}
            - {name: b, title: B, x: system, y: throughput, where: {rate: none}}
          """);

  private static List<Measured> loads() {
    List<ObjectNode> records = new ArrayList<>();
    for (Step step : LOADS.steps()) {
      records.add(PointRecord.measured(LOADS, step, SampleReport.of(step.point(), 500, true), 1));
    }
    return new Results(records).of(LOADS);
  }

  @Test
  void latencyByLoadHasARowForEachOpenLoop() {
    PointTable table =
        PointTable.latencyByLoad(loads(), List.of(Point.RATE, Point.SYSTEM)).orElseThrow();
    assertThat(table.header()).startsWith("rate", "system", "offered", "committed", "p50", "p99");
    assertThat(table.rows())
        .extracting(List::getFirst)
        .containsExactly("max*0.5", "max*0.5", "max*0.9", "max*0.9", "700", "700");
    assertThat(table.rows()).extracting(row -> row.get(6)).containsOnly("9.50");
    List<Measured> closed = loads().stream().filter(point -> !point.isOpenLoop()).toList();
    assertThat(closed).hasSize(2);
    assertThat(PointTable.latencyByLoad(closed, List.of())).isEmpty();
  }

  @Test
  void figuresTellOpenLoopsFromClosedOnes() throws Exception {
    Picture over = Figures.draw("loads", LOADS.figures().getFirst(), loads()).getFirst();
    assertThat(parsed(over).getDocumentElement().getTextContent()).contains("p99 (ms)", "occ");
    Picture bars = Figures.draw("loads", LOADS.figures().get(1), loads()).getFirst();
    assertThat(parsed(bars).getDocumentElement().getTextContent()).contains("committed");
  }
}
