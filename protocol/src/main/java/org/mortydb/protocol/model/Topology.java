package org.mortydb.protocol.model;

import java.util.stream.IntStream;

/**
 * The partitions of the keys, and the distance of their replicas, as one process sees them. Every
 * partition has 2f+1 replicas. Immutable.
 */
public final class Topology {
  private final int f;
  private final int[] closest;
  private final int[] leaders;

  /** For each partition the indices of its replicas, the closest first. */
  private final int[][] nearest;

  /**
   * A topology in which replica {@code p mod (2f+1)} leads partition {@code p}. The replicas after
   * the closest one are equally close.
   *
   * @param f failures tolerated in each partition, 1 or more
   * @param closest for each partition the index of the closest replica, 0 to 2f; at least one entry
   * @throws IllegalArgumentException when an argument is out of its range
   */
  public Topology(int f, int... closest) {
    if (f < 1) {
      throw new IllegalArgumentException("f must be at least 1, is " + f);
    }
    if (closest.length == 0) {
      throw new IllegalArgumentException("a cluster has at least one partition");
    }
    for (int index : closest) {
      if (index < 0 || index > 2 * f) {
        throw new IllegalArgumentException("replica index " + index + " is not in 0.." + 2 * f);
      }
    }
    this.f = f;
    this.closest = closest.clone();
    this.leaders = new int[closest.length];
    for (int partition = 0; partition < leaders.length; partition++) {
      leaders[partition] = partition % (2 * f + 1);
    }
    this.nearest = new int[closest.length][2 * f + 1];
    for (int partition = 0; partition < closest.length; partition++) {
      for (int rank = 0; rank <= 2 * f; rank++) {
        nearest[partition][rank] = (closest[partition] + rank) % (2 * f + 1);
      }
    }
  }

  private Topology(int f, int[] closest, int[] leaders, int[][] nearest) {
    this.f = f;
    this.closest = closest;
    this.leaders = leaders;
    this.nearest = nearest;
  }

  /**
   * A topology from the distances of replicas.
   *
   * @param f failures tolerated in each partition, 1 or more
   * @param nearest for each partition the indices 0 to 2f, the closest first; at least one entry
   * @throws IllegalArgumentException when an argument is out of its range
   */
  public static Topology ofNearest(int f, int[][] nearest) {
    int[] closest = new int[nearest.length];
    int[][] copy = new int[nearest.length][];
    for (int partition = 0; partition < nearest.length; partition++) {
      int[] indices = nearest[partition];
      if (indices.length != 2 * f + 1
          || IntStream.of(indices).distinct().filter(i -> i >= 0 && i <= 2 * f).count()
              != indices.length) {
        throw new IllegalArgumentException(
            "the replicas of partition " + partition + " are not 0.." + 2 * f + ", each once");
      }
      copy[partition] = indices.clone();
      closest[partition] = indices[0];
    }
    Topology simple = new Topology(f, closest);
    return new Topology(f, simple.closest, simple.leaders, copy);
  }

  /**
   * This topology with other leaders.
   *
   * @param indices for each partition the index of its leader, 0 to 2f
   * @throws IllegalArgumentException if they are too few or too many, or one is out of its range
   */
  public Topology withLeaders(int... indices) {
    if (indices.length != closest.length) {
      throw new IllegalArgumentException(
          indices.length + " leaders are given for " + closest.length + " partitions");
    }
    for (int index : indices) {
      if (index < 0 || index > 2 * f) {
        throw new IllegalArgumentException("replica index " + index + " is not in 0.." + 2 * f);
      }
    }
    return new Topology(f, closest, indices.clone(), nearest);
  }

  /** The number of partitions, at least 1. */
  public int partitions() {
    return closest.length;
  }

  /** The number of failures tolerated in each partition. */
  public int f() {
    return f;
  }

  /** The number of replicas in each partition: 2f+1. */
  public int replicas() {
    return 2 * f + 1;
  }

  /** The index of the closest replica of {@code partition}. */
  public int closest(int partition) {
    return closest[partition];
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
    return partitionOf(key, closest.length);
  }

  /** The partition, of {@code partitions}, that holds {@code key}. */
  public static int partitionOf(Key key, int partitions) {
    return partitions == 1 ? 0 : Bucket.partition(Bucket.of(key), partitions);
  }

  /** Whether {@code partition} may hold keys of {@code range}. */
  public boolean mayHold(int partition, KeyRange range) {
    int bucket = Bucket.of(range);
    return bucket == Bucket.SEVERAL || Bucket.partition(bucket, closest.length) == partition;
  }
}
