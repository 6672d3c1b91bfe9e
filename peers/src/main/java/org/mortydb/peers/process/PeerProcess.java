package org.mortydb.peers.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.mortydb.bench.cluster.ClusterFailedException;

/** A process of another store, with its output in a file. Not thread-safe. */
public final class PeerProcess {
  private static final long END_SECONDS = 15;
  private static final int LAST_LINES = 12;

  private final String name;
  private final Path log;
  private final Process process;

  private PeerProcess(String name, Path log, Process process) {
    this.name = name;
    this.log = log;
    this.process = process;
  }

  /**
   * Starts a process.
   *
   * @param folder its working directory, which must exist
   * @param log the file of its output
   * @param environment variables in addition to those of this process
   * @throws ClusterFailedException if the program cannot be started
   */
  public static PeerProcess start(
      String name, List<String> command, Path folder, Path log, Map<String, String> environment) {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    try {
      return new PeerProcess(name, log, builder.start());
    } catch (IOException e) {
      throw new ClusterFailedException("cannot start " + name + ": " + e.getMessage(), e);
    }
  }

  /** The process, for its processor time. */
  public ProcessHandle handle() {
    return process.toHandle();
  }

  /**
   * Checks that the process runs.
   *
   * @throws ClusterFailedException if it has ended
   */
  public void check() {
    if (!process.isAlive()) {
      throw failed("ended with " + process.exitValue());
    }
  }

  /** A failure of the process, with the end of its output. */
  public ClusterFailedException failed(String what) {
    return new ClusterFailedException(
        name + " " + what + "; the end of its output:\n" + lastLines());
  }

  private String lastLines() {
    try {
      List<String> lines =
          new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
    } catch (IOException e) {
      return "(cannot read its output: " + e.getMessage() + ")";
    }
  }

  /** Asks the process to end. */
  public void end() {
    process.destroy();
  }

  /** Waits for its end after {@link #end}, and kills it after a time. */
  public void awaitEnd() {
    boolean interrupted = false;
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      interrupted = true;
      process.destroyForcibly();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
