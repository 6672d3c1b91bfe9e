package org.mortydb.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which servers hold the replicas of each partition. */
final class Placement {
  private Placement() {}

  /**
   * Places every partition on 2f+1 servers, in as many regions as possible and with even load. The
   * same input gives the same placement in every process.
   *
   * @return for each partition the servers of its replicas, by replica index
   */
  static List<List<ServerSpec>> spread(List<ServerSpec> servers, int partitions, int replicas) {
    Map<ServerSpec, Integer> load = new HashMap<>();
    List<List<ServerSpec>> placement = new ArrayList<>(partitions);
    for (int partition = 0; partition < partitions; partition++) {
      List<ServerSpec> group = new ArrayList<>(replicas);
      Map<String, Integer> groupByRegion = new HashMap<>();
      while (group.size() < replicas) {
        ServerSpec next = null;
        long nextCost = Long.MAX_VALUE;
        for (ServerSpec server : servers) {
          // A region in use outweighs any load; a tie goes to the first server.
          long cost =
              ((long) groupByRegion.getOrDefault(server.region(), 0) << Integer.SIZE)
                  + load.getOrDefault(server, 0);
          if (cost < nextCost && !group.contains(server)) {
            next = server;
            nextCost = cost;
          }
        }
        if (next == null) {
          throw new IllegalArgumentException(replicas + " replicas need as many servers");
        }
        group.add(next);
        groupByRegion.merge(next.region(), 1, Integer::sum);
        load.merge(next, 1, Integer::sum);
      }
      placement.add(List.copyOf(group));
    }
    return List.copyOf(placement);
  }
}
