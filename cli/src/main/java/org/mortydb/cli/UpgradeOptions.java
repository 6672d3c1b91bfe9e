package org.mortydb.cli;

import java.time.Duration;
import org.mortydb.cli.upgrade.UpgradeState;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.NumberRange;
import org.mortydb.transport.tls.InvalidCredentialsException;
import org.mortydb.wire.WireContract;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** What the commands of {@code morty upgrade} have in common. */
final class UpgradeOptions {
  private static final double MOST_SECONDS = 86_400;

  @Option(
      names = "--timeout",
      paramLabel = "S",
      defaultValue = "5",
      description = "How many seconds servers may take to answer (default: ${DEFAULT-VALUE}).")
  private double timeout = 5;

  /** What asks servers. */
  interface Asking<T> {
    T ask() throws InvalidCredentialsException, InterruptedException;
  }

  Duration timeout(CommandLine command) {
    Requirement.within(command, "--timeout", timeout, NumberRange.above(0, MOST_SECONDS));
    return Duration.ofNanos((long) (timeout * 1e9));
  }

  /** Asks all servers for their versions. */
  UpgradeState state(ClusterConfig config, String region, CommandLine command)
      throws InterruptedException {
    Duration patience = timeout(command);
    return withCredentials(() -> UpgradeState.of(config, region, patience, WireContract.VERSIONS));
  }

  <T> T withCredentials(Asking<T> asking) throws InterruptedException {
    try {
      return asking.ask();
    } catch (InvalidCredentialsException e) {
      throw new FailedException(String.valueOf(e.getMessage()), e);
    }
  }
}
