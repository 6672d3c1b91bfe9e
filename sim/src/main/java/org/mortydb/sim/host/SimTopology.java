package org.mortydb.sim.host;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Topology;

/**
 * Maps as processes of the simulator see them: the name of each server is the number of its region.
 */
public final class SimTopology {
  private SimTopology() {}

  /**
   * A map as a process in a region sees it.
   *
   * @param regions how many there are
   */
  public static Topology of(ClusterMap map, int region, int regions) {
    int[][] nearest = new int[map.servers().lastKey() + 1][];
    map.servers()
        .forEach((partition, names) -> nearest[partition] = nearest(names, region, regions));
    return Topology.of(map, nearest);
  }

  private static int[] nearest(List<String> names, int region, int regions) {
    return IntStream.range(0, names.size())
        .boxed()
        .sorted(
            Comparator.comparingInt(
                index -> Math.floorMod(Integer.parseInt(names.get(index)) - region, regions)))
        .mapToInt(Integer::intValue)
        .toArray();
  }
}
