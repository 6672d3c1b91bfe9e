package org.mortydb.faults.nemesis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.mortydb.bench.cluster.ChildJvm;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.check.jepsen.HistoryCheck;
import org.mortydb.check.jepsen.OperationType;
import org.mortydb.check.jepsen.Places;
import org.mortydb.faults.nemesis.RecordedWorkload.Executor;
import us.bpsm.edn.Keyword;
import us.bpsm.edn.parser.Parser;
import us.bpsm.edn.parser.Parsers;
import us.bpsm.edn.printer.Printers;

/** A client in a process of its own. Safe for use by several threads. */
final class ClientProcess implements Executor, AutoCloseable {
  private static final long START_SECONDS = 60;
  private static final List<String> JVM =
      List.of(
          "-Xmx192m",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseCompactObjectHeaders",
          "--enable-native-access=ALL-UNNAMED");

  private final Process process;
  private final Writer in;
  private final Map<Long, CompletableFuture<Reply>> pending = new ConcurrentHashMap<>();
  private final AtomicLong nextId = new AtomicLong();
  private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
  private final Path log;

  private ClientProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
    this.in = process.outputWriter(StandardCharsets.UTF_8);
  }

  /**
   * Starts a process without waiting for it.
   *
   * @param config the cluster file of this client
   * @param log the file to which its messages are appended
   */
  static ClientProcess start(
      Path config, String region, long deadlineMillis, PlantedError planted, Path log)
      throws IOException {
    List<String> command =
        ChildJvm.command(
            JVM,
            ClientMain.class,
            config.toString(),
            region,
            Long.toString(deadlineMillis),
            planted.name());
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    ClientProcess client = new ClientProcess(process, log);
    Thread.ofPlatform().daemon().name("morty-bench-client-out").start(client::readAnswers);
    return client;
  }

  private void readAnswers() {
    Parser parser = Parsers.newParser(Parsers.defaultConfiguration());
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        if (line.equals(ClientMain.READY)) {
          ready.complete(true);
        } else {
          answer((Map<?, ?>) parser.nextValue(Parsers.newParseable(line)));
        }
      }
    } catch (IOException e) {
      // The process has died.
    } finally {
      ready.complete(false);
      for (Long id : List.copyOf(pending.keySet())) {
        died(id);
      }
    }
  }

  private void answer(Map<?, ?> message) {
    CompletableFuture<Reply> waiting = pending.remove(Values.number(message, "id"));
    if (waiting != null) {
      OperationType type = OperationType.valueOf(((Keyword) Values.get(message, "type")).getName());
      waiting.complete(
          new Reply(
              type,
              message.get(Values.keyword("value")),
              message.get(Values.keyword("error")),
              Places.of(message.get(Values.keyword("place")))));
    }
  }

  private void died(long id) {
    CompletableFuture<Reply> waiting = pending.remove(id);
    if (waiting != null) {
      waiting.complete(Reply.info("client-died"));
    }
  }

  /**
   * Waits until it is connected.
   *
   * @throws ClusterFailedException when it cannot connect
   */
  void awaitReady() throws InterruptedException {
    try {
      if (ready.get(START_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (TimeoutException | ExecutionException e) {
      // Thrown below.
    }
    throw new ClusterFailedException(
        "a client process did not connect within %d s; see its log %s"
            .formatted(START_SECONDS, log));
  }

  /** Whether it is connected, and alive. */
  boolean isReady() {
    return ready.getNow(false) && process.isAlive();
  }

  /** Whether it has ended. */
  boolean hasEnded() {
    return !process.isAlive();
  }

  /** The operations that it has begun and not answered. */
  int inFlight() {
    return pending.size();
  }

  @Override
  public Reply execute(HistoryCheck workload, Request request, long timeoutMillis)
      throws InterruptedException {
    long id = nextId.incrementAndGet();
    CompletableFuture<Reply> reply = new CompletableFuture<>();
    pending.put(id, reply);
    String line =
        Printers.printString(
            Values.map(
                "id", id,
                "workload", Values.keyword(workload.name()),
                "f", Values.keyword(request.f()),
                "value", request.value()));
    try {
      synchronized (in) {
        in.write(line + "\n");
        in.flush();
      }
    } catch (IOException e) {
      died(id); // perhaps before the process has read the whole line
    }
    if (!process.isAlive()) {
      died(id);
    }
    try {
      return reply.get(timeoutMillis, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return Reply.info("timeout");
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } finally {
      pending.remove(id);
    }
  }

  /** Kills it (SIGKILL), and waits for its end. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
