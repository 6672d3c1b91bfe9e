package org.mortydb.sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ReplicaId;
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

  Operator(Run run, List<ReplicaHost> servers) {
    this.run = run;
    this.servers = servers;
  }

  /** Takes the cluster back, and leaves all servers down. */
  void acceptLoss() {
    servers.forEach(ReplicaHost::spare);
    servers.forEach(ReplicaHost::crash);
    run.fabric().serversStop();
    Map<ReplicaId, Replica> restored = new LinkedHashMap<>();
    Map<ReplicaId, Replica.Memory> memories = new LinkedHashMap<>();
    for (ReplicaHost server : servers) {
      long nowMicros = server.clock().nowMicros();
      for (ReplicaId id : server.replicas()) {
        Replica replica = new Replica(id, run.plan().topology(0), unlimited(), ReplicaRules.SOUND);
        server.replay(id, logged -> replica.restore(nowMicros, logged));
        restored.put(id, replica);
        memories.put(id, replica.memory(nowMicros));
      }
    }
    int f = run.plan().cluster().f();
    @Nullable Rollback found = Rollback.of(f, run.plan().cluster().partitions(), memories);
    Rollback rollback = found != null ? found : Rollback.toNothing(memories);
    run.marks().add(found != null ? "rollback" : "rollback/to nothing");
    run.trace().write(() -> "the operator accepts the loss: " + rollback);
    run.watch().rolledBack(rollback.cut(), rollback.fence());
    for (ReplicaHost server : servers) {
      Map<ReplicaId, List<LogRecord>> records = new LinkedHashMap<>();
      for (ReplicaId id : server.replicas()) {
        List<LogRecord> state = new ArrayList<>();
        rollback.copy(id, Objects.requireNonNull(restored.get(id)), state::add);
        records.put(id, state);
      }
      server.replace(records);
    }
  }

  /** A key's history must not be cut short because it is read all at once. */
  private ReplicaOptions unlimited() {
    return run.plan().replica().withMaxVersionsPerKey(Integer.MAX_VALUE);
  }
}
