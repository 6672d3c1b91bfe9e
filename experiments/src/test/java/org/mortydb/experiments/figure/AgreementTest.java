package org.mortydb.experiments.figure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.experiments.figure.Agreement.Comparison;
import org.mortydb.experiments.fixture.SampleReport;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Definition.Step;
import org.mortydb.experiments.plan.DefinitionFile;
import org.mortydb.experiments.plan.InvalidDefinitionException;
import org.mortydb.experiments.plan.Way;
import org.mortydb.experiments.runs.PointRecord;
import tools.jackson.databind.node.ObjectNode;

final class AgreementTest {
  private static final Definition DEFINITION =
      DefinitionFile.parse(
          "x.yaml",
          """
          name: x
          title: X
          rounds: 2
          points:
            - label: even
              way: [real, deployed, simulated]
              system: [morty, occ]
              workload: retwis
              clients: 7
          agreement: {throughput: 0.2, p50: 0.1}
          """);

  /** Records in which real runs have 1,000 transactions per second, and others a multiple. */
  private static Agreement agreement(double deployed, double simulated) {
    List<ObjectNode> records = new ArrayList<>();
    for (Step step : DEFINITION.steps()) {
      Way way = step.point().way();
      double share = way == Way.REAL ? 1 : way == Way.DEPLOYED ? deployed : simulated;
      if (share > 0) {
        records.add(
            PointRecord.measured(
                DEFINITION,
                step,
                SampleReport.of(step.point(), 1_000 * share * step.round(), true),
                1));
      }
    }
    return Agreement.of(DEFINITION, new Results(records).of(DEFINITION));
  }

  private static Comparison throughput(Agreement agreement, String way) {
    return agreement.comparisons().stream()
        .filter(one -> one.metric() == RunMetric.THROUGHPUT && one.way().equals(way))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void eachOtherWayIsComparedWithTheRealOne() {
    Agreement agreement = agreement(1.1, 0.9);
    assertThat(agreement.comparisons()).hasSize(2 * 2 * 2);
    assertThat(agreement.comparisons()).allMatch(one -> one.with().equals("real"));
    assertThat(agreement.comparisons()).extracting(Comparison::point).contains("even, occ");
    assertThat(throughput(agreement, "deployed").ratio().orElseThrow().mean()).isEqualTo(1.1);
    assertThat(throughput(agreement, "simulated").ratio().orElseThrow().mean()).isEqualTo(0.9);
    assertThat(throughput(agreement, "simulated").ratio().orElseThrow().rounds()).isEqualTo(2);
    assertThat(agreement.summary()).startsWith("8 of 8 comparisons agree");
    assertThat(agreement.table().text()).contains("deployed / real", "even, morty", "20 %");
  }

  @ParameterizedTest
  @CsvSource({"1.21, false", "1.2, true", "0.8, true", "0.79, false"})
  void aDifferenceThatIsNotStatedIsShown(double share, boolean agrees) {
    Agreement agreement = agreement(share, 1);
    assertThat(throughput(agreement, "deployed").agrees()).isEqualTo(agrees);
    assertThat(throughput(agreement, "deployed").verdict()).isEqualTo(agrees ? "agree" : "DIFFER");
    assertThat(throughput(agreement, "simulated").agrees()).isTrue();
    assertThat(agreement.summary()).startsWith(agrees ? "8 of 8" : "6 of 8");
  }

  @Test
  void whatIsNotMeasuredDoesNotAgree() {
    Agreement agreement = agreement(0, 1);
    assertThat(throughput(agreement, "deployed").agrees()).isFalse();
    assertThat(throughput(agreement, "deployed").verdict()).isEqualTo(PointTable.NOTHING);
    assertThat(agreement.summary()).startsWith("4 of 8").endsWith("4 are not measured");
  }

  @Test
  void aDefinitionStatesAgreementOfSeveralWaysAndKnownMetrics() {
    assertThatThrownBy(
            () ->
                DefinitionFile.parse(
                    "x.yaml",
                    "name: x\ntitle: X\npoints: {workload: retwis}\nagreement: {p50: 0.1}\n"))
        .isInstanceOf(InvalidDefinitionException.class)
        .hasMessageContaining("agreement")
        .hasMessageContaining("ways");
    Definition unknown =
        DefinitionFile.parse(
            "x.yaml",
            "name: x\ntitle: X\npoints: {workload: retwis, way: [real, simulated]}\n"
                + "agreement: {p51: 0.1}\n");
    assertThatThrownBy(() -> Figures.check(unknown)).hasMessageContaining("'p51'");
  }
}
