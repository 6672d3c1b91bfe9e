package org.mortydb.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Short runs of the workloads other than Retwis, on real clusters. */
@Tag("slow")
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
  void tpccInTheDirectStyleWithADeliveryForEachDistrict() {
    JsonNode record = run("tpcc --scale 0.005 --delivery district --style direct");
    assertThat(record.get("settings").get("style").asString()).isEqualTo("direct");
    assertThat(record.get("settings").get("delivery").asString()).isEqualTo("district");
    assertConsistent(record, 13);
  }

  @Test
  void ycsbWithInserts() {
    JsonNode record = run("ycsb --mix d --keys 1000 --value-bytes 50");
    assertThat(record.get("workload").asString()).isEqualTo("ycsb-d");
    assertThat(record.get("settings").get("popularity").asString()).isEqualTo("latest");
    assertConsistent(record, 2);
  }

  @Test
  void ycsbWithReadModifyWrites() {
    JsonNode record = run("ycsb --mix f --keys 300 --value-bytes 50 --zipf 0");
    assertThat(record.get("settings").get("zipf").asDouble()).isZero();
    assertConsistent(record, 2);
  }

  @Test
  void smallBank() {
    JsonNode record = run("smallbank --accounts 500 --hotspot 20 --partitions 2");
    assertThat(record.get("transactions").size()).isEqualTo(6);
    assertConsistent(record, 3);
  }

  @Test
  void mergesAreJudged() {
    JsonNode record = run("smallbank --accounts 500 --hotspot 20 --merges");
    assertThat(record.get("settings").get("merges").asBoolean()).isTrue();
    assertConsistent(record, 3);
    assertThat(run("retwis --keys 600 --zipf 0.9 --merges").get("serializable").asBoolean())
        .isTrue();
    assertThat(run("retwis --keys 600 --merges --system occ").get("serializable").asBoolean())
        .isTrue();
  }

  @Test
  void withoutADirectoryServersStoreInThatForTemporaryFilesAndSaySo() {
    CommandRun command = new CommandRun(folder);
    JsonNode record =
        command.run(
            "transfer --accounts 100 --durability sync --warmup 0.2 --seconds 0.5 --clients 4");
    String directory = System.getProperty("java.io.tmpdir");
    assertThat(record.get("settings").get("data").asString()).isEqualTo(directory);
    assertThat(command.err()).contains(directory);
  }

  @Test
  void transferInOneTransaction() {
    JsonNode record = run("transfer --accounts 100 --zipf 0.9");
    assertThat(record.get("workload").asString()).isEqualTo("transfer");
    assertThat(record.get("consistent").asBoolean()).isTrue();
  }

  @Test
  void transferInTwoPhasesWithClientsThatGoAway() {
    JsonNode record = run("transfer --form two-phase --accounts 100 --zipf 0.9 --abandon 0.05");
    assertThat(record.get("workload").asString()).isEqualTo("transfer-two-phase");
    assertThat(record.get("consistent").asBoolean()).isTrue();
    assertThat(record.get("rolledBack").asLong()).isPositive();
  }
}
