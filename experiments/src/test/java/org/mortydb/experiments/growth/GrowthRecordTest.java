package org.mortydb.experiments.growth;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** With the record of a real run. */
class GrowthRecordTest {
  private static final Path RECORD =
      Path.of("../docs/benchmarks/records/2026-11-26-growth-busy.json");

  private ObjectNode node = new JsonMapper().createObjectNode();
  private GrowthRecord growth = new GrowthRecord(node);

  @BeforeEach
  void read() throws IOException {
    node = (ObjectNode) new JsonMapper().readTree(Files.readString(RECORD));
    growth = GrowthRecord.in(List.of(node)).orElseThrow();
  }

  @Test
  void thePictureHasTheCurvesAndTheNumbersOfTheSteps() {
    String svg = growth.svg();
    assertThat(svg).startsWith("<svg").contains("p50", "p99", "max", "committed");
    assertThat(svg).contains(">" + node.path("steps").size() + "<");
  }

  @Test
  void theTableHasARowForEachStep() {
    assertThat(growth.table().split("<tr><td>", -1)).hasSize(node.path("steps").size() + 1);
    assertThat(growth.table()).contains("server-4 joins");
  }

  @Test
  void theSummarySaysWhatABystanderNoticed() {
    assertThat(growth.summary()).contains("120,516 transactions", "serializable", "17760 ms");
  }
}
