package org.mortydb.cli.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.Main;
import org.mortydb.testing.OperatedCluster;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A cluster of processes goes from this build to a {@linkplain NewerBuild newer one} and partly
 * back, one server at a time, while clients of both builds run transactions whose histories are
 * checked. There is no release yet whose archive could take the place of this build.
 */
@Tag("long")
@Timeout(600)
final class RollingUpgradeTest {
  private static final List<String> NAMES = List.of("us-1", "eu-1", "ap-1");
  private static final long PATIENCE_SECONDS = 90;

  @TempDir private Path folder;
  private final Map<String, Process> servers = new TreeMap<>();
  private final ConcurrentLinkedQueue<Process> others = new ConcurrentLinkedQueue<>();
  private String older = "";
  private String newer = "";
  private Path file = Path.of("");

  @BeforeEach
  void build() throws Exception {
    older = System.getProperty("java.class.path");
    newer = NewerBuild.classPath(folder);
    file =
        Files.writeString(
            folder.resolve("cluster.conf"),
            OperatedCluster.configuration(
                false,
                "server.data = \"" + folder.resolve("data") + "\"",
                "server.links.max-backoff = 200ms"));
  }

  @AfterEach
  void end() throws InterruptedException {
    for (Process process : servers.values()) {
      process.destroyForcibly().waitFor();
    }
    for (Process process : others) {
      process.destroyForcibly().waitFor();
    }
  }

  // ---- processes ----------------------------------------------------------------------------

  private ProcessBuilder morty(String build, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", build));
    command.add(Main.class.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true);
  }

  private Path log(String server) {
    return folder.resolve(server + ".log");
  }

  private Process launch(String server, String build) throws IOException {
    Process process =
        morty(build, "server", "--config", file.toString(), "--name", server)
            .redirectOutput(log(server).toFile())
            .start();
    servers.put(server, process);
    return process;
  }

  private void awaitServing(String server) throws Exception {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!Files.readString(log(server)).contains("serving: server")) {
      assertThat(servers.get(server).isAlive()).as("%s", Files.readString(log(server))).isTrue();
      assertThat(System.nanoTime())
          .as("%s", Files.readString(log(server)))
          .isLessThan(deadlineNanos);
      Thread.sleep(50);
    }
  }

  private void stop(String server) throws Exception {
    Process process = servers.get(server);
    process.destroy();
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  /** Replaces the program of a running server. */
  private void replace(String server, String build) throws Exception {
    stop(server);
    launch(server, build);
    awaitServing(server);
  }

  private record Ended(int code, String out) {}

  private Ended run(String build, String... arguments) throws Exception {
    Process process = morty(build, arguments).start();
    others.add(process);
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), out);
  }

  private Ended upgrade(String command, String... more) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("upgrade", command));
    arguments.addAll(List.of("--config", file.toString(), "--timeout", "20"));
    arguments.addAll(List.of(more));
    return run(newer, arguments.toArray(String[]::new));
  }

  /** Runs the workload and the check of its history. */
  private Ended load(String build, int seconds) throws Exception {
    return run(
        build,
        "verify",
        "running",
        "--config",
        file.toString(),
        "--seconds",
        Integer.toString(seconds),
        "--clients",
        "4");
  }

  private static void assertSerializable(Ended load) {
    assertThat(load.code()).as(load.out()).isZero();
    assertThat(load.out()).contains("serializable");
  }

  private CompletableFuture<List<Ended>> loadUntil(AtomicBoolean over, String build) {
    return CompletableFuture.supplyAsync(
        () -> {
          List<Ended> loads = new ArrayList<>();
          do {
            try {
              loads.add(load(build, 6));
            } catch (Exception e) {
              throw new IllegalStateException(e);
            }
          } while (!over.get());
          return loads;
        },
        task -> Thread.ofPlatform().start(task));
  }

  // ---- the test -----------------------------------------------------------------------------

  @Test
  void aClusterGoesToTheNextReleaseUnderLoadAndNoServerCanGoBackAfterTheEnd() throws Exception {
    for (String server : NAMES) {
      launch(server, older);
    }
    for (String server : NAMES) {
      awaitServing(server);
    }
    Ended before = upgrade("check");
    assertThat(before.code()).as(before.out()).isZero();
    assertThat(before.out())
        .contains("uses version 3", "this program speaks versions 3 to 4")
        .contains("servers can be upgraded to this release");

    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<List<Ended>> olderLoad = loadUntil(over, older);
    CompletableFuture<List<Ended>> newerLoad = loadUntil(over, newer);
    try {
      replace("us-1", newer);
      Ended mixed = upgrade("finish");
      assertThat(mixed.code()).as(mixed.out()).isEqualTo(1);
      assertThat(mixed.out())
          .contains("nothing was changed")
          .contains("eu-1: it speaks version 3, others speak version 4: upgrade it");
      replace("us-1", older); // the way back is open
      for (String server : NAMES) {
        replace(server, newer);
      }
    } finally {
      over.set(true);
    }
    for (CompletableFuture<List<Ended>> loads : List.of(olderLoad, newerLoad)) {
      List<Ended> ended = loads.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      ended.forEach(RollingUpgradeTest::assertSerializable);
    }

    // A client of the older build holds the end up.
    CompletableFuture<Ended> old = CompletableFuture.supplyAsync(() -> loadUnchecked(older, 15));
    awaitOldClient();
    Ended held = upgrade("finish");
    assertThat(held.code()).as(held.out()).isEqualTo(1);
    assertThat(held.out()).contains("--refuse-old-clients", "nothing was changed");
    assertSerializable(old.get(PATIENCE_SECONDS, TimeUnit.SECONDS));

    Ended checked = upgrade("check");
    assertThat(checked.code()).as(checked.out()).isZero();
    assertThat(checked.out())
        .contains("'morty upgrade finish' would raise the version to 4, from 3");
    CompletableFuture<Ended> during = CompletableFuture.supplyAsync(() -> loadUnchecked(newer, 10));
    Ended finished = upgrade("finish");
    assertThat(finished.code()).as(finished.out()).isZero();
    assertThat(finished.out()).contains("all servers use version 4");
    assertThat(upgrade("check").out()).contains("uses version 4", "nothing to finish");
    assertSerializable(during.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
    for (String server : NAMES) {
      assertThat(Files.readString(folder.resolve("data").resolve(server).resolve("state")))
          .startsWith("morty-data 2\n")
          .contains("\nversion=4\n");
    }

    // No way back: neither for a client nor for a server.
    Ended refused = load(older, 1);
    assertThat(refused.code()).isEqualTo(3);
    assertThat(refused.out()).contains("uses version 4 of the protocol", "speaks version 3");
    stop("ap-1");
    Process back = launch("ap-1", older);
    assertThat(back.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(back.exitValue()).isEqualTo(3);
    assertThat(Files.readString(log("ap-1")))
        .contains("is written in version 4, this program reads version 3");
    launch("ap-1", newer);
    awaitServing("ap-1");
    assertSerializable(load(newer, 3));
  }

  private Ended loadUnchecked(String build, int seconds) {
    try {
      return load(build, seconds);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private void awaitOldClient() throws Exception {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (true) {
      JsonNode told = new JsonMapper().readTree(upgrade("check", "--output", "json").out());
      for (JsonNode server : told.get("servers")) {
        if (server.get("clientsSpeak").asInt() == 3) {
          return;
        }
      }
      assertThat(System.nanoTime()).isLessThan(deadlineNanos);
    }
  }
}
