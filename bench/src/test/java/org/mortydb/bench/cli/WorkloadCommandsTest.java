package org.mortydb.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Short runs of the workloads other than Retwis, on real clusters. */
@Timeout(90)
final class WorkloadCommandsTest {
  @TempDir Path folder;

  private JsonNode run(String args) {
    CommandRun command = new CommandRun(folder);
    JsonNode record = command.run(args + " --warmup 0.5 --seconds 1.5 --clients 8");
    assertThat(record.get("committedPerSecond").asDouble()).isGreaterThan(1);
    assertThat(record.get("serializable").asBoolean()).isTrue();
    assertThat(command.out()).contains("serializable: yes");
    return record;
  }

  private static void assertConsistent(JsonNode record, int conditions) {
    assertThat(record.get("consistent").asBoolean()).isTrue();
    JsonNode consistency = record.get("consistency");
    assertThat(consistency.get("violations").asLong()).isZero();
    assertThat(consistency.get("conditions").size()).isEqualTo(conditions);
    for (JsonNode condition : consistency.get("conditions")) {
      assertThat(condition.get("checked").asLong())
          .as(condition.get("condition").asString())
          .isPositive();
    }
  }

  @Test
  void tpcc() {
    JsonNode record = run("tpcc --scale 0.005 --warehouses 2 --partitions 2");
    assertThat(record.get("workload").asString()).isEqualTo("tpcc");
    assertThat(record.get("transactions").propertyNames())
        .containsExactly("new order", "payment", "order status", "delivery", "stock level");
    assertThat(record.get("settings").get("delivery").asString()).isEqualTo("warehouse");
    assertConsistent(record, 13);
  }

  @Test
  void tpccWithADeliveryForEachDistrict() {
    JsonNode record = run("tpcc --scale 0.005 --delivery district");
    assertThat(record.get("settings").get("delivery").asString()).isEqualTo("district");
    assertConsistent(record, 13);
  }
}
