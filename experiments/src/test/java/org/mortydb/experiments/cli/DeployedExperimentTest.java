package org.mortydb.experiments.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.CommandLines;
import org.mortydb.experiments.runs.RecordFolder;
import tools.jackson.databind.node.ObjectNode;

/**
 * A whole experiment on agents, from the command line to the statement of agreement. It is
 * interrupted, and continues; then an agent is killed in the middle of a point.
 */
@Tag("long")
@Timeout(600)
final class DeployedExperimentTest {
  private static final String DEFINITION =
      """
      name: tiny
      title: A tiny one
      warmup: 0.5
      seconds: 2
      defaults:
        system: morty
        workload: {name: retwis, keys: 600}
        clients: 6
        serverJvm: -Xmx192m -XX:+UseSerialGC -XX:TieredStopAtLevel=1
      points:
        - {way: [deployed, simulated]}
        - {way: deployed, clientRegions: 3}
      agreement: {commitRate: 0.5}
      figures: [{name: rate, title: Rate, x: way, y: throughput}]
      """;

  @TempDir Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @AfterEach
  void nothingIsLeft() {
    assertThat(agents()).isEmpty();
  }

  /** The agents that this process has started. */
  private static List<ProcessHandle> agents() {
    return ProcessHandle.current().children().filter(ProcessHandle::isAlive).toList();
  }

  private Thread start(FutureTask<Integer> task) {
    Thread thread = new Thread(task, "experiment");
    thread.start();
    return thread;
  }

  private FutureTask<Integer> command(Path definition) {
    Callable<Integer> run =
        () ->
            CommandLines.run(
                out,
                err,
                "experiment",
                definition.toString(),
                "--agents",
                "local",
                "--out",
                folder.resolve("out").toString());
    return new FutureTask<>(run);
  }

  private List<ObjectNode> records() throws IOException {
    Path records = folder.resolve("out");
    return Files.isDirectory(records) ? RecordFolder.readAll(records) : List.of();
  }

  @Test
  void anExperimentOnAgentsSurvivesAnInterruptAndAKilledAgent() throws Exception {
    Path definition = Files.writeString(folder.resolve("tiny.yaml"), DEFINITION);

    FutureTask<Integer> first = command(definition);
    Thread thread = start(first);
    while (records().isEmpty()) {
      assertThat(first.isDone()).as("%s%s", out, err).isFalse();
      Thread.sleep(20);
    }
    thread.interrupt();
    first.get(60, TimeUnit.SECONDS);
    assertThat(agents()).isEmpty();
    int before = records().size();
    assertThat(before).isBetween(1, 2);

    out.getBuffer().setLength(0);
    FutureTask<Integer> second = command(definition);
    start(second);
    List<ProcessHandle> busy = new ArrayList<>();
    while (busy.size() < 2) {
      assertThat(second.isDone()).as("%s%s", out, err).isFalse();
      busy.clear();
      // The agent of the last region has a server and clients once the last point runs.
      for (ProcessHandle agent : agents()) {
        if (agent.children().count() == 2) {
          busy.add(agent);
        }
      }
      Thread.sleep(20);
    }
    busy.getLast().destroyForcibly();
    assertThat(second.get(200, TimeUnit.SECONDS)).as("%s%s", out, err).isZero();
    assertThat(out.toString())
        .contains("%d points measured, %d measured before, 0 failed".formatted(3 - before, before))
        .contains("1 of 1 comparisons agree within what the definition states");
    List<ObjectNode> records = records();
    assertThat(records).hasSize(3);
    assertThat(records).allMatch(one -> one.get("status").asString().equals("measured"));
    assertThat(records).extracting(one -> one.path("attempts").asInt(1)).contains(2);
    assertThat(records)
        .filteredOn(one -> one.get("way").asString().equals("deployed"))
        .hasSize(2)
        .allSatisfy(
            one -> {
              assertThat(one.get("serializable").asBoolean()).isTrue();
              assertThat(one.at("/settings/tls").asBoolean()).isFalse();
              assertThat(one.at("/settings/hosts").size()).isEqualTo(3);
              assertThat(one.at("/environment/processors").asInt())
                  .as("one machine")
                  .isEqualTo(Runtime.getRuntime().availableProcessors());
            });
    assertThat(folder.resolve("out/figures/rate.svg")).exists();
  }
}
