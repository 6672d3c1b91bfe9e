package org.mortydb.sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.replica.MapRecordVersion;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.ReplicaRules;
import org.mortydb.protocol.replica.Rollback;
import org.mortydb.sim.host.ReplicaHost;

/**
 * The operator of a cluster in which more than f servers may have forgotten promises. It stops all
 * servers and takes the cluster back to the latest state that f+1 replicas of each partition hold,
 * as {@code morty recover --accept-loss} does.
 */
final class Operator {
  private final Run run;
  private final List<ReplicaHost> servers;

  /** What the servers remember once they are stopped. */
  private static final class Stopped {
    final Map<ReplicaId, Replica> replicas = new LinkedHashMap<>();
    final Map<ReplicaId, Replica.Memory> memories = new LinkedHashMap<>();
    final Map<ReplicaId, List<MapRecordVersion>> records = new LinkedHashMap<>();
    MapHistory maps;

    Stopped(MapHistory first) {
      maps = first;
    }

    @Nullable Rollback rollback() {
      int heardOf = replicas.values().stream().mapToInt(Replica::lastChange).max().orElse(0);
      return Rollback.of(maps.closedTo(heardOf), memories, records);
    }
  }

  Operator(Run run, List<ReplicaHost> servers) {
    this.run = run;
    this.servers = servers;
  }

  /** Takes a cluster back whose map has never changed, and leaves all servers down. */
  void acceptLoss() {
    Stopped stopped = stop();
    @Nullable Rollback found = stopped.rollback();
    Rollback rollback = found != null ? found : Rollback.toNothing(stopped.maps, stopped.memories);
    run.marks().add(found != null ? "rollback" : "rollback/to nothing");
    goBack(rollback, stopped);
  }

  /**
   * Takes a cluster back whose map has changed, if there is a state at which the last change was
   * complete. Restarts the servers in any case.
   */
  void goBackAfterChanges() {
    @Nullable Rollback done = goBackIfComplete();
    run.marks().add(done != null ? "rollback/after changes" : "rollback/within a change");
  }

  /**
   * Does the same while processes still change the map. The operator ends them first: they would go
   * on with what is undone.
   */
  void goBackBetween(Changes changes) {
    changes.die();
    @Nullable Rollback done = goBackIfComplete();
    run.marks().add(done != null ? "rollback/between changes" : "rollback/within a change");
    if (done != null) {
      changes.wentBack(done.maps());
    }
  }

  private @Nullable Rollback goBackIfComplete() {
    Stopped stopped = stop();
    @Nullable Rollback found = stopped.rollback();
    if (found != null) {
      goBack(found, stopped);
    }
    servers.forEach(ReplicaHost::restart);
    return found;
  }

  private Stopped stop() {
    servers.forEach(ReplicaHost::spare);
    servers.forEach(ReplicaHost::crash);
    run.fabric().serversStop();
    MapHistory first = new MapHistory(run.plan().topology(0).map());
    Stopped stopped = new Stopped(first);
    for (ReplicaHost server : servers) {
      long nowMicros = server.clock().nowMicros();
      for (ReplicaId id : server.replicas()) {
        @Nullable ClusterMap origin = origin(server, id);
        if (origin == null && !first.knows(id.partition())) {
          continue; // it has lost its disk
        }
        Replica replica = replica(id, first, origin);
        server.replay(id, logged -> replica.restore(nowMicros, logged));
        stopped.replicas.put(id, replica);
        stopped.memories.put(id, replica.memory(nowMicros));
        stopped.records.put(id, replica.mapRecords());
        stopped.maps = stopped.maps.merged(replica.maps().maps(), replica.maps().closed());
      }
    }
    return stopped;
  }

  /** The map in which the partition of a replica is new, from its log; null if there is none. */
  private static @Nullable ClusterMap origin(ReplicaHost server, ReplicaId id) {
    AtomicReference<@Nullable ClusterMap> origin = new AtomicReference<>();
    server.replay(
        id,
        logged -> {
          if (logged instanceof LogRecord.Hosted(ClusterMap map)) {
            origin.set(map);
          }
        });
    return origin.get();
  }

  private void goBack(Rollback rollback, Stopped stopped) {
    run.trace().write(() -> "the operator accepts the loss: " + rollback);
    run.watch().rolledBack(rollback);
    for (ReplicaHost server : servers) {
      Map<ReplicaId, List<LogRecord>> records = new LinkedHashMap<>();
      for (ReplicaId id : server.replicas()) {
        if (rollback.maps().knows(id.partition())) {
          List<LogRecord> state = new ArrayList<>();
          Replica replica = stopped.replicas.get(id);
          rollback.copy(
              id, replica == null ? replica(id, rollback.maps(), null) : replica, state::add);
          records.put(id, state);
        } else {
          server.remove(id);
          run.watch().removed(id);
        }
      }
      server.replace(records);
    }
  }

  private Replica replica(ReplicaId id, MapHistory maps, @Nullable ClusterMap origin) {
    return new Replica(id, maps, origin, unlimited(), ReplicaRules.SOUND);
  }

  /** A key's history must not be cut short because it is read all at once. */
  private ReplicaOptions unlimited() {
    return run.plan().replica().withMaxVersionsPerKey(Integer.MAX_VALUE);
  }
}
