package org.mortydb.faults.growth;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.mortydb.bench.cluster.ChildJvm;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.ProcessCluster;
import org.mortydb.bench.cluster.ServerProcess;
import org.mortydb.bench.cluster.ServerProcessMain;
import org.mortydb.config.ServerSpec;

/**
 * The server processes of a cluster that grows: those that found it, and those that join. A server
 * that joins starts with the addresses of a few others. Used by one thread.
 */
final class Servers implements AutoCloseable {
  private static final long SERVE_SECONDS = 120;

  private final ProcessCluster founders;
  private final ClusterSettings settings;
  private final Path folder;
  private final LongAdder recovered = new LongAdder();
  private final Map<String, ServerProcess> joined = new LinkedHashMap<>();

  /** By name, of those that run or are to be started again. */
  private final Map<String, Integer> founding = new LinkedHashMap<>();

  private long usedByEnded;

  Servers(ProcessCluster founders, ClusterSettings settings) {
    this.founders = founders;
    this.settings = settings;
    this.folder = requireNonNull(founders.configFile().toAbsolutePath().getParent());
    List<ServerSpec> first = founders.config().servers();
    for (int i = 0; i < first.size(); i++) {
      founding.put(first.get(i).name(), i);
    }
  }

  /**
   * Starts a server that has joined, and waits until it serves.
   *
   * @param seeds the servers of the cluster
   */
  void join(String name, List<ServerSpec> seeds) throws IOException, InterruptedException {
    Files.writeString(
        file(name),
        "%sserver { durability = %s, data = \"%s\", event-loops = 1 }%n"
            .formatted(seeded(seeds), settings.durability(), folder.resolve("data")));
    start(name);
  }

  private String seeded(List<ServerSpec> seeds) {
    String addresses =
        seeds.stream()
            .map(server -> '"' + server.address().toString() + '"')
            .collect(Collectors.joining(", "));
    return "cluster { name = %s, seeds = [%s] }%n".formatted(founders.config().name(), addresses);
  }

  /**
   * The configuration of a client that knows the addresses of these servers alone.
   *
   * @param seeds the servers of the cluster
   */
  Path clientFile(List<ServerSpec> seeds) throws IOException {
    return Files.writeString(file("client"), seeded(seeds));
  }

  private Path file(String name) {
    return folder.resolve(name + ".conf");
  }

  private void start(String name) throws IOException, InterruptedException {
    List<String> command =
        ChildJvm.command(
            settings.serverJvmOptions(),
            ServerProcessMain.class,
            "--config",
            file(name).toString(),
            "--name",
            name);
    ServerProcess server =
        new ServerProcess(name, command, folder.resolve(name + ".log"), recovered);
    joined.put(name, server);
    if (!server.awaitServing(System.nanoTime() + TimeUnit.SECONDS.toNanos(SERVE_SECONDS))) {
      throw new ClusterFailedException(
          "%s does not serve after %d s; its log is in %s"
              .formatted(name, SERVE_SECONDS, founders.keep()));
    }
  }

  /** Kills a server (SIGKILL). */
  void kill(String name) throws InterruptedException {
    usedByEnded += used(process(name));
    Integer founder = founding.get(name);
    if (founder != null) {
      founders.kill(founder);
    } else {
      joined(name).kill();
    }
  }

  private ProcessHandle process(String name) {
    Integer founder = founding.get(name);
    return founder != null ? founders.processes().get(founder) : joined(name).handle();
  }

  private static long used(ProcessHandle process) {
    return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
  }

  /** The processor time of all servers, in nanoseconds. */
  long cpuNanos() {
    return usedByEnded
        + Stream.concat(founding.keySet().stream(), joined.keySet().stream())
            .mapToLong(name -> used(process(name)))
            .sum();
  }

  private ServerProcess joined(String name) {
    ServerProcess server = joined.get(name);
    if (server == null) {
      throw new IllegalArgumentException("no process of " + name);
    }
    return server;
  }

  /** Starts a server again that was killed, and waits until it serves. */
  void restart(String name) throws IOException, InterruptedException {
    Integer founder = founding.get(name);
    if (founder != null) {
      founders.restart(founder);
      founders.awaitServing(founder, SERVE_SECONDS);
    } else {
      start(name);
    }
  }

  /** Stops a server that has left (SIGTERM). */
  void leave(String name) {
    usedByEnded += used(process(name));
    Integer founder = founding.remove(name);
    if (founder != null) {
      founders.stop(founder, SERVE_SECONDS);
      return;
    }
    ServerProcess server = joined(name);
    server.end();
    if (!server.awaitEnd()) {
      throw new ClusterFailedException(
          "%s has not stopped after SIGTERM; its log is in %s".formatted(name, founders.keep()));
    }
    joined.remove(name);
  }

  /**
   * Checks that all run that should.
   *
   * @throws ClusterFailedException if one has ended by itself
   */
  void check() {
    founders.check();
    joined.values().forEach(ServerProcess::check);
  }

  /** The names of those that serve. */
  List<String> serving() {
    return Stream.concat(
            founding.entrySet().stream()
                .filter(founder -> founders.isServing(founder.getValue()))
                .map(Map.Entry::getKey),
            joined.entrySet().stream()
                .filter(server -> server.getValue().isServing())
                .map(Map.Entry::getKey))
        .toList();
  }

  /** Transactions that servers have decided by recovery. */
  long recovered() {
    return founders.recovered() + recovered.sum();
  }

  @Override
  public void close() {
    joined.values().forEach(ServerProcess::end);
    joined.values().forEach(ServerProcess::awaitEnd);
  }
}
