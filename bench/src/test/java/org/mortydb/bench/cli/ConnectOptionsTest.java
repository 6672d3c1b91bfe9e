package org.mortydb.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.Main;
import org.mortydb.config.ClusterConfig;
import org.mortydb.server.MortyServer;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;

/** Workloads on a cluster that others have started. */
@Timeout(90)
final class ConnectOptionsTest {
  @TempDir Path folder;

  private final List<MortyServer> servers = new ArrayList<>();

  @BeforeEach
  void startCluster() throws Exception {
    ClusterConfig config = ClusterConfig.load(write());
    for (var server : config.servers()) {
      servers.add(MortyServer.start(config, server.name()));
    }
    for (MortyServer server : servers) {
      server.serving().get(60, TimeUnit.SECONDS);
    }
  }

  @AfterEach
  void stopCluster() {
    servers.forEach(MortyServer::close);
  }

  private Path file() {
    return folder.resolve("cluster.conf");
  }

  private Path write() throws IOException {
    StringBuilder text = new StringBuilder("cluster { name = running, regions = [us, eu, ap]\n");
    text.append("servers = [\n");
    for (String region : List.of("us", "eu", "ap")) {
      text.append(
          "{ name = %s-1, region = %s, listen = \"127.0.0.1:%d\" }\n"
              .formatted(region, region, freePort()));
    }
    text.append("] }\nserver.durability = memory\n");
    return Files.writeString(file(), text);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Test
  void twoRunsAfterEachOther() {
    for (String region : List.of("eu", "us,ap")) {
      CommandRun command = new CommandRun(folder);
      JsonNode record =
          command.run(
              "transfer --accounts 50 --clients 4 --warmup 0.5 --seconds 1 --connect "
                  + file()
                  + " --region "
                  + region);
      assertThat(record.get("committedPerSecond").asDouble()).isGreaterThan(1);
      assertThat(record.get("serializable").asBoolean()).isTrue();
      assertThat(record.get("consistent").asBoolean()).isTrue();
      assertThat(record.get("settings").get("cluster").asString()).isEqualTo("running");
      assertThat(record.get("settings").get("clientRegions").size())
          .isEqualTo(region.split(",").length);
      assertThat(record.get("cpuMicrosPerCommit").isNull()).isTrue();
    }
  }

  @Test
  void whatDoesNotGoTogetherIsRefused() {
    String connect = "--connect " + file();
    assertThat(refusal(connect + " --partitions 4")).contains("--partitions is for a cluster of");
    assertThat(refusal(connect + " --simulated")).contains("--simulated is for a cluster of");
    assertThat(refusal(connect + " --region mars")).contains("no region 'mars'", "us, eu, ap");
    assertThat(refusal(connect + " --round-trip -1")).contains("--round-trip must be");
    assertThat(refusal("--connect " + folder.resolve("none.conf"))).contains("none.conf");
    assertThat(refusal(connect + " --read-only-level bounded:2s"))
        .contains("bounded:2s", "at least 15000 ms old");
    assertThat(refusal(connect + " --read-only-level strict")).contains("clock-uncertainty");
    assertThat(refusal("--region us")).contains("--region needs --connect");
    assertThat(refusal("--round-trip 5")).contains("--round-trip needs --connect");
  }

  private static String refusal(String args) {
    StringWriter err = new StringWriter();
    CommandLine command = Main.commandLine().setErr(new PrintWriter(err, true));
    assertThat(command.execute(("bench transfer " + args).split(" "))).isEqualTo(ExitCode.USAGE);
    return err.toString();
  }
}
