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
 * A cluster whose servers have their own processes. They always end with this process: a shutdown
 * hook ends them, and they watch their parent.
 *
 * <p>Servers have indexes from 0. They can be killed and restarted. Not thread-safe.
 */
public final class ProcessCluster implements LocalCluster {
  private static final String FILE = "cluster.conf";

  private final ClusterConfig config;
  private final ClusterSettings settings;
  private final String classPath;
  private final Path folder;
  private final List<ServerProcess> servers = new CopyOnWriteArrayList<>();
  private final Thread hook = new Thread(this::endAtExit, "morty-bench-end");

  private final LongAdder recovered = new LongAdder();

  private volatile boolean kept;

  private ProcessCluster(
      ClusterConfig config, ClusterSettings settings, String classPath, Path folder) {
    this.config = config;
    this.settings = settings;
    this.classPath = classPath;
    this.folder = folder;
  }

  /**
   * Starts the servers. Returns when all serve.
   *
   * @throws ClusterFailedException if one cannot be started
   */
  public static ProcessCluster start(ClusterSettings settings) throws InterruptedException {
    return start(settings, false);
  }

  /**
   * Starts servers of another build, such as an older release.
   *
   * @param classPath of that build
   * @throws ClusterFailedException if one cannot be started
   */
  public static ProcessCluster startOf(String classPath, ClusterSettings settings)
      throws InterruptedException {
    return start(classPath, settings, false, (_, _, text) -> text);
  }

  /**
   * Starts the servers with an admin address for each, where it shows the live page.
   *
   * @throws ClusterFailedException if one cannot be started
   */
  public static ProcessCluster startWithAdmin(ClusterSettings settings)
      throws InterruptedException {
    return start(settings, true);
  }

  /** The configuration of each server. */
  @FunctionalInterface
  public interface Views {
    /**
     * The configuration of a server, with its own address and those of the others.
     *
     * @param server the index of the server, from 0
     * @param config the configuration of the cluster
     * @param text the configuration of the cluster as text
     */
    String of(int server, ClusterConfig config, String text) throws IOException;
  }

  /**
   * Starts the servers with a configuration for each, so that connections between them can be
   * relayed.
   *
   * @throws ClusterFailedException if one cannot be started
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
    return start(System.getProperty("java.class.path"), settings, admin, views);
  }

  private static ProcessCluster start(
      String classPath, ClusterSettings settings, boolean admin, Views views)
      throws InterruptedException {
    ProcessCluster cluster = prepare(classPath, settings, admin, views);
    boolean started = false;
    try {
      cluster.startServers();
      started = true;
      return cluster;
    } catch (IOException e) {
      throw new ClusterFailedException("a server cannot be started: " + e.getMessage(), e);
    } finally {
      if (!started) {
        cluster.keep(); // the message names the logs
        cluster.end();
      }
    }
  }

  private static ProcessCluster prepare(
      String classPath, ClusterSettings settings, boolean admin, Views views) {
    try {
      Path folder = ClusterFile.newFolder(settings);
      String text = ClusterFile.of(settings, folder, admin);
      ClusterConfig config = ClusterConfig.parse(text);
      Files.writeString(folder.resolve(FILE), text);
      for (int server = 0; server < settings.regionCount(); server++) {
        Files.writeString(view(folder, server), views.of(server, config, text));
      }
      return new ProcessCluster(config, settings, classPath, folder);
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
        check(); // a server that has ended is the reason
        throw server.notServing(START_SECONDS);
      }
    }
  }

  private ServerProcess newProcess(int server) throws IOException {
    String name = ClusterFile.serverName(server);
    Path log = folder.resolve(name + ".log");
    return new ServerProcess(name, command(name, view(folder, server)), log, recovered);
  }

  /** The configuration file of a server. */
  private static Path view(Path folder, int server) {
    return folder.resolve(ClusterFile.serverName(server) + ".conf");
  }

  private List<String> command(String name, Path file) {
    return ChildJvm.command(
        classPath,
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

  /** The configuration file of the cluster, for other processes. */
  public Path configFile() {
    return folder.resolve(FILE);
  }

  /** The number of servers, including those that are down. */
  public int size() {
    return servers.size();
  }

  /** Kills a server's process (SIGKILL), and waits for its end. */
  @Override
  public void kill(int server) throws InterruptedException {
    servers.get(server).kill();
  }

  /** Whether a server was killed or stopped, and not restarted. */
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

  /** Whether a server has stored any data. */
  public boolean hasStored(int server) {
    return Files.exists(stored(server));
  }

  private Path stored(int server) {
    return dataFolder().resolve(ClusterFile.serverName(server));
  }

  /** Deletes the data of a server, which must be down. */
  public void wipe(int server) throws IOException {
    if (hasStored(server)) {
      try (Stream<Path> files = Files.walk(stored(server))) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /** Restarts a server that is down, without waiting for it. */
  public void restart(int server) throws IOException {
    servers.set(server, newProcess(server));
  }

  /** Whether a server runs, and has reported since its last start that all its replicas serve. */
  public boolean isServing(int server) {
    return servers.get(server).isServing();
  }

  /** The servers that serve. */
  public List<Integer> serving() {
    return IntStream.range(0, size()).filter(this::isServing).boxed().toList();
  }

  /**
   * Waits until a server serves.
   *
   * @return the nanoseconds from the start of its process until it served
   * @throws ClusterFailedException if it has ended, or does not serve in time
   */
  public long awaitServing(int server, long seconds) throws InterruptedException {
    ServerProcess process = servers.get(server);
    if (!process.awaitServing(System.nanoTime() + seconds * 1_000_000_000L)) {
      throw process.notServing(seconds);
    }
    return process.nanosToServing();
  }

  /**
   * Stops a server (SIGTERM), and waits for its end.
   *
   * @throws ClusterFailedException if it takes longer and is killed
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
   * The number of transactions that the servers have decided by recovery, including servers killed
   * since. Those of the last half second before a kill may be missing.
   */
  public long recovered() {
    return recovered.sum();
  }

  /** The sizes of a server's stored files in bytes, by name. */
  public Map<String, Long> storedFiles(int server) throws IOException {
    Path data = dataFolder().resolve(ClusterFile.serverName(server));
    Map<String, Long> sizes = new TreeMap<>();
    if (!Files.exists(data)) {
      return sizes;
    }
    try (Stream<Path> files = Files.walk(data)) {
      for (Path file : files.toList()) {
        // A server may delete files during the count.
        if (file.toFile().isFile()) {
          sizes.put(data.relativize(file).toString(), file.toFile().length());
        }
      }
    } catch (UncheckedIOException e) {
      return sizes;
    }
    return sizes;
  }

  /** The size of all stored files of a server, in bytes. */
  public long dataBytes(int server) throws IOException {
    return storedFiles(server).values().stream().mapToLong(Long::longValue).sum();
  }

  private Path dataFolder() {
    return folder.resolve(ClusterFile.DATA);
  }

  /** Keeps the servers' logs and data after the end, and returns their folder. */
  public Path keep() {
    kept = true;
    return folder;
  }

  private void endAtExit() {
    end();
    if (!kept) {
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
