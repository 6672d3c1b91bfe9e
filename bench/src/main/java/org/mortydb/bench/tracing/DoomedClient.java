package org.mortydb.bench.tracing;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** A client process that is killed amid a commit. */
final class DoomedClient {
  private DoomedClient() {}

  /**
   * Starts one, and kills it (SIGKILL) when all replicas have its Prepare. Returns when it is gone.
   *
   * @param configuration the cluster's file
   * @return the name of its transaction's trace
   * @throws TracingFailedException when it ends before
   */
  static String runAndKill(Path configuration, String region) throws InterruptedException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            DoomedClientMain.class.getName(),
            configuration.toString(),
            region);
    StringBuilder printed = new StringBuilder();
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          if (line.startsWith(DoomedClientMain.PREPARED_MARK)) {
            return line.substring(DoomedClientMain.PREPARED_MARK.length());
          }
          printed.append('\n').append(line);
        }
      } finally {
        process.destroyForcibly();
        process.waitFor();
      }
    } catch (IOException e) {
      throw new TracingFailedException(
          "the client that is to be killed cannot be started: " + e.getMessage(), e);
    }
    throw new TracingFailedException(
        "the client that was to be killed ended by itself and printed:" + printed);
  }
}
