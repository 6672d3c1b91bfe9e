package org.mortydb.cli.upgrade;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.text.TextTable;
import org.mortydb.cli.upgrade.VersionQuestions.Told;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.transport.Question;
import org.mortydb.transport.Reply;
import org.mortydb.transport.tls.InvalidCredentialsException;
import org.mortydb.wire.VersionRange;

/**
 * The versions of a cluster, and what they allow.
 *
 * @param cluster the cluster's name
 * @param inUse the version that the cluster uses; 0 if no server knows it
 * @param finishTo the version that {@code morty upgrade finish} would raise it to; {@code inUse} if
 *     there is nothing to raise, 0 while it is not known
 * @param program the versions that this program speaks
 * @param servers all servers, in the order of the configuration
 * @param blockers why the version cannot be raised, or a server cannot be upgraded to this program;
 *     sentences for the operator
 * @param oldClients which clients a raised version would lock out; sentences for the operator
 */
public record UpgradeState(
    String cluster,
    int inUse,
    int finishTo,
    VersionRange program,
    List<Server> servers,
    List<String> blockers,
    List<String> oldClients) {

  /**
   * A server.
   *
   * @param name its name
   * @param speaks the versions that its program speaks; null if it has not told
   * @param inUse the version that it uses; 0 if it does not know that of the cluster
   * @param dataFormat the format of its data directory; 0 if it stores nothing, or has not told
   * @param newestDataFormat the newest format that its program reads; 0 if it has not told
   * @param clients how many clients are connected to it, this program included
   * @param clientsSpeak the newest version that all of them speak; 0 if it has not told
   * @param problem why it has not told; null if it has
   */
  public record Server(
      String name,
      @Nullable VersionRange speaks,
      int inUse,
      int dataFormat,
      int newestDataFormat,
      int clients,
      int clientsSpeak,
      @Nullable String problem) {

    /** Whether the server has told its versions. */
    public boolean answered() {
      return problem == null;
    }
  }

  /**
   * Asks all servers.
   *
   * @param region the region of this process
   * @param program the versions that this program speaks
   * @throws InvalidCredentialsException when the cluster uses TLS, and there are no credentials
   */
  public static UpgradeState of(
      ClusterConfig cluster, String region, Duration timeout, VersionRange program)
      throws InvalidCredentialsException, InterruptedException {
    return of(
        cluster.name(),
        program,
        VersionQuestions.ask(cluster, region, timeout, new Question.AskVersions()));
  }

  static UpgradeState of(String cluster, VersionRange program, Map<ServerSpec, Told> told) {
    List<Server> servers = new ArrayList<>();
    told.forEach((spec, one) -> servers.add(server(spec.name(), one)));
    List<String> blockers = new ArrayList<>();
    int inUse = servers.stream().mapToInt(Server::inUse).max().orElse(0);
    int newestOfAll = 0;
    int lowestNewest = Integer.MAX_VALUE;
    boolean allTold = true;
    for (Server server : servers) {
      if (server.problem != null) {
        blockers.add(server.name + ": " + server.problem);
      }
      VersionRange speaks = server.speaks;
      if (speaks == null) {
        allTold = false;
      } else {
        newestOfAll = Math.max(newestOfAll, speaks.newest());
        lowestNewest = Math.min(lowestNewest, speaks.newest());
      }
    }
    int finishTo = allTold && !servers.isEmpty() ? Math.max(lowestNewest, inUse) : 0;
    for (Server server : servers) {
      VersionRange speaks = server.speaks;
      if (speaks != null && speaks.newest() < newestOfAll) {
        blockers.add(
            server.name
                + ": it speaks "
                + speaks.words()
                + ", others speak version "
                + newestOfAll
                + ": upgrade it");
      }
      if (speaks != null && finishTo > 0 && !speaks.includes(finishTo)) {
        blockers.add(
            server.name + ": it does not speak version " + finishTo + ", but " + speaks.words());
      }
    }
    if (inUse > 0 && !program.includes(inUse)) {
      blockers.add(
          "this program speaks "
              + program.words()
              + ", not the cluster's version "
              + inUse
              + ": no server can run this release");
    }
    List<String> oldClients = new ArrayList<>();
    for (Server server : servers) {
      if (finishTo > inUse && server.clientsSpeak > 0 && server.clientsSpeak < finishTo) {
        oldClients.add(
            server.name
                + ": of its "
                + server.clients
                + " clients some speak only up to version "
                + server.clientsSpeak
                + ": upgrade them, or lock them out by --refuse-old-clients");
      }
    }
    return new UpgradeState(
        cluster, inUse, finishTo, program, servers, List.copyOf(blockers), List.copyOf(oldClients));
  }

  private static Server server(String name, Told told) {
    Reply.Versions versions = told.versions();
    if (versions == null) {
      VersionRange speaks = told.linked() == null ? null : told.linked().peer();
      int inUse = told.linked() == null ? 0 : told.linked().cluster();
      return new Server(name, speaks, inUse, 0, 0, 0, 0, told.problem());
    }
    return new Server(
        name,
        versions.speaks(),
        versions.inUse(),
        versions.dataFormat(),
        versions.newestDataFormat(),
        versions.clients(),
        versions.clientsSpeak(),
        null);
  }

  /**
   * Returns why the version cannot be raised.
   *
   * @param refuseOldClients whether clients that do not speak the new version may be locked out
   */
  public List<String> blockers(boolean refuseOldClients) {
    List<String> all = new ArrayList<>(blockers);
    if (!refuseOldClients) {
      all.addAll(oldClients);
    }
    return all;
  }

  /** Whether all servers have told their versions. */
  public boolean complete() {
    return servers.stream().allMatch(Server::answered);
  }

  /** The state as text for people, with a line break at its end. */
  public String text() {
    TextTable table =
        new TextTable(column -> column == 0)
            .row(
                "server", "speaks", "uses", "data format", "reads formats", "clients", "all speak");
    for (Server server : servers) {
      boolean told = server.answered();
      table.row(
          server.name,
          server.speaks,
          server.inUse == 0 ? null : server.inUse,
          !told ? null : server.dataFormat == 0 ? "none" : String.valueOf(server.dataFormat),
          !told ? null : "1 to " + server.newestDataFormat,
          !told ? null : String.valueOf(server.clients),
          server.clientsSpeak == 0 ? null : String.valueOf(server.clientsSpeak));
    }
    StringBuilder out = new StringBuilder();
    out.append(
        "cluster '%s' uses %s; this program speaks %s%n%n%s%n"
            .formatted(
                cluster,
                inUse == 0 ? "a version that no server knows yet" : "version " + inUse,
                program.words(),
                table));
    for (String blocker : blockers(false)) {
      out.append("blocks: ").append(blocker).append(System.lineSeparator());
    }
    out.append(next()).append(System.lineSeparator());
    return out.toString();
  }

  /** What an upgrade would do next. */
  private String next() {
    if (!complete()) {
      return "not known what would happen: not all servers have told their versions";
    }
    String raise =
        finishTo > inUse
            ? "'morty upgrade finish' would raise the version to "
                + finishTo
                + (inUse == 0 ? "" : ", from " + inUse)
                + (blockers(false).isEmpty() ? "; that cannot be undone" : "; now it would refuse")
            : blockers.isEmpty()
                ? "nothing to finish: all servers speak and use version " + inUse
                : "'morty upgrade finish' would do nothing yet: not all servers speak a newer"
                    + " version than "
                    + inUse;
    boolean canRun = inUse == 0 || program.includes(inUse);
    return canRun && program.newest() > finishTo
        ? raise + "\nservers can be upgraded to this release, one at a time"
        : raise;
  }
}
