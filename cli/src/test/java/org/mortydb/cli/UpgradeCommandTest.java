package org.mortydb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.cli.CommandLines.morty;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.CommandLines.Ran;
import org.mortydb.config.ClusterConfig;
import org.mortydb.server.MortyServer;
import org.mortydb.server.ServerOptions;
import org.mortydb.testing.OperatedCluster;
import org.mortydb.wire.VersionRange;
import org.mortydb.wire.WireContract;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code morty upgrade}, on servers of two releases. */
@Timeout(120)
final class UpgradeCommandTest {
  private static final VersionRange OLD = WireContract.VERSIONS;
  private static final VersionRange NEW = new VersionRange(OLD.oldest(), OLD.newest() + 1);

  @TempDir private Path folder;
  private final List<MortyServer> servers = new ArrayList<>();

  private Path start(VersionRange... speak) throws Exception {
    String text =
        OperatedCluster.configuration(false, "server.data = \"" + folder.resolve("data") + "\"");
    Path file = Files.writeString(folder.resolve("cluster.conf"), text);
    ClusterConfig config = ClusterConfig.load(file);
    for (int i = 0; i < speak.length; i++) {
      servers.add(
          MortyServer.start(
              config,
              config.servers().get(i).name(),
              ServerOptions.DEFAULTS.withVersions(speak[i])));
    }
    for (MortyServer server : servers) {
      server.serving().get(30, TimeUnit.SECONDS);
    }
    int expected = List.of(speak).contains(OLD) ? OLD.newest() : NEW.newest();
    for (MortyServer server : servers) {
      long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (server.clusterVersion() != expected) {
        assertThat(System.nanoTime()).isLessThan(deadlineNanos);
        Thread.sleep(5);
      }
    }
    return file;
  }

  @AfterEach
  void stop() {
    servers.forEach(MortyServer::close);
  }

  private static Ran upgrade(String command, Path file, String... more) {
    List<String> args = new ArrayList<>(List.of("upgrade", command, "--config", file.toString()));
    args.addAll(List.of(more));
    return morty(args.toArray(String[]::new));
  }

  @Test
  void withoutAnUpgradeThereIsNothingToFinish() throws Exception {
    Path file = start(OLD, OLD, OLD);
    Ran checked = upgrade("check", file);
    assertThat(checked.code()).as(checked.out()).isEqualTo(ExitCode.OK);
    int version = OLD.newest();
    assertThat(checked.out())
        .contains("cluster 'shop' uses version " + version)
        .containsPattern("us-1 +" + OLD + " +" + version + " +1 +1 to 2 +1 +" + version)
        .contains("nothing to finish");
    Ran finished = upgrade("finish", file);
    assertThat(finished.code()).as(finished.err()).isEqualTo(ExitCode.OK);
    assertThat(finished.out()).contains("all servers use version " + version);
  }

  @Test
  void anOldServerBlocksTheUpgrade() throws Exception {
    Path file = start(NEW, OLD, NEW);
    Ran checked = upgrade("check", file);
    assertThat(checked.code()).isEqualTo(ExitCode.VIOLATION);
    assertThat(checked.out())
        .contains(
            "blocks: eu-1: it speaks version "
                + OLD.newest()
                + ", others speak version "
                + NEW.newest()
                + ": upgrade it");
    JsonNode told = new JsonMapper().readTree(upgrade("check", file, "--output", "json").out());
    assertThat(told.get("inUse").asInt()).isEqualTo(OLD.newest());
    assertThat(told.get("blockers")).hasSize(1);
    assertThat(told.get("servers").get(0).get("speaks").get("newest").asInt())
        .isEqualTo(NEW.newest());
    Ran finished = upgrade("finish", file);
    assertThat(finished.code()).isEqualTo(ExitCode.VIOLATION);
    assertThat(finished.err()).contains("nothing was changed", "eu-1: it speaks");
    for (MortyServer server : servers) {
      assertThat(server.clusterVersion()).isEqualTo(OLD.newest());
    }
  }

  /** This program is itself a client that a finished upgrade would lock out. */
  @Test
  void oldClientsBlockTheUpgradeAndAnOldCommandCannotFinishIt() throws Exception {
    Path file = start(NEW, OLD, NEW);
    servers.get(1).close();
    ClusterConfig config = ClusterConfig.load(file);
    servers.set(1, MortyServer.start(config, "eu-1", ServerOptions.DEFAULTS.withVersions(NEW)));
    servers.get(1).serving().get(30, TimeUnit.SECONDS);
    Ran checked = upgrade("check", file);
    assertThat(checked.code()).isEqualTo(ExitCode.VIOLATION);
    assertThat(checked.out())
        .contains("'morty upgrade finish' would raise the version to " + NEW.newest())
        .contains("us-1: of its 1 clients some speak only up to version " + OLD.newest());
    Ran finished = upgrade("finish", file);
    assertThat(finished.code()).isEqualTo(ExitCode.VIOLATION);
    assertThat(finished.err()).contains("--refuse-old-clients");
    Ran forced = upgrade("finish", file, "--refuse-old-clients");
    assertThat(forced.code()).isEqualTo(ExitCode.VIOLATION);
    assertThat(forced.err()).contains("run the command of the servers' release");
    for (MortyServer server : servers) {
      assertThat(server.clusterVersion()).isEqualTo(OLD.newest());
    }
  }

  @Test
  void aServerThatDoesNotAnswerIsNamed() throws Exception {
    Path file = start(OLD, OLD, OLD);
    servers.get(2).close();
    Ran checked = upgrade("check", file, "--timeout", "2");
    assertThat(checked.code()).isEqualTo(ExitCode.FAILED);
    assertThat(checked.out()).contains("blocks: ap-1: cannot connect to");
    Ran finished = upgrade("finish", file, "--timeout", "2");
    assertThat(finished.code()).isEqualTo(ExitCode.FAILED);
    assertThat(finished.err()).contains("nothing was changed", "ap-1: cannot connect to");
  }

  @Test
  void aWrongCommandLineIsRefused() {
    assertThat(morty("upgrade").code()).isEqualTo(ExitCode.USAGE);
    assertThat(morty("upgrade", "check").code()).isEqualTo(ExitCode.USAGE);
    Path missing = folder.resolve("missing.conf");
    assertThat(upgrade("check", missing).code()).isEqualTo(ExitCode.USAGE);
    assertThat(upgrade("finish", missing, "--timeout", "0").code()).isEqualTo(ExitCode.USAGE);
  }
}
