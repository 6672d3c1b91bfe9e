package org.mortydb.experiments.figure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.mortydb.experiments.fixture.SampleReport;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Definition.Step;
import org.mortydb.experiments.plan.DefinitionFile;
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

  @Test
  void withoutRecordsNothingIsDrawn() {
    assertThat(draw(0, List.of())).isEmpty();
  }

  @Test
  void roundsArePutTogether() {
    Measured morty = new Results(records()).of(DEFINITION).getFirst();
    Statistic throughput = morty.metric(RunMetric.THROUGHPUT).orElseThrow();
    assertThat(throughput).isEqualTo(new Statistic(150, 100, 200, 2));
    assertThat(morty.metric(RunMetric.P50).orElseThrow().mean()).isEqualTo(2);
    assertThat(morty.metric(RunMetric.CPU_UTILISATION).orElseThrow().max())
        .as("200 per second with 200 µs each, on two processors")
        .isEqualTo(2);
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
        .containsExactly("0", "1", "morty", "150", "1.00", "serializable");
    assertThat(table.rows().get(1)).containsExactly("0", "1", "occ", "38", "0.25", "serializable");
    assertThat(table.text().lines().limit(4))
        .containsExactly(
            "zipf  clients  system       committed  ratio to Morty  checks",
            "                       transactions/s",
            "",
            "0     1        morty              150            1.00  serializable");
    assertThat(table.html()).contains("<td class=\"number\">0.25</td>");
    assertThatThrownBy(() -> PointTable.of(points, List.of("colour")))
        .hasMessageContaining("'colour'");
  }

  @Test
  void failuresAndViolationsShowInTheTable() {
    List<ObjectNode> records = new ArrayList<>();
    Step morty = DEFINITION.steps().getFirst();
    Step other = DEFINITION.steps().get(1);
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
