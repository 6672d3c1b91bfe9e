package org.mortydb.protocol.model;

/**
 * How keys fall on partitions and which replica of each is nearest, as one process sees it. Every
 * partition is a replica group of 2f+1. Immutable.
 */
public final class Topology {
  private final int f;
  private final int[] closest;
  private final int[] leaders;

  /**
   * @param f failures tolerated in each partition, 1 or more
   * @param closest for each partition the index of the nearest replica, 0 to 2f; at least one entry
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
  }

  private Topology(int f, int[] closest, int[] leaders) {
    this.f = f;
    this.closest = closest;
    this.leaders = leaders;
  }

  /**
   * The same with other leaders.
   *
   * @param indices for each partition the index of its leader, 0 to 2f
   * @throws IllegalArgumentException when they are too few or too many, or one is out of its range
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
    return new Topology(f, closest, indices.clone());
  }

  /** The number of partitions, at least 1. */
  public int partitions() {
    return closest.length;
  }

  /** Failures tolerated in each partition. */
  public int f() {
    return f;
  }

  /** Replicas in each partition: 2f+1. */
  public int replicas() {
    return 2 * f + 1;
  }

  /** The index of the nearest replica of {@code partition}. */
  public int closest(int partition) {
    return closest[partition];
  }

  /**
   * The index of the replica that leads {@code partition}, in systems that have leaders: the
   * partition's number modulo 2f+1, unless it was said otherwise.
   */
  public int leader(int partition) {
    return leaders[partition];
  }

  /** The partition that holds {@code key}: its hash, scaled to the number of partitions. */
  public int partitionOf(Key key) {
    return partitionOf(key, closest.length);
  }

  /** The partition, of {@code partitions}, that holds {@code key}. */
  public static int partitionOf(Key key, int partitions) {
    return (int) (((key.hashCode() & 0xFFFFFFFFL) * partitions) >>> 32);
  }
}
