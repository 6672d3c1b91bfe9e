package org.mortydb.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.CommandLines;
import org.mortydb.cli.ExitCode;
import tools.jackson.databind.JsonNode;

/** Whole runs, short ones. */
@Tag("slow")
@Timeout(60)
final class RetwisCommandTest {
  @TempDir Path folder;

  private CommandRun command;

  private JsonNode run(String args) {
    command = new CommandRun(folder);
    return command.run("retwis " + args);
  }

  @Test
  void anEmbeddedRunIsMeasuredAndChecked() {
    JsonNode record =
        run("--seconds 2 --warmup 1 --keys 3000 --zipf 0.9 --clients 16 --partitions 2");
    assertThat(record.get("system").asString()).isEqualTo("morty");
    assertThat(record.get("workload").asString()).isEqualTo("retwis");
    assertThat(record.get("committedPerSecond").asDouble()).isGreaterThan(50);
    assertThat(record.get("commitRate").asDouble()).isBetween(0.5, 1.0);
    assertThat(record.get("cpuMicrosPerCommit").asDouble()).isGreaterThan(10);
    assertThat(record.get("reexecutionsPerCommit").asDouble()).isGreaterThan(0);
    double decided =
        record.get("fastPathShare").asDouble()
            + record.get("slowPathShare").asDouble()
            + record.get("learntShare").asDouble();
    assertThat(decided).isBetween(0.999, 1.001);
    for (String kind : new String[] {"latencyMicros", "commitLatencyMicros"}) {
      JsonNode latency = record.get(kind);
      assertThat(latency.get("p50").asLong()).isPositive();
      assertThat(latency.get("p99").asLong()).isGreaterThanOrEqualTo(latency.get("p50").asLong());
      assertThat(latency.get("max").asLong()).isGreaterThanOrEqualTo(latency.get("p99").asLong());
    }
    assertThat(record.get("serializable").asBoolean()).isTrue();
    assertThat(record.get("check").get("transactions").asLong())
        .as("the load phase, the warm-up and the window were checked")
        .isGreaterThan((long) (record.get("committedPerSecond").asDouble() * 2) + 60);
    assertThat(record.get("transactions").propertyNames())
        .containsExactly("add user", "follow", "post tweet", "get timeline");
    JsonNode settings = record.get("settings");
    assertThat(settings.get("keys").asInt()).isEqualTo(3000);
    assertThat(settings.get("zipf").asDouble()).isEqualTo(0.9);
    assertThat(settings.get("delayMillis").isNull()).isTrue();
    assertThat(command.out())
        .contains("get timeline")
        .contains("p99.9 ms")
        .contains("serializable: yes");
  }

  @Test
  void otherSystemsAreMeasuredAndCheckedTheSameWay() {
    for (String system : new String[] {"mvtso", "spanner", "occ", "tapir"}) {
      JsonNode record =
          run("--system " + system + " --seconds 1 --warmup 1 --keys 1200 --clients 8");
      assertThat(record.get("system").asString()).isEqualTo(system);
      assertThat(record.get("settings").get("system").asString()).isEqualTo(system);
      assertThat(record.get("serializable").asBoolean()).isTrue();
      assertThat(record.get("committedPerSecond").asDouble()).isGreaterThan(20);
      assertThat(record.get("reexecutionsPerCommit").asDouble()).isZero();
    }
  }

  @Test
  void snapshotIsolationIsMeasuredAndItsAnomaliesAreNamed() {
    command = new CommandRun(folder);
    JsonNode record =
        command.run("ycsb --mix a --system si --seconds 2 --warmup 1 --keys 20 --clients 16");
    assertThat(record.get("system").asString()).isEqualTo("si");
    assertThat(record.get("check").get("violations").asLong()).isZero();
    assertThat(record.get("consistent").asBoolean()).isTrue();
    assertThat(record.get("committedPerSecond").asDouble()).isGreaterThan(20);
    assertThat(record.get("serializable").isNull()).as(command.out()).isTrue();
    assertThat(command.out())
        .contains("promises snapshot isolation", "G2-item, write skew", "which", "replaced");
  }

  @Test
  void serializableSnapshotIsolationHasNoCycle() {
    command = new CommandRun(folder);
    JsonNode record =
        command.run(
            "ycsb --mix a --system ssi --on-conflict wait --seconds 2 --warmup 1 --keys 20"
                + " --clients 16");
    assertThat(record.get("system").asString()).isEqualTo("ssi-wait");
    assertThat(record.get("serializable").asBoolean()).as(command.out()).isTrue();
    assertThat(record.get("committedPerSecond").asDouble()).isGreaterThan(20);
    assertThat(command.out()).contains("serializable: yes", "without a cycle");
  }

  @Test
  void aConflictCanOnlyBeChosenWhereThereIsAChoice() {
    assertThat(refusal("occ", "wait")).contains("--on-conflict: system occ has no such choice");
    assertThat(refusal("si", "hope"))
        .contains("--on-conflict must be 'fail' or 'wait', not 'hope'");
  }

  private static String refusal(String system, String onConflict) {
    StringWriter err = new StringWriter();
    int code =
        CommandLines.run(
            new StringWriter(),
            err,
            "bench",
            "retwis",
            "--system",
            system,
            "--on-conflict",
            onConflict);
    assertThat(code).isEqualTo(ExitCode.USAGE);
    return err.toString();
  }

  @Test
  void anEncryptedRunInOneProcess() {
    JsonNode record = run("--seconds 1 --warmup 1 --keys 1200 --clients 4 --tls");
    assertThat(record.get("settings").get("tls").asBoolean()).isTrue();
    assertThat(record.get("serializable").asBoolean()).isTrue();
  }

  @Test
  void withServerProcessesDelayAndAnOpenLoop() {
    command = new CommandRun(folder);
    JsonNode record =
        command.run(
            "retwis --seconds 2 --warmup 1 --keys 1200 --processes --tls --delay 5 --rate 50"
                + " --no-check",
            List.of("--server-jvm", "-XX:TieredStopAtLevel=1 -Xmx256m @support/server.jvm"));
    JsonNode settings = record.get("settings");
    assertThat(settings.get("clientRegions").asInt()).isEqualTo(3);
    assertThat(settings.get("tls").asBoolean()).isTrue();
    assertThat(settings.get("loop").asString()).isEqualTo("open");
    assertThat(record.get("commitLatencyMicros").get("p50").asLong())
        .as("one round trip between regions, twice 5 ms")
        .isGreaterThanOrEqualTo(10_000);
    assertThat(record.get("offered").get("arrivals").asLong()).isBetween(75L, 300L);
    assertThat(record.get("heapAfterGcBytes").get("serversEnd").asLong()).isPositive();
    assertThat(record.get("cpuMicrosPerCommit").asDouble())
        .isGreaterThan(record.get("clientCpuMicrosPerCommit").asDouble());
    assertThat(settings.get("rate").asString()).isEqualTo("50");
    assertThat(settings.get("serverJvm").asString()).contains("-Xmx256m -XX:+UseZGC");
    assertThat(record.get("offered").get("perSecond").asDouble()).isEqualTo(50);
    JsonNode pauses = record.get("pauses");
    assertThat(pauses.get("longestOfServersMicros").asLong())
        .isGreaterThanOrEqualTo(pauses.get("longestCollectionOfServersMicros").asLong());
    assertThat(pauses.get("processes").valueStream().map(one -> one.get("process").asString()))
        .containsExactly("server-1", "server-2", "server-3", "client");
    assertThat(record.get("serializable").isNull()).isTrue();
    assertThat(command.out()).contains("NOT CHECKED");
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
        .as("server processes that are left over")
        .isEmpty();
  }
}
