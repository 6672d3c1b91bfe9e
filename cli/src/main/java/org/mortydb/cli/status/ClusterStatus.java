package org.mortydb.cli.status;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.status.PartitionState.Availability;
import org.mortydb.cli.status.ReplicaPings.Ping;
import org.mortydb.cli.status.ServerState.Condition;
import org.mortydb.cli.status.ServerState.ReplicaCondition;
import org.mortydb.cli.status.ServerState.ReplicaState;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.server.status.Warning;
import org.mortydb.transport.tls.InvalidCredentialsException;
import tools.jackson.databind.JsonNode;

/**
 * The state of a cluster as this process sees it.
 *
 * @param cluster the name of the cluster
 * @param system the name of the system that runs there
 * @param f how many failures each partition tolerates
 * @param availability that of the partition in the worst state
 * @param warnings how many warnings there are about servers that are not down
 * @param map the number of the last map that a replica knows; 0 for the first one
 * @param changing whether the change to that map is not known to be complete
 * @param bytesLeft about how many bytes replicas still have to copy, as far as their servers say at
 *     their admin addresses; null if none copies anything, or says so
 * @param servers in the order of the configuration
 * @param partitions of the map, in the order of their numbers
 */
public record ClusterStatus(
    String cluster,
    String system,
    int f,
    Availability availability,
    int warnings,
    int map,
    boolean changing,
    @Nullable Long bytesLeft,
    List<ServerState> servers,
    List<PartitionState> partitions) {

  /**
   * Asks all servers: first as a client, because only the replica itself can say that it serves,
   * then at their admin addresses, whose answers are then never older than the replicas'.
   *
   * @param region the region of this process
   * @param timeout how long servers may take to answer
   * @throws InvalidCredentialsException when the cluster uses TLS, and there are no credentials
   */
  public static ClusterStatus of(ClusterConfig cluster, String region, Duration timeout)
      throws InvalidCredentialsException, InterruptedException {
    try (HttpClient http = HttpClient.newBuilder().connectTimeout(timeout).build()) {
      Map<ServerSpec, Ping> pings = ReplicaPings.ask(cluster, region, timeout);
      Map<ServerSpec, CompletableFuture<AdminAnswers.Answer>> admin =
          AdminAnswers.ask(http, cluster, timeout);
      long allowedSkewMicros = cluster.replicaOptions().allowedSkewMicros();
      List<ServerState> servers = new ArrayList<>();
      admin.forEach(
          (server, answer) ->
              servers.add(
                  server(
                      server,
                      Objects.requireNonNull(pings.get(server)),
                      answer.join(),
                      allowedSkewMicros)));
      http.shutdownNow();
      return of(cluster, maps(cluster, pings.values()), servers);
    }
  }

  /**
   * Whether a server may stop: each partition of which it holds a serving replica has a quorum
   * without it. A replica that does not serve can stop in any case, because nothing gets worse.
   *
   * @param name the name of a server of the cluster
   */
  public boolean canDoWithout(String name) {
    return servers.stream()
        .filter(server -> server.name().equals(name))
        .flatMap(server -> server.replicas().stream())
        .filter(replica -> partitions.stream().anyMatch(p -> p.partition() == replica.partition()))
        .filter(replica -> replica.condition() != ReplicaCondition.JOINING)
        .filter(replica -> replica.condition() != ReplicaCondition.STOPPED)
        .filter(replica -> replica.condition() != ReplicaCondition.DOWN)
        .allMatch(replica -> servingWithout(name, replica.partition()) >= f + 1);
  }

  private long servingWithout(String name, int partition) {
    return servers.stream()
        .filter(server -> !server.name().equals(name))
        .flatMap(server -> server.replicas().stream())
        .filter(replica -> replica.partition() == partition)
        .filter(replica -> replica.condition() == ReplicaCondition.SERVING)
        .count();
  }

  /** What all replicas together know of the maps. */
  private static MapHistory maps(ClusterConfig cluster, Collection<Ping> pings) {
    MapHistory maps = new MapHistory(cluster.firstMap());
    for (Ping ping : pings) {
      MapHistory told = ping.maps();
      maps = told == null ? maps : maps.merged(told.maps(), told.closed());
    }
    return maps;
  }

  private static ClusterStatus of(
      ClusterConfig cluster, MapHistory maps, List<ServerState> servers) {
    List<PartitionState> partitions = new ArrayList<>();
    Availability worst = Availability.ALL;
    for (int partition : maps.last().servers().keySet()) {
      PartitionState state = partition(maps.last().f(), servers, partition);
      partitions.add(state);
      if (state.availability().compareTo(worst) > 0) {
        worst = state.availability();
      }
    }
    List<ServerState> told = withoutConsequences(servers);
    return new ClusterStatus(
        cluster.name(),
        cluster.system().name(),
        maps.last().f(),
        worst,
        told.stream().mapToInt(server -> server.warnings().size()).sum(),
        maps.last().number(),
        !maps.isComplete(),
        bytesLeft(told),
        told,
        List.copyOf(partitions));
  }

  private static @Nullable Long bytesLeft(List<ServerState> servers) {
    Long sum = null;
    for (ServerState server : servers) {
      for (ReplicaState replica : server.replicas()) {
        Long left = replica.bytesLeft();
        sum = left == null ? sum : Long.valueOf(left + (sum == null ? 0 : sum));
      }
    }
    return sum;
  }

  /** Leaves out warnings about servers that are known to be down. */
  private static List<ServerState> withoutConsequences(List<ServerState> servers) {
    Set<String> down =
        servers.stream()
            .filter(server -> server.condition() == Condition.DOWN)
            .map(ServerState::name)
            .collect(Collectors.toSet());
    return servers.stream()
        .map(
            server ->
                server.withWarnings(
                    server.warnings().stream()
                        .filter(one -> one.about() == null || !down.contains(one.about()))
                        .toList()))
        .toList();
  }

  private static PartitionState partition(int f, List<ServerState> servers, int partition) {
    int count = 2 * f + 1;
    int needed = f + 1;
    int serving = 0;
    int unknown = 0;
    List<String> missing = new ArrayList<>();
    for (ServerState server : servers) {
      for (ReplicaState replica : server.replicas()) {
        if (replica.partition() != partition) {
          continue;
        }
        if (replica.condition() == ReplicaCondition.SERVING) {
          serving++;
          continue;
        }
        missing.add(server.name());
        if (replica.condition() == ReplicaCondition.UNKNOWN) {
          unknown++;
        }
      }
    }
    Availability availability =
        serving == count
            ? Availability.ALL
            : serving >= needed
                ? Availability.QUORUM
                : serving + unknown >= needed ? Availability.UNKNOWN : Availability.NONE;
    return new PartitionState(
        partition, serving, count, needed, availability, List.copyOf(missing));
  }

  // ---- a server -----------------------------------------------------------------------------

  private static ServerState server(
      ServerSpec spec, Ping ping, AdminAnswers.Answer admin, long allowedSkewMicros) {
    JsonNode told = admin.state();
    List<ReplicaState> replicas = new ArrayList<>();
    ping.replicas()
        .forEach((replica, answer) -> replicas.add(replica(replica, answer, ping, told)));
    List<String> problems = new ArrayList<>();
    if (ping.problem() != null) {
      problems.add(ping.problem());
    }
    if (told != null) {
      told.path("problems").forEach(problem -> problems.add(problem.asString()));
    } else if (admin.problem() != null) {
      problems.add(admin.problem());
    }
    List<ServerState.Warning> warnings = new ArrayList<>();
    warnOfClock(ping, allowedSkewMicros, warnings);
    if (told != null) {
      told.path("warnings").forEach(one -> warnings.add(warning(one)));
    }
    return new ServerState(
        spec.name(),
        spec.region(),
        spec.address(),
        condition(ping, replicas),
        List.copyOf(problems),
        List.copyOf(warnings),
        ping.roundTripMicros(),
        ping.clockOffsetMicros(),
        told == null ? null : number(told, "upMicros"),
        told == null ? null : number(told, "clients"),
        told == null ? null : sum(told, "keys"),
        told == null ? null : sum(told, "transactions"),
        told == null ? null : oldestWatermark(told),
        told == null ? null : number(told.path("pauses"), "latestLongestMicros"),
        List.copyOf(replicas));
  }

  private static void warnOfClock(
      Ping ping, long allowedSkewMicros, List<ServerState.Warning> warnings) {
    Long aheadMicros = ping.clockOffsetMicros();
    Long tookMicros = ping.roundTripMicros();
    if (aheadMicros != null
        && tookMicros != null
        && Math.abs(aheadMicros) - tookMicros / 2 > allowedSkewMicros) {
      warnings.add(
          new ServerState.Warning(
              Warning.Kind.CLOCK.code(),
              null,
              Warning.clockText(aheadMicros, "that of this machine", allowedSkewMicros)));
    }
  }

  private static ServerState.Warning warning(JsonNode told) {
    return new ServerState.Warning(
        told.path("code").asString(""),
        told.has("about") ? told.path("about").asString("") : null,
        told.path("text").asString(""));
  }

  private static Condition condition(Ping ping, List<ReplicaState> replicas) {
    if (!ping.connected()) {
      return Condition.DOWN;
    }
    if (replicas.stream().allMatch(one -> one.condition() == ReplicaCondition.SERVING)) {
      return Condition.SERVING;
    }
    boolean bad =
        replicas.stream()
            .map(ReplicaState::condition)
            .anyMatch(one -> one == ReplicaCondition.JOINING || one == ReplicaCondition.STOPPED);
    return bad ? Condition.NOT_READY : Condition.REACHABLE;
  }

  private static ReplicaState replica(
      ReplicaId replica, ReplicaPings.Answer answer, Ping ping, @Nullable JsonNode told) {
    ReplicaCondition condition =
        switch (answer) {
          case SERVING -> ReplicaCondition.SERVING;
          case NOT_SERVING -> ReplicaCondition.JOINING;
          case NONE -> ping.connected() ? asTold(replica, told) : ReplicaCondition.DOWN;
        };
    JsonNode self = asTold(replica.partition(), told);
    return new ReplicaState(
        replica.partition(),
        replica.index(),
        condition,
        self == null ? null : number(self, "bytesLeft"));
  }

  /** What the server says about its replica of a partition; null if it says nothing. */
  private static @Nullable JsonNode asTold(int partition, @Nullable JsonNode told) {
    if (told != null) {
      for (JsonNode one : told.path("replicas")) {
        if (one.path("partition").asInt(-1) == partition) {
          return one;
        }
      }
    }
    return null;
  }

  /** Returns what the server says about a replica that did not answer. */
  private static ReplicaCondition asTold(ReplicaId replica, @Nullable JsonNode told) {
    JsonNode self = asTold(replica.partition(), told);
    if (self != null) {
      return switch (self.path("state").asString("")) {
        case "serving" -> ReplicaCondition.SERVING;
        case "joining" -> ReplicaCondition.JOINING;
        case "stopped" -> ReplicaCondition.STOPPED;
        default -> ReplicaCondition.UNKNOWN;
      };
    }
    return ReplicaCondition.UNKNOWN;
  }

  private static @Nullable Long number(JsonNode node, String name) {
    JsonNode value = node.path(name);
    return value.isNumber() ? value.asLong() : null;
  }

  private static long sum(JsonNode told, String name) {
    long sum = 0;
    for (JsonNode replica : told.path("replicas")) {
      sum += replica.path(name).asLong(0);
    }
    return sum;
  }

  /** Returns the distance of the oldest watermark; negative if all are ahead of the clock. */
  private static @Nullable Long oldestWatermark(JsonNode told) {
    Long oldest = null;
    for (JsonNode replica : told.path("replicas")) {
      Long age = number(replica, "watermarkAgeMicros");
      if (age != null && (oldest == null || age > oldest)) {
        oldest = age;
      }
    }
    return oldest;
  }
}
