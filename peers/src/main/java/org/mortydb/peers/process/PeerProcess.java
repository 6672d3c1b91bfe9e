package org.mortydb.peers.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.mortydb.bench.cluster.ClusterFailedException;

/** One process of another store; what it prints goes to a file. Used by one thread. */
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
   * @param log gets what it prints
   * @param environment variables beside those of this process
   * @throws ClusterFailedException when the program cannot be started
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
      throw new ClusterFailedException(name + " cannot be started: " + e.getMessage(), e);
    }
  }

  /** The process, for the time that it uses. */
  public ProcessHandle handle() {
    return process.toHandle();
  }

  /**
   * Sees that it is still there.
   *
   * @throws ClusterFailedException when it has ended
   */
  public void check() {
    if (!process.isAlive()) {
      throw failed("ended with " + process.exitValue());
    }
  }

  /** What to say when it does not do what it should, with the end of what it printed. */
  public ClusterFailedException failed(String what) {
    return new ClusterFailedException(name + " " + what + "; it printed last:\n" + lastLines());
  }

  private String lastLines() {
    try {
      List<String> lines =
          new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
    } catch (IOException e) {
      return "(its output cannot be read: " + e.getMessage() + ")";
    }
  }

  /** Asks it to end. */
  public void end() {
    process.destroy();
  }

  /** Waits for its end after {@link #end}; kills it when that takes too long. */
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
