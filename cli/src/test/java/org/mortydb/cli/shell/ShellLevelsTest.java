package org.mortydb.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.cli.shell.ShellSession.Progress;
import org.mortydb.testing.EmbeddedCluster;
import org.mortydb.testing.MortyCluster;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Transactions of the shell that only read, at a level. */
@Timeout(60)
@MortyCluster(partitions = 2, settings = "server.replica.watermark-lag = 2s")
final class ShellLevelsTest {
  private final List<String> seen = new CopyOnWriteArrayList<>();
  private final List<String> json = new CopyOnWriteArrayList<>();
  private final ShellSession session;
  private final ShellSession program;

  ShellLevelsTest(EmbeddedCluster cluster) {
    ShellOptions options = ShellOptions.of(cluster.config(), Duration.ofSeconds(30), true);
    session =
        new ShellSession(cluster.client(), new TextOutput(seen::add, seen::add, false), options);
    program = new ShellSession(cluster.client(), new JsonOutput(json::add), options);
  }

  @AfterEach
  void end() {
    session.close();
    program.close();
  }

  private String types(String statements) {
    int before = seen.size();
    Progress unused = session.run(statements);
    return String.join("\n", seen.subList(before, seen.size()));
  }

  @Test
  void aSnapshotIsOfThePastAndItsAgeIsShown() throws Exception {
    assertThat(types("put s/a 1; begin read snapshot; get s/a; commit"))
        .matches(
            "ok\nbegun\ns/a holds nothing\ncommitted, as of [0-9]+\\.[0-9]{3} s before it began,"
                + " place [0-9]+\\.[0-9a-f]+@0");
    String later = "";
    while (!later.contains("s/a = 1")) {
      Thread.sleep(50);
      later = types("begin read bounded:30s; get s/a; scan prefix s/; commit");
    }
    assertThat(later).contains("1 key", "committed, as of ");
  }

  @Test
  void programsGetThePlaceAndItsAge() {
    assertThat(program.run("begin read snapshot; get j/a; commit")).isEqualTo(Progress.DONE);
    JsonNode committed = new JsonMapper().readTree(json.getLast());
    assertThat(committed.get("event").asString()).isEqualTo("commit");
    assertThat(committed.get("path").asString()).isEqualTo("past");
    assertThat(committed.get("place").asString()).matches("[0-9]+\\.[0-9a-f]+@0");
    assertThat(committed.get("ageMicros").asLong()).isPositive();
    assertThat(program.run("put j/b 1")).isEqualTo(Progress.DONE);
    assertThat(new JsonMapper().readTree(json.getLast()).has("ageMicros")).isFalse();
  }

  @Test
  void localReadsAreOfNoPlace() {
    assertThat(types("put l/a 1; begin read local; get l/a; commit")).endsWith("\ncommitted");
    assertThat(types("begin read; get l/a; commit")).isEqualTo("begun\nl/a = 1\ncommitted");
  }

  @Test
  void whatOnlyReadsRefusesWritesAndGoesOn() {
    types("put w/a 1");
    assertThat(types("begin read local; put w/a 2"))
        .startsWith("begun\nrefused: ")
        .contains("'begin' without 'read'", "still open");
    assertThat(session.isOpen()).isTrue();
    assertThat(types("rollback; get w/a")).isEqualTo("rolled back\nw/a = 1");
  }

  @Test
  void aLevelThatTheClusterDoesNotHaveIsRefused() {
    assertThat(types("begin read bounded:1s; get b/a"))
        .contains("bounded:1s", "2000 ms", "watermark-lag");
    assertThat(session.isOpen()).isFalse();
    assertThat(types("begin read strict; get b/a")).contains("server.replica.clock-uncertainty");
  }
}
