package org.mortydb.client.net;

import org.mortydb.client.engine.PastLimits;
import org.mortydb.config.ClusterConfig;
import org.mortydb.protocol.replica.ReplicaOptions;

/** How far back the configured cluster reads the past. */
final class ConfiguredPast {
  private ConfiguredPast() {}

  static PastLimits of(ClusterConfig cluster) {
    ReplicaOptions replica = cluster.replicaOptions();
    return new PastLimits(
        replica.watermarkLagMicros(), replica.historyMicros(), replica.allowedSkewMicros());
  }
}
