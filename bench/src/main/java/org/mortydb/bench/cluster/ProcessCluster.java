package org.mortydb.bench.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.mortydb.transport.config.ClusterConfig;
import org.mortydb.transport.config.InvalidConfigException;

/**
 * A cluster whose servers are processes of their own. They end with this process, however that
 * ends: a shutdown hook ends them, and they watch their parent.
 */
final class ProcessCluster implements LocalCluster {
  private static final String FILE = "cluster.conf";

  private final ClusterConfig config;
  private final Path folder;
  private final List<ServerProcess> servers = new ArrayList<>();
  private final Thread hook = new Thread(this::end, "morty-bench-end");

  private ProcessCluster(ClusterConfig config, Path folder) {
    this.config = config;
    this.folder = folder;
  }

  static ProcessCluster start(ClusterSettings settings) throws InterruptedException {
    ProcessCluster cluster = prepare(settings);
    boolean started = false;
    try {
      cluster.startServers(settings);
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

  private static ProcessCluster prepare(ClusterSettings settings) {
    try {
      Path folder = ClusterFile.newFolder(settings);
      String text = ClusterFile.of(settings, folder);
      ClusterConfig config = ClusterConfig.parse(text);
      Files.writeString(folder.resolve(FILE), text);
      return new ProcessCluster(config, folder);
    } catch (IOException | InvalidConfigException e) {
      throw new ClusterFailedException("the cluster cannot be configured: " + e.getMessage(), e);
    }
  }

  private void startServers(ClusterSettings settings) throws IOException, InterruptedException {
    Runtime.getRuntime().addShutdownHook(hook);
    for (int region = 0; region < settings.regionCount(); region++) {
      String name = ClusterFile.serverName(region);
      servers.add(new ServerProcess(name, command(settings, name), folder.resolve(name + ".log")));
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

  private List<String> command(ClusterSettings settings, String name) {
    List<String> command = new ArrayList<>();
    command.add(
        ProcessHandle.current()
            .info()
            .command()
            .orElseGet(() -> Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    command.addAll(settings.serverJvmOptions());
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(ServerProcessMain.class.getName());
    command.addAll(List.of("--config", folder.resolve(FILE).toString(), "--name", name));
    return command;
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
    ClusterFile.delete(folder);
  }
}
