package org.mortydb.bench.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;

/** One server in a process of its own; what it prints goes to a log file. */
public final class ServerProcess {
  private static final long END_SECONDS = 3;

  private final String name;
  private final Path log;
  private final Process process;
  private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
  private final CompletableFuture<Boolean> serving = new CompletableFuture<>();
  private final LongAdder recovered;
  private final long startNanos = System.nanoTime();

  /** Whether it was stopped or killed. */
  private volatile boolean ended;

  private volatile boolean paused;

  /** The time at which it reported that it serves. */
  private volatile long servingNanos;

  /**
   * Starts the process, which prints the lines of a {@link ServerProcessMain}.
   *
   * @param recovered the counter of reported recoveries
   */
  public ServerProcess(String name, List<String> command, Path log, LongAdder recovered)
      throws IOException {
    this.name = name;
    this.log = log;
    this.recovered = recovered;
    this.process = new ProcessBuilder(command).redirectErrorStream(true).start();
    Thread.ofPlatform().daemon().name("morty-bench-log-" + name).start(this::copyOutput);
  }

  private void copyOutput() {
    long told = 0;
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8);
        Writer out =
            Files.newBufferedWriter(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        out.write(line + System.lineSeparator());
        out.flush();
        if (line.startsWith(ServerProcessMain.READY_MARK)) {
          ready.complete(true);
        } else if (line.startsWith(ServerProcessMain.SERVING_MARK)) {
          servingNanos = System.nanoTime();
          serving.complete(true);
        } else {
          Matcher count = ServerProcessMain.RECOVERED_LINE.matcher(line);
          if (count.lookingAt()) {
            long now = Long.parseLong(count.group(1));
            recovered.add(now - told);
            told = now;
          }
        }
      }
    } catch (IOException e) {
      // The process has ended or the disk is full, so there is nothing left to copy.
    }
    ready.complete(false);
    serving.complete(false);
  }

  /** Its process. */
  public ProcessHandle handle() {
    return process.toHandle();
  }

  /**
   * Waits until the server accepts connections.
   *
   * @throws ClusterFailedException if it has ended, or takes too long
   */
  void awaitReady(long deadlineNanos) throws InterruptedException {
    long rest = Math.max(0, deadlineNanos - System.nanoTime());
    try {
      if (!ready.get(rest, TimeUnit.NANOSECONDS)) {
        boolean unused = process.waitFor(END_SECONDS, TimeUnit.SECONDS);
        throw new ClusterFailedException(name + " did not start, it " + ending());
      }
    } catch (TimeoutException e) {
      throw new ClusterFailedException(
          name + " did not become ready in time; its log is " + log + lastLines(), e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Waits until the server serves.
   *
   * @return false if it takes too long
   * @throws ClusterFailedException if it has ended
   */
  public boolean awaitServing(long deadlineNanos) throws InterruptedException {
    long rest = Math.max(0, deadlineNanos - System.nanoTime());
    try {
      if (!serving.get(rest, TimeUnit.NANOSECONDS)) {
        boolean unused = process.waitFor(END_SECONDS, TimeUnit.SECONDS);
        throw new ClusterFailedException(name + " did not serve, it " + ending());
      }
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The failure of a server that did not serve in time. */
  ClusterFailedException notServing(long seconds) {
    return new ClusterFailedException(
        name + " does not serve after " + seconds + " s; its log is " + log + lastLines());
  }

  /**
   * Checks that it runs, unless it was stopped or killed.
   *
   * @throws ClusterFailedException if it has ended by itself
   */
  public void check() {
    if (!process.isAlive() && !ended) {
      throw new ClusterFailedException(name + " " + ending());
    }
  }

  /** Whether it runs, and has reported that all its replicas serve. */
  public boolean isServing() {
    return !ended && !paused && serving.getNow(false) && ready.getNow(false);
  }

  /** Whether it was stopped or killed. */
  boolean hasEnded() {
    return ended;
  }

  /** Pauses it (SIGSTOP); returns whether the kernel reports it as stopped. */
  boolean pause() throws IOException, InterruptedException {
    paused = true;
    return Signals.pause(handle());
  }

  /** Lets it continue (SIGCONT) if it is paused. */
  void resume() throws IOException, InterruptedException {
    if (paused) {
      Signals.resume(handle());
      paused = false;
    }
  }

  /** Kills the process (SIGKILL), and waits for its end. */
  public void kill() throws InterruptedException {
    ended = true;
    process.destroyForcibly();
    process.waitFor();
  }

  /** The time from the start of the process until it served. It must serve. */
  long nanosToServing() {
    return servingNanos - startNanos;
  }

  private String ending() {
    String how = process.isAlive() ? "closed its output" : "ended with " + process.exitValue();
    return how + "; its log is " + log + lastLines();
  }

  private String lastLines() {
    String lines = ChildJvm.lastLines(log);
    return lines.isEmpty() ? "" : " and ends so:" + lines;
  }

  /** Asks the process to end (SIGTERM). */
  public void end() {
    ended = true;
    process.destroy();
  }

  /**
   * Waits for its end after {@link #end}, and kills it if that takes too long.
   *
   * @return whether it ended by itself
   */
  public boolean awaitEnd() {
    return awaitEnd(END_SECONDS);
  }

  /** Waits with another timeout. */
  boolean awaitEnd(long seconds) {
    try {
      if (process.waitFor(seconds, TimeUnit.SECONDS)) {
        return true;
      }
      process.destroyForcibly();
      return false;
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
