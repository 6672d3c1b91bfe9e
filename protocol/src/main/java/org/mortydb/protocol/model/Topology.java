package org.mortydb.protocol.model;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * One map of the cluster, and the distance of its replicas, as one process sees them. Every
 * partition has 2f+1 replicas. Immutable.
 */
public final class Topology {
  private final ClusterMap map;
  private final int replicas;

  /** The numbers of the partitions, ascending. */
  private final int[] partitions;

  private final int[] leaders;

  /**
   * For each partition the indices of its replicas, the closest first; null where there is none.
   */
  private final int[][] nearest;

  /**
   * The first map of a cluster, with the partitions 0 to n - 1. Replica {@code p mod (2f+1)} leads
   * partition {@code p}. The replicas after the closest one are equally close.
   *
   * @param f failures tolerated in each partition, 1 or more
   * @param closest for each partition the index of the closest replica, 0 to 2f; at least one entry
   * @throws IllegalArgumentException when an argument is out of its range
   */
  public Topology(int f, int... closest) {
    this(ClusterMap.first(checked(f), atLeastOne(closest.length)), nearest(f, closest));
  }

  private Topology(ClusterMap map, int[][] nearest) {
    this(map, nearest, leaders(map));
  }

  private Topology(ClusterMap map, int[][] nearest, int[] leaders) {
    this.map = map;
    this.replicas = 2 * map.f() + 1;
    this.partitions = map.servers().keySet().stream().mapToInt(Integer::intValue).toArray();
    this.nearest = nearest;
    this.leaders = leaders;
  }

  private static int checked(int f) {
    if (f < 1) {
      throw new IllegalArgumentException("f must be at least 1, is " + f);
    }
    return f;
  }

  private static int atLeastOne(int partitions) {
    if (partitions == 0) {
      throw new IllegalArgumentException("a cluster has at least one partition");
    }
    return partitions;
  }

  private static int[][] nearest(int f, int[] closest) {
    int[][] nearest = new int[closest.length][2 * f + 1];
    for (int partition = 0; partition < closest.length; partition++) {
      if (closest[partition] < 0 || closest[partition] > 2 * f) {
        throw new IllegalArgumentException(
            "replica index " + closest[partition] + " is not in 0.." + 2 * f);
      }
      for (int rank = 0; rank <= 2 * f; rank++) {
        nearest[partition][rank] = (closest[partition] + rank) % (2 * f + 1);
      }
    }
    return nearest;
  }

  private static int[] leaders(ClusterMap map) {
    int[] leaders = new int[map.servers().lastKey() + 1];
    Arrays.setAll(leaders, partition -> partition % (2 * map.f() + 1));
    return leaders;
  }

  /**
   * The first map of a cluster, with the partitions 0 to n - 1, from the distances of replicas.
   *
   * @param f failures tolerated in each partition, 1 or more
   * @param nearest for each partition the indices 0 to 2f, the closest first; at least one entry
   * @throws IllegalArgumentException when an argument is out of its range
   */
  public static Topology ofNearest(int f, int[][] nearest) {
    return of(ClusterMap.first(checked(f), atLeastOne(nearest.length)), nearest);
  }

  /**
   * A topology from a map and the distances of replicas.
   *
   * @param nearest for each partition of the map, under its number, the indices 0 to 2f, the
   *     closest first
   * @throws IllegalArgumentException when an argument is out of its range
   */
  public static Topology of(ClusterMap map, int[][] nearest) {
    int[][] copy = new int[map.servers().lastKey() + 1][];
    for (int partition : map.servers().keySet()) {
      int[] indices = nearest[partition];
      if (indices.length != 2 * map.f() + 1
          || IntStream.of(indices).distinct().filter(i -> i >= 0 && i <= 2 * map.f()).count()
              != indices.length) {
        throw new IllegalArgumentException(
            "the replicas of partition "
                + partition
                + " are not 0.."
                + 2 * map.f()
                + ", each once");
      }
      copy[partition] = indices.clone();
    }
    return new Topology(map, copy);
  }

  /**
   * This topology with other leaders.
   *
   * @param indices for each partition the index of its leader, 0 to 2f
   * @throws IllegalArgumentException if they are too few or too many, or one is out of its range
   */
  public Topology withLeaders(int... indices) {
    if (indices.length != nearest.length) {
      throw new IllegalArgumentException(
          indices.length + " leaders are given for " + nearest.length + " partitions");
    }
    for (int index : indices) {
      if (index < 0 || index >= replicas) {
        throw new IllegalArgumentException(
            "replica index " + index + " is not in 0.." + (replicas - 1));
      }
    }
    return new Topology(map, nearest, indices.clone());
  }

  /** The map. */
  public ClusterMap map() {
    return map;
  }

  /** The number of partitions, at least 1. Those of the first map are 0 to that number - 1. */
  public int partitions() {
    return partitions.length;
  }

  /**
   * The number of one of the partitions.
   *
   * @param rank its rank among the partitions, 0 for the lowest
   */
  public int partition(int rank) {
    return partitions[rank];
  }

  /** The number of failures tolerated in each partition. */
  public int f() {
    return map.f();
  }

  /** The number of replicas in each partition: 2f+1. */
  public int replicas() {
    return replicas;
  }

  /** The index of the closest replica of {@code partition}. */
  public int closest(int partition) {
    return nearest[partition][0];
  }

  /**
   * The index of a replica of {@code partition} by its distance.
   *
   * @param rank 0 for the closest replica, 2f for the farthest
   */
  public int nearest(int partition, int rank) {
    return nearest[partition][rank];
  }

  /**
   * The index of the replica that leads {@code partition}, in systems with leaders: the number of
   * the partition modulo 2f+1, unless {@link #withLeaders} has set another one.
   */
  public int leader(int partition) {
    return leaders[partition];
  }

  /** The partition that holds {@code key}: that of its {@link Bucket}. */
  public int partitionOf(Key key) {
    return map.partitionOf(key);
  }

  /** The partition, of {@code partitions}, that holds {@code key}. */
  public static int partitionOf(Key key, int partitions) {
    return partitions == 1 ? 0 : Bucket.partition(Bucket.of(key), partitions);
  }

  /** Whether {@code partition} may hold keys of {@code range}. */
  public boolean mayHold(int partition, KeyRange range) {
    return map.mayHold(partition, range);
  }
}
