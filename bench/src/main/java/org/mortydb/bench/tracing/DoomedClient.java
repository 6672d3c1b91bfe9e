package org.mortydb.bench.tracing;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.mortydb.bench.cluster.ChildJvm;

/** A client process that is killed during a commit. */
final class DoomedClient {
  private DoomedClient() {}

  /**
   * Starts a client, and kills it (SIGKILL) when all replicas have its Prepare. Returns after its
   * end.
   *
   * @param configuration the cluster's file
   * @return the id of its transaction's trace
   * @throws TracingFailedException if it ends by itself
   */
  static String runAndKill(Path configuration, String region) throws InterruptedException {
    List<String> command =
        ChildJvm.command(
            List.of("-Xmx128m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"),
            DoomedClientMain.class,
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
          "cannot start the client to be killed: " + e.getMessage(), e);
    }
    throw new TracingFailedException(
        "the client to be killed ended by itself and printed:" + printed);
  }
}
