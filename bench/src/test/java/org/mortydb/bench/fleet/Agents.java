package org.mortydb.bench.fleet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.agent.AgentProcessMain;
import org.mortydb.bench.agent.AgentServer;
import org.mortydb.bench.cluster.ChildJvm;
import org.mortydb.cli.certs.CertificateAuthority;
import org.mortydb.config.Address;
import org.mortydb.config.Identity;
import org.mortydb.config.TlsFiles;
import org.mortydb.testing.LoopbackPorts;
import org.mortydb.transport.tls.InvalidCredentialsException;

/**
 * Agents on loopback addresses of their own. One has a process of its own, as on a host; the others
 * are in this process, because each process takes seconds to start.
 */
final class Agents implements AutoCloseable {
  /** The agents of three regions. */
  static final List<String> NAMES = List.of("east", "west", "south");

  /** The agent with a process of its own. */
  static final String APART = "west";

  /** An agent whose runs may take {@link #SMALL_BYTES} of the disk. */
  static final String SMALL = "small";

  /** More than the logs and the configuration of a run, and less than its history. */
  private static final long SMALL_BYTES = 32 * 1024;

  private static final long BYTES = 512L * 1024 * 1024;

  static final List<String> ALL = List.of("east", "west", "south", SMALL);

  private final Path folder;
  private final Map<String, String> addresses = new LinkedHashMap<>();
  private final Map<String, String> servers = new LinkedHashMap<>();
  private final List<AgentServer> here = new ArrayList<>();
  private volatile Duration ahead = Duration.ZERO;
  private @Nullable Process apart;

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

  /** Starts all agents. Returns when they are ready. */
  void start() throws IOException, InvalidCredentialsException {
    for (String name : ALL) {
      if (name.equals(APART)) {
        startApart();
      } else {
        here.add(AgentServer.start(options(name), () -> Instant.now().plus(ahead)));
      }
    }
  }

  /** Sets the clocks of the agents in this process. */
  void setClocks(Duration ahead) {
    this.ahead = ahead;
  }

  private AgentServer.Options options(String name) {
    Path certs = folder.resolve("certs");
    return new AgentServer.Options(
        Address.parse(addresses.get(name)),
        new TlsFiles(
            certs.resolve("server-" + name + ".crt"),
            certs.resolve("server-" + name + ".key"),
            certs.resolve(CertificateAuthority.CERTIFICATE_FILE)),
        "controller",
        folder(name),
        name.equals(SMALL) ? SMALL_BYTES : BYTES);
  }

  /** Starts the agent in a process of its own as a user does. Returns when it is ready. */
  void startApart() throws IOException {
    List<String> command =
        ChildJvm.command(
            List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            AgentProcessMain.class,
            "agent",
            "--name",
            APART,
            "--listen",
            addresses.get(APART),
            "--certs",
            folder.resolve("certs").toString(),
            "--folder",
            folder(APART).toString(),
            "--disk",
            "0.5");
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    apart = process;
    String line = process.inputReader(StandardCharsets.UTF_8).readLine();
    if (line == null || !line.startsWith("ready: agent '" + APART + "'")) {
      throw new IOException("the agent " + APART + " is not ready: " + line);
    }
  }

  private Process apart() {
    return Objects.requireNonNull(apart);
  }

  /** Kills the agent in a process of its own, and waits for its end. */
  void kill() throws InterruptedException {
    apart().destroyForcibly().waitFor();
  }

  /** The processes that the agent in a process of its own has started. */
  List<ProcessHandle> childrenApart() {
    return apart().descendants().toList();
  }

  /** The processes that the agents in this process have started. */
  List<ProcessHandle> childrenHere() {
    long pid = apart().pid();
    return ProcessHandle.current().children().filter(child -> child.pid() != pid).toList();
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
    here.forEach(AgentServer::close);
    if (apart != null) {
      apart.destroy();
      apart.waitFor();
    }
  }
}
