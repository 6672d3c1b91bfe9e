package org.mortydb.bench.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.InvalidConfigException;

/**
 * A cluster whose servers are processes of their own. They end with this process, however that
 * ends: a shutdown hook ends them, and they watch their parent.
 *
 * <p>Servers, named by their place from 0 on, can be killed and started again; by one thread.
 */
public final class ProcessCluster implements LocalCluster {
  private static final String FILE = "cluster.conf";

  private final ClusterConfig config;
  private final ClusterSettings settings;
  private final Path folder;
  private final List<ServerProcess> servers = new CopyOnWriteArrayList<>();
  private final Thread hook = new Thread(this::endAtExit, "morty-bench-end");

  private final LongAdder recovered = new LongAdder();

  private volatile boolean kept;
  private volatile boolean leavesNothing;

  private ProcessCluster(ClusterConfig config, ClusterSettings settings, Path folder) {
    this.config = config;
    this.settings = settings;
    this.folder = folder;
  }

  /**
   * Starts the servers; returns when all accept connections.
   *
   * @throws ClusterFailedException when one cannot be started
   */
  public static ProcessCluster start(ClusterSettings settings) throws InterruptedException {
    return start(settings, false);
  }

  /**
   * The same with an admin address for each server, where it shows the live page.
   *
   * @throws ClusterFailedException when one cannot be started
   */
  public static ProcessCluster startWithAdmin(ClusterSettings settings)
      throws InterruptedException {
    return start(settings, true);
  }

  /** What each server sees of the cluster. */
  @FunctionalInterface
  public interface Views {
    /**
     * The configuration for a server; it has its own address from it, and those of the others.
     *
     * @param server by its place from 0 on
     * @param config that of the cluster
     * @param text the same as text
     */
    String of(int server, ClusterConfig config, String text) throws IOException;
  }

  /**
   * The same with a configuration of its own for each server, so that something may stand between
   * them.
   *
   * @throws ClusterFailedException when one cannot be started
   */
  public static ProcessCluster startWithViews(ClusterSettings settings, Views views)
      throws InterruptedException {
    return start(settings, false, views);
  }

  private static ProcessCluster start(ClusterSettings settings, boolean admin)
      throws InterruptedException {
    return start(settings, admin, (_, _, text) -> text);
  }

  private static ProcessCluster start(ClusterSettings settings, boolean admin, Views views)
      throws InterruptedException {
    ProcessCluster cluster = prepare(settings, admin, views);
    boolean started = false;
    try {
      cluster.startServers();
      started = true;
      return cluster;
    } catch (IOException e) {
      throw new ClusterFailedException("a server cannot be started: " + e.getMessage(), e);
    } finally {
      if (!started) {
        cluster.end(); // and leave the logs
      }
    }
  }

  private static ProcessCluster prepare(ClusterSettings settings, boolean admin, Views views) {
    try {
      Path folder = ClusterFile.newFolder(settings);
      String text = ClusterFile.of(settings, folder, admin);
      ClusterConfig config = ClusterConfig.parse(text);
      Files.writeString(folder.resolve(FILE), text);
      for (int server = 0; server < settings.regionCount(); server++) {
        Files.writeString(view(folder, server), views.of(server, config, text));
      }
      return new ProcessCluster(config, settings, folder);
    } catch (IOException | InvalidConfigException e) {
      throw new ClusterFailedException("the cluster cannot be configured: " + e.getMessage(), e);
    }
  }

  private void startServers() throws IOException, InterruptedException {
    Runtime.getRuntime().addShutdownHook(hook);
    for (int region = 0; region < settings.regionCount(); region++) {
      servers.add(newProcess(region));
    }
    long deadline = System.nanoTime() + START_SECONDS * 1_000_000_000L;
    for (ServerProcess server : servers) {
      server.awaitReady(deadline);
    }
    for (ServerProcess server : servers) {
      if (!server.awaitServing(deadline)) {
        check(); // one that has ended is why the others do not serve
        throw server.notServing(START_SECONDS);
      }
    }
  }

  private ServerProcess newProcess(int server) throws IOException {
    String name = ClusterFile.serverName(server);
    Path log = folder.resolve(name + ".log");
    return new ServerProcess(name, command(name, view(folder, server)), log, recovered);
  }

  /** The configuration file that a server reads. */
  private static Path view(Path folder, int server) {
    return folder.resolve(ClusterFile.serverName(server) + ".conf");
  }

  private List<String> command(String name, Path file) {
    return ChildJvm.command(
        settings.serverJvmOptions(),
        ServerProcessMain.class,
        "--config",
        file.toString(),
        "--name",
        name);
  }

  @Override
  public ClusterConfig config() {
    return config;
  }

  @Override
  public List<ProcessHandle> processes() {
    return servers.stream().map(ServerProcess::handle).toList();
  }

  @Override
  public void check() {
    servers.forEach(ServerProcess::check);
  }

  /** The file with its configuration, for other processes. */
  public Path configFile() {
    return folder.resolve(FILE);
  }

  /** How many servers there are, those that are down included. */
  public int size() {
    return servers.size();
  }

  /** Kills a server's process (SIGKILL), and waits for its end. */
  public void kill(int server) throws InterruptedException {
    servers.get(server).kill();
  }

  /** Whether a server was killed or stopped, and not started again. */
  public boolean isDown(int server) {
    return servers.get(server).hasEnded();
  }

  /** Pauses a server (SIGSTOP); returns whether the kernel reports its process as stopped. */
  public boolean pause(int server) throws IOException, InterruptedException {
    return servers.get(server).pause();
  }

  /** Lets a server continue (SIGCONT) if it is paused. */
  public void resume(int server) throws IOException, InterruptedException {
    servers.get(server).resume();
  }

  /** Whether there is anything that a server has stored. */
  public boolean hasStored(int server) {
    return Files.exists(stored(server));
  }

  private Path stored(int server) {
    return dataFolder().resolve(ClusterFile.serverName(server));
  }

  /** Deletes all that a server has stored; it must be down. */
  public void wipe(int server) throws IOException {
    if (hasStored(server)) {
      try (Stream<Path> files = Files.walk(stored(server))) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /** Starts a server again that is down; does not wait for it. */
  public void restart(int server) throws IOException {
    servers.set(server, newProcess(server));
  }

  /** Whether a server runs, and has said since its last start that all its replicas serve. */
  public boolean isServing(int server) {
    return servers.get(server).isServing();
  }

  /** The servers that serve. */
  public List<Integer> serving() {
    return IntStream.range(0, size()).filter(this::isServing).boxed().toList();
  }

  /**
   * Waits until a server serves; its process may have been started long ago.
   *
   * @return nanoseconds from the start of its process until it said so
   * @throws ClusterFailedException when it has ended, or does not serve in time
   */
  public long awaitServing(int server, long seconds) throws InterruptedException {
    ServerProcess process = servers.get(server);
    if (!process.awaitServing(System.nanoTime() + seconds * 1_000_000_000L)) {
      throw process.notServing(seconds);
    }
    return process.nanosToServing();
  }

  /**
   * Asks a server to stop (SIGTERM), and waits until it has.
   *
   * @throws ClusterFailedException when it has to be killed because it takes longer than that
   */
  public void stop(int server, long seconds) {
    ServerProcess process = servers.get(server);
    process.end();
    if (!process.awaitEnd(seconds)) {
      throw new ClusterFailedException(
          "%s has not stopped within %d s of SIGTERM and was killed; its log is in %s"
              .formatted(ClusterFile.serverName(server), seconds, keep()));
    }
  }

  /**
   * How many transactions the servers said they have decided by recovery, those included that were
   * killed since. What one did in the half second before it was killed may be missing.
   */
  public long recovered() {
    return recovered.sum();
  }

  /** The sizes of the files that a server has stored, in bytes, by their names. */
  public Map<String, Long> storedFiles(int server) throws IOException {
    Path data = dataFolder().resolve(ClusterFile.serverName(server));
    Map<String, Long> sizes = new TreeMap<>();
    if (!Files.exists(data)) {
      return sizes;
    }
    try (Stream<Path> files = Files.walk(data)) {
      for (Path file : files.toList()) {
        // Servers delete files while they are counted.
        if (file.toFile().isFile()) {
          sizes.put(data.relativize(file).toString(), file.toFile().length());
        }
      }
    } catch (UncheckedIOException e) {
      return sizes;
    }
    return sizes;
  }

  /** Bytes in the files that a server has stored. */
  public long dataBytes(int server) throws IOException {
    return storedFiles(server).values().stream().mapToLong(Long::longValue).sum();
  }

  private Path dataFolder() {
    return folder.resolve(ClusterFile.DATA);
  }

  /** Leaves the servers' logs and data where they are when it is closed; returns where. */
  public Path keep() {
    kept = true;
    return folder;
  }

  /** Has logs and data deleted even if this process is interrupted before it closes the cluster. */
  public void leaveNothing() {
    leavesNothing = true;
  }

  private void endAtExit() {
    end();
    if (leavesNothing && !kept) {
      ClusterFile.delete(folder);
    }
  }

  private void end() {
    servers.forEach(ServerProcess::end);
    servers.forEach(ServerProcess::awaitEnd);
  }

  @Override
  public void close() {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return; // the hook is running
    }
    if (!kept) {
      ClusterFile.delete(folder);
    }
  }
}
