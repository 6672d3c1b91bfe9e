package org.mortydb.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.cli.CommandLines.morty;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.CommandLines.Ran;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.Main;

/** {@code morty demo}; the documents' commands run it with load. */
@Tag("slow")
@Timeout(120)
final class DemoCommandTest {
  @TempDir Path folder;

  /** A process of its own, because it is interrupted as people do it. */
  @Test
  void theClusterLivesUntilItIsInterrupted() throws Exception {
    Process demo = start("--duration", "100", "--clients", "0", "--delay", "5");
    List<ProcessHandle> servers = List.of();
    try (BufferedReader out = demo.inputReader()) {
      String page = lineWith(out, "Live page:").replace("Live page:", "").strip();
      Path config = Path.of(lineWith(out, "export MORTY_CONFIG=").split("=", 2)[1]);
      servers = demo.children().toList();
      assertThat(servers).hasSize(3);
      assertThat(get(page)).contains("<html");
      Ran status = morty("status", "--config", config.toString());
      assertThat(status.code()).as(status.out()).isEqualTo(ExitCode.OK);

      // Whoever was started in the background of a script ignores interrupts, and so do we then.
      boolean ignored = ignoresInterrupts(demo.pid());
      String signal = ignored ? "-TERM" : "-INT";
      assertThat(new ProcessBuilder("kill", signal, "" + demo.pid()).start().waitFor()).isZero();
      assertThat(demo.waitFor(60, TimeUnit.SECONDS)).as("ended by %s", signal).isTrue();
      assertThat(demo.exitValue()).isEqualTo(ignored ? 143 : 130);
      for (ProcessHandle server : servers) {
        server.onExit().get(10, TimeUnit.SECONDS);
      }
      assertThat(Files.exists(config.getParent())).isFalse();
    } finally {
      demo.destroyForcibly();
      servers.forEach(ProcessHandle::destroyForcibly);
    }
  }

  private static boolean ignoresInterrupts(long pid) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
        .filter(line -> line.startsWith("SigIgn:"))
        .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) >> 1 & 1) == 1);
  }

  private Process start(String... options) throws IOException {
    List<String> command =
        new java.util.ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "demo"));
    command.addAll(List.of(options));
    return new ProcessBuilder(command)
        .directory(new File("."))
        .redirectError(complaints().toFile())
        .start();
  }

  /** What the demo says on its standard error. */
  private Path complaints() {
    return folder.resolve("stderr");
  }

  private String lineWith(BufferedReader out, String text) throws IOException {
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.contains(text)) {
        return line;
      }
    }
    throw new AssertionError(
        "the demo ended without '" + text + "': " + Files.readString(complaints()));
  }

  private static String get(String page) throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> answer =
          http.send(HttpRequest.newBuilder(URI.create(page)).build(), BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      return answer.body();
    }
  }

  @Test
  void whatIsWrongIsNamed() {
    assertThat(morty("demo", "--duration", "0").err()).contains("--duration must be greater");
    assertThat(morty("demo", "--delay", "-1").err()).contains("--delay must be 0 to");
    assertThat(morty("demo", "--clients", "-1").err()).contains("--clients must be 0 or more");
    assertThat(morty("demo", "--keys", "1").err()).contains("keys must be 12 to");
  }
}
