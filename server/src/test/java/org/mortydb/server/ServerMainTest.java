package org.mortydb.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The main program, as a process of its own. */
@Timeout(60)
class ServerMainTest {
  @TempDir private Path folder;

  @Test
  void itIsReadyThenStopsWhenTold() throws Exception {
    Path config = write(TestCluster.text(""));
    Process process = start("--config", config.toString(), "--name", "s1");
    try (BufferedReader out = process.inputReader()) {
      assertThat(out.readLine())
          .startsWith("ready: server 's1' of cluster 'tea' listens on 127.0.0.1:")
          .endsWith(" and holds 1 replica");
      // Unlike the process's own method, leaves the streams open.
      assertThat(process.toHandle().destroy()).isTrue();
      assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
      assertThat(out.readLine()).isNull();
    }
    // 128 + SIGTERM: what a JVM ends with when it was told to.
    assertThat(process.exitValue()).isEqualTo(143);
  }

  @Test
  void aWrongConfigurationIsToldAndEndsWithTwo() throws Exception {
    Path config = write(TestCluster.text("server.durability = sync"));
    Process process = start("--config", config.toString(), "--name", "s1");
    assertThat(errorsOf(process))
        .contains("server.data (" + config + ":")
        .contains("must name the directory");
    assertThat(process.exitValue()).isEqualTo(2);
  }

  @Test
  void whatIsMissingIsNamed() throws Exception {
    String good = write(TestCluster.text("")).toString();
    assertWrong("none.conf does not exist", "--config", folder + "/none.conf", "--name", "s1");
    assertWrong("there is no server 's9' in cluster 'tea'", "--config", good, "--name", "s9");
    assertWrong("Missing required option: '--name=NAME'", "--config", good);
  }

  private static void assertWrong(String error, String... arguments) {
    StringWriter errors = new StringWriter();
    int exitCode =
        ServerMain.commandLine().setErr(new PrintWriter(errors, true)).execute(arguments);
    assertThat(errors.toString()).contains(error);
    assertThat(exitCode).isEqualTo(2);
  }

  private Path write(String text) throws IOException {
    return Files.writeString(folder.resolve("cluster.conf"), text);
  }

  private static Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx64m", "-XX:TieredStopAtLevel=1"));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ServerMain.class.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).start();
  }

  private static String errorsOf(Process process) throws Exception {
    String errors = new String(process.getErrorStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    return errors;
  }
}
