package org.mortydb.sim.host;

import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Topology;

/** Maps as processes of the simulator see them: replica i of each partition is in region i. */
public final class SimTopology {
  private SimTopology() {}

  /** A map as a process in a region sees it. */
  public static Topology of(ClusterMap map, int region) {
    int replicas = 2 * map.f() + 1;
    int[][] nearest = new int[map.servers().lastKey() + 1][replicas];
    for (int[] ranks : nearest) {
      for (int rank = 0; rank < replicas; rank++) {
        ranks[rank] = (region + rank) % replicas;
      }
    }
    return Topology.of(map, nearest);
  }
}
