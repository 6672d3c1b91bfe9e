package org.mortydb.faults.nemesis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.mortydb.bench.cluster.ClusterFailedException;

/** Stops processes of this machine, lets them go on, and looks whether they really did. */
final class Signals {
  private static final long PATIENCE_NANOS = 2_000_000_000L;
  private static final long POLL_MILLIS = 5;

  private Signals() {}

  /** Sends SIGSTOP; returns whether the kernel then calls the process stopped. */
  static boolean stop(ProcessHandle process) throws IOException, InterruptedException {
    send("STOP", process);
    return await(process, true);
  }

  /** Sends SIGCONT; returns whether the process then is stopped no more. */
  static boolean proceed(ProcessHandle process) throws IOException, InterruptedException {
    send("CONT", process);
    return await(process, false);
  }

  /** The shell's own command: not every machine has a program for it. */
  private static void send(String signal, ProcessHandle process)
      throws IOException, InterruptedException {
    run("sh", "-c", "kill -" + signal + " " + process.pid());
  }

  private static boolean await(ProcessHandle process, boolean stopped)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (isStopped(process) != stopped) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      Thread.sleep(POLL_MILLIS);
    }
    return true;
  }

  private static boolean isStopped(ProcessHandle process) throws IOException, InterruptedException {
    return state(process).startsWith("T");
  }

  private static String state(ProcessHandle process) throws IOException, InterruptedException {
    Path stat = Path.of("/proc", Long.toString(process.pid()), "stat");
    if (!Files.exists(Path.of("/proc/self/stat"))) {
      return run("ps", "-o", "state=", "-p", Long.toString(process.pid())).strip();
    }
    try {
      // The name before it may hold anything, blanks and parentheses too.
      String text = Files.readString(stat);
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
          "'%s' ended with %d: %s".formatted(String.join(" ", List.of(command)), code, output));
    }
    return output;
  }
}
