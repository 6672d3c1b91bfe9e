package org.mortydb.telemetry.tracing;

import java.util.function.Function;
import org.mortydb.config.ClusterConfig;
import org.mortydb.protocol.model.ReplicaId;

/**
 * The cluster's layout, as spans name it.
 *
 * @param replicas the number of replicas of each partition, 2f+1
 * @param serverOf the name of the server that holds a replica
 */
record Layout(int replicas, Function<ReplicaId, String> serverOf) {

  static Layout of(ClusterConfig config) {
    return new Layout(2 * config.f() + 1, replica -> config.serverOf(replica).name());
  }

  /** The Zipkin service name of the server that holds a replica. */
  String serviceOf(ReplicaId replica) {
    return TransactionTracing.serviceOfServer(serverOf.apply(replica));
  }
}
