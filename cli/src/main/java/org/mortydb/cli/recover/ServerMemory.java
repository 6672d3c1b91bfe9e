package org.mortydb.cli.recover;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.replica.Replica.Memory;
import org.mortydb.protocol.replica.Rollback;

/**
 * What a stopped server remembers, as a file that all other servers get.
 *
 * @param cluster the cluster's name
 * @param server the server's name
 * @param doubtful whether records that counted as kept may be missing, or there are none
 * @param replicas its replicas
 */
public record ServerMemory(
    String cluster, String server, boolean doubtful, List<ReplicaMemory> replicas) {

  /** Checks that nothing is missing: reports are files that people copy. */
  public ServerMemory {
    Objects.requireNonNull(cluster, "cluster");
    Objects.requireNonNull(server, "server");
    replicas = List.copyOf(replicas);
  }

  /** What one replica can go back to; see {@link Memory}. */
  public record ReplicaMemory(
      int partition, int index, boolean served, Place from, Place upTo, long latestMicros) {

    /**
     * Checks the parts.
     *
     * @throws IllegalArgumentException if the time is out of its bounds
     */
    public ReplicaMemory {
      Objects.requireNonNull(from, "from");
      Objects.requireNonNull(upTo, "upTo");
      if (latestMicros < 0 || latestMicros >= Limits.MAX_TIME_MICROS) {
        throw new IllegalArgumentException(
            "latestMicros " + latestMicros + " is not in 0.." + (Limits.MAX_TIME_MICROS - 1));
      }
    }

    static ReplicaMemory of(ReplicaId id, Memory memory) {
      return new ReplicaMemory(
          id.partition(),
          id.index(),
          memory.served(),
          Place.of(memory.from()),
          Place.of(memory.upTo()),
          memory.latestMicros());
    }

    ReplicaId id() {
      return new ReplicaId(partition, index);
    }

    Memory memory() {
      return new Memory(served, from.txn(), upTo.txn(), latestMicros);
    }

    /** Whether the other one remembers the same, whatever the time it was asked at. */
    boolean isLike(ReplicaMemory other) {
      return id().equals(other.id())
          && served == other.served
          && from.equals(other.from)
          && upTo.equals(other.upTo);
    }
  }

  /** A place in the serial order. */
  public record Place(long timeMicros, long client, int home) {
    /**
     * Checks the parts.
     *
     * @throws IllegalArgumentException if one is out of its bounds
     */
    public Place {
      var _ = new TxnId(timeMicros, client, home);
    }

    static Place of(TxnId txn) {
      return new Place(txn.timeMicros(), txn.clientId(), txn.home());
    }

    TxnId txn() {
      return new TxnId(timeMicros, client, home);
    }
  }

  /** Returns its replicas, in the order of the partitions. */
  List<ReplicaId> ids() {
    return replicas.stream().map(ReplicaMemory::id).toList();
  }

  /** Returns the memories by replica. */
  Map<ReplicaId, Memory> memories() {
    Map<ReplicaId, Memory> memories = new LinkedHashMap<>();
    replicas.forEach(one -> memories.put(one.id(), one.memory()));
    return memories;
  }

  /** Returns the latest time of any of its promises. */
  long latestMicros() {
    return replicas.stream().mapToLong(ReplicaMemory::latestMicros).max().orElse(0);
  }

  /** Whether the server has gone back already. */
  public boolean hasGoneBack(Rollback rollback) {
    return replicas.stream().allMatch(one -> one.upTo().equals(Place.of(rollback.fence())));
  }

  /** Whether the server still remembers what it did when the other report was made. */
  public boolean isLike(ServerMemory other) {
    if (!server.equals(other.server) || replicas.size() != other.replicas.size()) {
      return false;
    }
    for (int i = 0; i < replicas.size(); i++) {
      if (!replicas.get(i).isLike(other.replicas.get(i))) {
        return false;
      }
    }
    return true;
  }
}
