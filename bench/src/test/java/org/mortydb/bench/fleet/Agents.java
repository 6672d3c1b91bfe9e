package org.mortydb.bench.fleet;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.mortydb.bench.agent.AgentProcessMain;
import org.mortydb.bench.cluster.ChildJvm;
import org.mortydb.cli.certs.CertificateAuthority;
import org.mortydb.config.Address;
import org.mortydb.config.Identity;
import org.mortydb.testing.LoopbackPorts;

/** Agents in processes of their own, on loopback addresses of their own. */
final class Agents implements AutoCloseable {
  /** The agents of three regions. */
  static final List<String> NAMES = List.of("east", "west", "south");

  /** An agent whose runs may take 105 KiB of the disk. */
  static final String SMALL = "small";

  private static final List<String> ALL = List.of("east", "west", "south", SMALL);

  private final Path folder;
  private final Map<String, String> addresses = new LinkedHashMap<>();
  private final Map<String, String> servers = new LinkedHashMap<>();
  private final Map<String, Process> processes = new LinkedHashMap<>();
  private final Map<String, BufferedReader> unready = new LinkedHashMap<>();

  /** Creates certificates and addresses. */
  Agents(Path folder) throws IOException {
    this.folder = folder;
    Instant until = Instant.now().plus(Duration.ofDays(1));
    CertificateAuthority authority = CertificateAuthority.create("experiments", until);
    Path certs = Files.createDirectory(folder.resolve("certs"));
    authority.write(certs);
    List<Integer> ports = LoopbackPorts.free(2 * ALL.size());
    for (int i = 0; i < ALL.size(); i++) {
      String name = ALL.get(i);
      authority.issue(new Identity("experiments", Identity.Role.SERVER, name), until).write(certs);
      addresses.put(name, "127.0.0." + (i + 2) + ":" + ports.get(2 * i));
      servers.put(name, "127.0.0." + (i + 2) + ":" + ports.get(2 * i + 1));
      Files.createDirectory(folder.resolve(name));
    }
    for (String client : List.of("controller", "stranger")) {
      authority
          .issue(new Identity("experiments", Identity.Role.CLIENT, client), until)
          .write(certs);
    }
  }

  Path folder(String name) {
    return folder.resolve(name);
  }

  /** Starts all agents, and waits until they are ready. */
  void start() throws IOException {
    for (String name : ALL) {
      start(name);
    }
    awaitReady();
  }

  /** Starts an agent as a user does. */
  void start(String name) throws IOException {
    run(
        name,
        List.of(
            "agent",
            "--name",
            name,
            "--listen",
            addresses.get(name),
            "--certs",
            folder.resolve("certs").toString(),
            "--folder",
            folder(name).toString(),
            "--disk",
            name.equals(SMALL) ? "0.0001" : "0.5"));
  }

  private void run(String name, List<String> arguments) throws IOException {
    List<String> command =
        ChildJvm.command(
            List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            AgentProcessMain.class,
            arguments.toArray(String[]::new));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    processes.put(name, process);
    unready.put(name, process.inputReader(StandardCharsets.UTF_8));
  }

  /** Waits until all agents are ready. */
  void awaitReady() throws IOException {
    for (Map.Entry<String, BufferedReader> agent : unready.entrySet()) {
      String line = agent.getValue().readLine();
      if (line == null || !line.startsWith("ready: agent '" + agent.getKey() + "'")) {
        throw new IOException("the agent " + agent.getKey() + " is not ready: " + line);
      }
    }
    unready.clear();
  }

  /** Kills an agent, and waits for its end. */
  void kill(String name) throws InterruptedException {
    Process process = processes.get(name);
    process.destroyForcibly();
    process.waitFor();
  }

  /** The processes that an agent has started. */
  List<ProcessHandle> children(String name) {
    return processes.get(name).descendants().toList();
  }

  /** Where the server of an agent listens. */
  Address server(String name) {
    return Address.parse(servers.get(name));
  }

  /** The file of the agents of three regions, with small heaps. */
  Path file(String... more) throws IOException {
    return file(NAMES, more);
  }

  /** The file of some agents. */
  Path file(List<String> names, String... more) throws IOException {
    StringBuilder text =
        new StringBuilder(
            "certificates: certs\nclientJvm: -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1\n");
    for (String line : more) {
      text.append(line).append('\n');
    }
    text.append("agents:\n");
    for (String name : names) {
      text.append(
          "  - {name: %s, region: %s, address: '%s', server: '%s'}\n"
              .formatted(name, name, addresses.get(name), servers.get(name)));
    }
    return Files.writeString(Files.createTempFile(folder, "agents", ".yaml"), text);
  }

  @Override
  public void close() throws InterruptedException {
    for (Process process : processes.values()) {
      process.destroy();
    }
    for (Process process : processes.values()) {
      process.waitFor();
    }
  }
}
