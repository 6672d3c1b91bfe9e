package org.mortydb.protocol.change;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Bucket;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.MapHistory;

/**
 * Proposes changes after which all servers hold about as many replicas. The servers of a partition
 * lie in as many regions as before, or more. Pure: the plan of a map is always the same, so whoever
 * carries it out plans again after each change, and may stop in between.
 */
public final class Rebalance {
  /**
   * One change.
   *
   * @param partition the partition that is moved, or split
   * @param split whether half of its buckets move; otherwise all
   * @param from its servers now
   * @param to the servers of the new partition
   */
  public record Step(int partition, boolean split, List<String> from, List<String> to) {
    /** The plan that carries it out. */
    public MapChange.Plan plan() {
      return split ? Plans.split(partition, to) : Plans.move(partition, to);
    }

    @Override
    public String toString() {
      return (split ? "split" : "move")
          + " partition "
          + partition
          + " of "
          + String.join(", ", from)
          + " to "
          + String.join(", ", to);
    }
  }

  private Rebalance() {}

  /**
   * All changes from a map on.
   *
   * @param servers of the cluster
   * @param partitions how many partitions there shall be at least; the largest ones are split
   * @throws IllegalArgumentException if there are too few servers or buckets, or too many changes
   */
  public static List<Step> plan(ClusterMap map, List<Server> servers, int partitions) {
    if (partitions > Math.min(Bucket.COUNT, Limits.MAX_PARTITIONS / 2)) {
      throw new IllegalArgumentException(
          "there are "
              + Bucket.COUNT
              + " buckets, too few for "
              + partitions
              + " partitions that can be moved");
    }
    if (partitions - map.servers().size() > Limits.MAX_MAPS) {
      throw new IllegalArgumentException(
          "from "
              + map.servers().size()
              + " partitions to "
              + partitions
              + " there are more changes than the "
              + Limits.MAX_MAPS
              + " maps that processes remember: ask for fewer");
    }
    List<Step> steps = new ArrayList<>();
    ClusterMap at = map;
    for (Step next = next(at, servers, partitions);
        next != null;
        next = next(at, servers, partitions)) {
      steps.add(next);
      at = after(at, next);
    }
    return steps;
  }

  private static ClusterMap after(ClusterMap map, Step step) {
    ClusterMap after =
        step.plan().next(map, map.number() + 1, map.servers().lastKey() + 1, map.cutMicros() + 1);
    if (after == null) {
      throw new IllegalStateException(step + " changes nothing");
    }
    return after;
  }

  /**
   * How many of these changes can be made: processes remember all maps, within the limits of {@link
   * MapHistory#whyNoMore}.
   *
   * @param history the maps so far
   * @param steps the changes from the last of them on
   */
  public static int feasible(MapHistory history, List<Step> steps) {
    long bytes = history.maps().stream().mapToLong(ClusterMap::storedBytes).sum();
    ClusterMap at = history.last();
    for (int made = 0; made < steps.size(); made++) {
      at = after(at, steps.get(made));
      long added = at.storedBytes();
      if (MapHistory.whyNoMore(history.maps().size() + made, bytes, added) != null) {
        return made;
      }
      bytes += added;
    }
    return steps.size();
  }

  /** The first of these changes; null if there is nothing to change. */
  public static @Nullable Step next(ClusterMap map, List<Server> servers, int partitions) {
    if (map.servers().size() < partitions) {
      int largest = largest(map);
      List<String> from = map.servers().getOrDefault(largest, List.of());
      return new Step(
          largest,
          true,
          from,
          new Grouping(servers, map.servers().values()).group(List.of(), from.size()));
    }
    Map<Integer, List<String>> groups = balanced(map, servers);
    for (Map.Entry<Integer, List<String>> partition : map.servers().entrySet()) {
      List<String> to = groups.getOrDefault(partition.getKey(), partition.getValue());
      if (!to.equals(partition.getValue())) {
        return new Step(partition.getKey(), false, partition.getValue(), to);
      }
    }
    return null;
  }

  private static int largest(ClusterMap map) {
    int[] buckets = new int[map.servers().lastKey() + 1];
    IntStream.range(0, Bucket.COUNT).forEach(bucket -> buckets[map.partitionOf(bucket)]++);
    int largest = map.servers().firstKey();
    for (int partition : map.servers().keySet()) {
      largest = buckets[partition] > buckets[largest] ? partition : largest;
    }
    return largest;
  }

  /** Moves single replicas from servers that hold many to those that hold few. */
  private static Map<Integer, List<String>> balanced(ClusterMap map, List<Server> servers) {
    Map<String, String> regions = new HashMap<>();
    Map<String, Integer> loads = new HashMap<>();
    servers.forEach(
        server -> {
          regions.put(server.name(), server.region());
          loads.put(server.name(), 0);
        });
    Map<Integer, List<String>> groups = new TreeMap<>();
    map.servers()
        .forEach(
            (partition, names) -> {
              groups.put(partition, new ArrayList<>(names));
              names.forEach(name -> loads.merge(name, 1, Integer::sum));
            });
    List<String> names = servers.stream().map(Server::name).toList();
    while (moveOne(groups, loads, regions, names)) {
      // Each move makes the sum of the squares of the loads smaller, so it ends.
    }
    return groups;
  }

  private static boolean moveOne(
      Map<Integer, List<String>> groups,
      Map<String, Integer> loads,
      Map<String, String> regions,
      List<String> names) {
    Comparator<String> byLoad = Comparator.comparingInt(name -> loads.getOrDefault(name, 0));
    List<String> ascending = names.stream().sorted(byLoad).toList();
    for (String few : ascending) {
      for (String many : ascending.reversed()) {
        if (loads.getOrDefault(many, 0) - loads.getOrDefault(few, 0) < 2) {
          break;
        }
        for (List<String> group : groups.values()) {
          if (group.contains(many)
              && !group.contains(few)
              && staysSpread(group, many, few, regions)) {
            group.set(group.indexOf(many), few);
            loads.merge(many, -1, Integer::sum);
            loads.merge(few, 1, Integer::sum);
            return true;
          }
        }
      }
    }
    return false;
  }

  private static boolean staysSpread(
      List<String> group, String out, String in, Map<String, String> regions) {
    List<String> after = new ArrayList<>(group);
    after.set(after.indexOf(out), in);
    return spread(after, regions) >= spread(group, regions);
  }

  private static long spread(List<String> group, Map<String, String> regions) {
    return group.stream().map(name -> regions.getOrDefault(name, name)).distinct().count();
  }
}
