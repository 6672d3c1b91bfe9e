package org.mortydb.bench.fleet;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import org.mortydb.bench.agent.AgentServer;
import org.mortydb.bench.cluster.ChildJvm;
import org.mortydb.cli.Main;
import org.mortydb.config.Address;
import org.mortydb.config.TlsFiles;

/**
 * An agent in a process of its own. Without an argument before its options it is {@code morty
 * agent}; with {@code ahead} its clock is ahead by five seconds.
 */
final class AgentProcessMain {
  private AgentProcessMain() {}

  /** Arguments: ahead, name, address, certificates, folder; or those of {@code morty}. */
  public static void main(String[] args) throws Exception {
    ChildJvm.endWithParent();
    if (!args[0].equals("ahead")) {
      System.exit(Main.execute(args));
    }
    Path certs = Path.of(args[3]);
    Address address = Address.parse(args[2]);
    if (address == null) {
      throw new IllegalArgumentException(args[2]);
    }
    AgentServer agent =
        AgentServer.start(
            new AgentServer.Options(
                address,
                new TlsFiles(
                    certs.resolve("server-" + args[1] + ".crt"),
                    certs.resolve("server-" + args[1] + ".key"),
                    certs.resolve("ca.crt")),
                "controller",
                Path.of(args[4]),
                1L << 30),
            Clock.offset(Clock.systemUTC(), Duration.ofSeconds(5)));
    System.out.println("ready: agent '" + agent.identity().name() + "'");
    Thread.sleep(Duration.ofMinutes(10));
  }
}
