package org.mortydb.bench.agent;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.agent.AgentMessages.LoadCommand;
import org.mortydb.bench.agent.AgentMessages.LoadSpec;
import org.mortydb.bench.agent.AgentMessages.LoadState;
import org.mortydb.bench.cluster.ChildJvm;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** A process with clients, seen from its agent. Thread-safe. */
final class LoadProcess {
  private static final JsonMapper MAPPER = new JsonMapper();
  private static final String LOG = "clients.log";
  private static final long END_SECONDS = 3;
  private static final LoadState STARTING = new LoadState(-1, "", "", 0, 0, "");

  private final Process process;
  private final Writer in;
  private final Path log;
  private LoadState state = STARTING;
  private @Nullable String failure;
  private boolean ended;
  private int commands;

  /** Starts the process. */
  LoadProcess(LoadSpec spec, List<String> jvm, Path folder) throws IOException {
    log = folder.resolve(LOG);
    process =
        new ProcessBuilder(ChildJvm.command(jvm, LoadProcessMain.class, folder.toString()))
            .redirectError(log.toFile())
            .start();
    in = process.outputWriter(StandardCharsets.UTF_8);
    Thread.ofVirtual().name("morty-agent-clients").start(this::readOutput);
    write(spec);
  }

  private void write(Object line) throws IOException {
    in.write(MAPPER.writeValueAsString(line));
    in.write('\n');
    in.flush();
  }

  private void readOutput() {
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        take(MAPPER.readValue(line, LoadProcessMain.Line.class));
      }
    } catch (IOException e) {
      // The process has ended.
    } catch (JacksonException e) {
      fail("the process with clients printed something else than progress: " + e.getMessage());
      process.destroyForcibly();
    }
    String ending;
    try {
      ending =
          process.waitFor(END_SECONDS, TimeUnit.SECONDS)
              ? "ended with exit code " + process.exitValue()
              : "closed its output";
    } catch (InterruptedException e) {
      return;
    }
    if (!hasEnded()) {
      fail("the process with clients " + ending + lastLines());
    }
  }

  private synchronized void take(LoadProcessMain.Line line) {
    Integer number = line.answered();
    LoadProcessMain.Shown shown = line.progress();
    if (number != null) {
      state = new LoadState(number, "", "", 0, 0, "");
    } else if (shown != null) {
      state =
          new LoadState(
              state.answered(),
              shown.phase(),
              shown.unit(),
              shown.done(),
              shown.total(),
              shown.message());
    } else if (line.failure() != null) {
      fail(line.failure());
    }
  }

  /** The first failure counts; what follows from it does not. */
  private synchronized void fail(String reason) {
    if (failure == null) {
      failure = reason;
    }
  }

  private String lastLines() {
    String lines = ChildJvm.lastLines(log);
    return lines.isEmpty() ? "" : "; its log ends so:" + lines;
  }

  private synchronized boolean hasEnded() {
    return ended;
  }

  /**
   * Gives the next command.
   *
   * @return its number
   * @throws IllegalStateException if the one before has no answer yet
   */
  synchronized int command(LoadCommand command) throws IOException {
    if (state.answered() != commands) {
      throw new IllegalStateException("the clients are still busy with command " + commands);
    }
    write(command);
    return ++commands;
  }

  synchronized LoadState state() {
    return state;
  }

  /** Why it cannot go on; null while it can. */
  synchronized @Nullable String failure() {
    return failure;
  }

  /** Ends the process, and waits for its end. */
  void end() {
    synchronized (this) {
      ended = true;
    }
    process.destroyForcibly();
    try {
      process.waitFor(END_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
