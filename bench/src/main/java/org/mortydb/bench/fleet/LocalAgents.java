package org.mortydb.bench.fleet;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.mortydb.bench.agent.AgentProcessMain;
import org.mortydb.bench.cluster.ChildJvm;
import org.mortydb.bench.cluster.ClusterFile;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.fleet.AgentsFile.Agent;
import org.mortydb.cli.certs.CertificateAuthority;
import org.mortydb.config.Address;
import org.mortydb.config.Identity;
import org.mortydb.testing.LoopbackPorts;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Agents on this machine, in processes of their own, so that deployed runs can be compared with
 * others. An agent that ends is started again. All end with this process.
 */
public final class LocalAgents implements AutoCloseable {
  private static final String CLUSTER = "agents";
  private static final List<String> JVM =
      List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
  private static final String READY = "ready: agent";
  private static final Logger log = LoggerFactory.getLogger(LocalAgents.class);
  private static final Duration RESTART = Duration.ofMillis(500);
  private static final double GIBIBYTE = 1024.0 * 1024 * 1024;

  private final Path folder;
  private final AgentsFile file;
  private final Map<String, Process> processes = new LinkedHashMap<>();
  private boolean closed;
  private final Thread hook = new Thread(this::endProcesses, "morty-agents-end");

  private LocalAgents(Path folder, int regions) throws IOException {
    this.folder = folder;
    Runtime.getRuntime().addShutdownHook(hook);
    boolean started = false;
    try {
      file = startAll(ClusterSettings.regionNames(regions));
      started = true;
    } finally {
      if (!started) {
        close();
      }
    }
  }

  /**
   * Starts agents. Returns when all are ready.
   *
   * @param regions the number of regions, each with an agent
   * @param folder an existing folder for the data of servers
   * @throws AgentFailedException if one cannot be started
   */
  public static LocalAgents start(int regions, Path folder) {
    try {
      return new LocalAgents(Files.createTempDirectory(folder, "morty-agents-"), regions);
    } catch (IOException e) {
      throw new AgentFailedException(
          "the agents on this machine cannot be started: " + e.getMessage(), e);
    }
  }

  /** The agents, as a file would name them. */
  public AgentsFile file() {
    return file;
  }

  private AgentsFile startAll(List<String> names) throws IOException {
    Instant until = Instant.now().plus(ClusterFile.CERTIFICATE_LIFE);
    CertificateAuthority authority = CertificateAuthority.create(CLUSTER, until);
    authority.write(folder);
    authority.issue(new Identity(CLUSTER, Identity.Role.CLIENT, "controller"), until).write(folder);
    List<Integer> ports = LoopbackPorts.free(2 * names.size());
    List<Agent> agents = new ArrayList<>();
    double free = Files.getFileStore(folder).getUsableSpace() / GIBIBYTE;
    String disk = String.format(Locale.ROOT, "%.3f", free / (names.size() + 1));
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i);
      authority.issue(new Identity(CLUSTER, Identity.Role.SERVER, name), until).write(folder);
      Address address = new Address("127.0.0.1", ports.get(2 * i));
      Address server = new Address("127.0.0.1", ports.get(2 * i + 1));
      agents.add(new Agent(name, name, address, server, true, null));
      Files.createDirectory(folder.resolve(name));
      keep(name, command(name, address, disk));
    }
    for (Map.Entry<String, Process> agent : Map.copyOf(processes).entrySet()) {
      awaitReady(agent.getKey(), agent.getValue());
    }
    return AgentsFile.ofThisMachine(folder, agents);
  }

  private List<String> command(String name, Address address, String disk) {
    return ChildJvm.command(
        JVM,
        AgentProcessMain.class,
        "agent",
        "--name",
        name,
        "--listen",
        address.toString(),
        "--certs",
        folder.toString(),
        "--folder",
        folder.resolve(name).toString(),
        "--disk",
        disk);
  }

  /** Starts an agent, now and whenever it has ended. */
  private synchronized void keep(String name, List<String> command) throws IOException {
    if (closed) {
      return;
    }
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(logOf(name).toFile()))
            .start();
    processes.put(name, process);
    var unused = process.onExit().thenRun(() -> keepAgain(name, command));
  }

  private void keepAgain(String name, List<String> command) {
    try {
      Thread.sleep(RESTART);
      keep(name, command);
    } catch (IOException e) {
      log.error("the agent '{}' cannot be started again", name, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Path logOf(String name) {
    return folder.resolve(name + ".log");
  }

  /** Waits until an agent is ready. It prints nothing after that. */
  @SuppressWarnings("resource") // the process ends with its output
  private void awaitReady(String name, Process process) throws IOException {
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    String line = out.readLine();
    if (line == null || !line.startsWith(READY)) {
      throw new IOException(
          "the agent '%s' is not ready: %s %s"
              .formatted(name, line == null ? "" : line, Files.readString(logOf(name)).strip()));
    }
  }

  private void endProcesses() {
    List<Process> all;
    synchronized (this) {
      closed = true;
      all = List.copyOf(processes.values());
    }
    all.forEach(Process::destroy);
    for (Process process : all) {
      try {
        if (!process.waitFor(Duration.ofSeconds(10))) {
          process.destroyForcibly();
        }
      } catch (InterruptedException e) {
        process.destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Ends the agents with all that they have started, and deletes their files. */
  @Override
  public void close() {
    endProcesses();
    ClusterFile.delete(folder);
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The hook is running.
    }
  }
}
