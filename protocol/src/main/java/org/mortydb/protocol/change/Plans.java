package org.mortydb.protocol.change;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Bucket;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Limits;

/**
 * The plans that operators ask for. A plan that cannot be carried out throws an {@link
 * IllegalArgumentException} with a sentence for the operator.
 */
public final class Plans {
  private Plans() {}

  /**
   * The upper half of the buckets of a partition moves to a new partition.
   *
   * @param partition the partition to split, which keeps the lower half
   * @param servers of the new partition, 2f+1; null for those of the one to split
   */
  public static MapChange.Plan split(int partition, @Nullable List<String> servers) {
    return (last, number, newPartition, cutMicros) -> {
      List<Integer> buckets = buckets(last, partition);
      if (buckets.size() < 2) {
        throw new IllegalArgumentException(
            "partition " + partition + " has only one bucket, and cannot be split");
      }
      return moved(
          last,
          number,
          newPartition,
          cutMicros,
          servers == null ? serversOf(last, partition) : servers,
          buckets.subList(buckets.size() / 2, buckets.size()));
    };
  }

  /**
   * All buckets of a partition move to a new partition on other servers.
   *
   * @param partition the partition to move; nothing of it remains
   * @param servers of the new partition, 2f+1
   */
  public static MapChange.Plan move(int partition, List<String> servers) {
    return (last, number, newPartition, cutMicros) ->
        moved(last, number, newPartition, cutMicros, servers, buckets(last, partition));
  }

  /**
   * All buckets of several partitions move to one new partition.
   *
   * @param partitions to merge, two or more; nothing of them remains
   * @param servers of the new partition, 2f+1; null for those of the first one, if all others are
   *     on the same servers
   */
  public static MapChange.Plan merge(List<Integer> partitions, @Nullable List<String> servers) {
    return (last, number, newPartition, cutMicros) -> {
      if (new HashSet<>(partitions).size() != partitions.size() || partitions.size() < 2) {
        throw new IllegalArgumentException(
            "a merge needs two or more different partitions, not " + partitions);
      }
      List<Integer> buckets = new ArrayList<>();
      partitions.forEach(partition -> buckets.addAll(buckets(last, partition)));
      return moved(
          last,
          number,
          newPartition,
          cutMicros,
          servers == null ? sharedServers(last, partitions) : servers,
          buckets);
    };
  }

  /** The servers of the first partition, which must be those of the others. */
  private static List<String> sharedServers(ClusterMap map, List<Integer> partitions) {
    List<String> first = serversOf(map, partitions.getFirst());
    for (int partition : partitions) {
      if (!new HashSet<>(serversOf(map, partition)).equals(new HashSet<>(first))) {
        throw new IllegalArgumentException(
            "partition "
                + partitions.getFirst()
                + " is on "
                + String.join(", ", first)
                + ", partition "
                + partition
                + " on "
                + String.join(", ", serversOf(map, partition))
                + ": choose the servers of the new partition (--on)");
      }
    }
    return first;
  }

  private static List<Integer> buckets(ClusterMap map, int partition) {
    if (!map.has(partition)) {
      throw new IllegalArgumentException(
          "there is no partition "
              + partition
              + " in map "
              + map.number()
              + ": it has "
              + map.servers().keySet());
    }
    return IntStream.range(0, Bucket.COUNT)
        .filter(bucket -> map.partitionOf(bucket) == partition)
        .boxed()
        .toList();
  }

  private static List<String> serversOf(ClusterMap map, int partition) {
    List<String> servers = map.servers().get(partition);
    if (servers == null) {
      throw new IllegalArgumentException("there is no partition " + partition);
    }
    return servers;
  }

  private static ClusterMap moved(
      ClusterMap last,
      int number,
      int newPartition,
      long cutMicros,
      List<String> servers,
      List<Integer> buckets) {
    int needed = 2 * last.f() + 1;
    if (servers.stream().distinct().count() != needed || servers.size() != needed) {
      throw new IllegalArgumentException(
          "a partition needs "
              + needed
              + " different servers, because f is "
              + last.f()
              + ", not "
              + servers);
    }
    if (newPartition >= Limits.MAX_PARTITIONS || number >= Limits.MAX_NUMBER) {
      throw new IllegalArgumentException(
          "all numbers of partitions are used up: " + newPartition + " would be the next one");
    }
    Map<Integer, Integer> to = new TreeMap<>();
    buckets.forEach(bucket -> to.put(bucket, newPartition));
    Map<Integer, List<String>> added = new TreeMap<>();
    added.put(newPartition, servers);
    return last.moved(number, cutMicros, last.f(), added, to);
  }
}
