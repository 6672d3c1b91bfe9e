package org.mortydb.cli.upgrade;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.mortydb.config.ClusterConfig;
import org.mortydb.transport.Question;
import org.mortydb.transport.tls.InvalidCredentialsException;

/**
 * The end of an upgrade: all servers use a version from now on. A server that was told so stores it
 * first. If not all could be told, the others learn it when they connect again, or the command is
 * repeated.
 *
 * @param version the version
 * @param problems which servers do not use it yet, and why; empty if all do
 */
public record UpgradeFinish(int version, List<String> problems) {

  /**
   * Tells all servers to use a version. They check again that all others speak it.
   *
   * @param region the region of this process
   * @throws InvalidCredentialsException when the cluster uses TLS, and there are no credentials
   */
  public static UpgradeFinish of(
      ClusterConfig cluster, String region, Duration timeout, int version)
      throws InvalidCredentialsException, InterruptedException {
    List<String> problems = new ArrayList<>();
    VersionQuestions.ask(cluster, region, timeout, new Question.UseVersion(version))
        .forEach(
            (server, told) -> {
              boolean used = told.versions() != null && told.versions().inUse() >= version;
              if (!used) {
                problems.add(
                    server.name()
                        + ": "
                        + (told.problem() == null ? "it uses another version" : told.problem()));
              }
            });
    return new UpgradeFinish(version, List.copyOf(problems));
  }
}
