package org.mortydb.bench.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Pauses processes of this machine, and checks with the kernel that it has happened. */
final class Signals {
  private static final long PATIENCE_NANOS = 2_000_000_000L;
  private static final long POLL_MILLIS = 5;

  private Signals() {}

  /** Sends SIGSTOP; returns whether the kernel then reports the process as stopped. */
  static boolean pause(ProcessHandle process) throws IOException, InterruptedException {
    return send("STOP", process, true);
  }

  /** Sends SIGCONT, and waits until the process continues. */
  static void resume(ProcessHandle process) throws IOException, InterruptedException {
    boolean _ = send("CONT", process, false);
  }

  private static boolean send(String signal, ProcessHandle process, boolean stopped)
      throws IOException, InterruptedException {
    // The shell's own command: not every machine has a program for it.
    run("sh", "-c", "kill -" + signal + " " + process.pid());
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (state(process).startsWith("T") != stopped) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      Thread.sleep(POLL_MILLIS);
    }
    return true;
  }

  private static String state(ProcessHandle process) throws IOException, InterruptedException {
    if (!Files.exists(Path.of("/proc/self/stat"))) {
      return run("ps", "-o", "state=", "-p", Long.toString(process.pid())).strip();
    }
    try {
      // The name before it may hold anything, blanks and parentheses too.
      String text = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
      return text.substring(text.lastIndexOf(')') + 2);
    } catch (IOException e) {
      return ""; // it has ended
    }
  }

  private static String run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    if (code != 0) {
      throw new ClusterFailedException(
          "'%s' ended with %d: %s".formatted(String.join(" ", command), code, output));
    }
    return output;
  }
}
