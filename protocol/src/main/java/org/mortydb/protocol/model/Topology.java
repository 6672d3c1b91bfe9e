package org.mortydb.protocol.model;

/**
 * The partitions of the keys, and the closest replica of each partition, as one process sees them.
 * Every partition has 2f+1 replicas. Immutable.
 */
public final class Topology {
  private final int f;
  private final int[] closest;
  private final int[] leaders;

  /**
   * A topology in which replica {@code p mod (2f+1)} leads partition {@code p}.
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
  }

  private Topology(int f, int[] closest, int[] leaders) {
    this.f = f;
    this.closest = closest;
    this.leaders = leaders;
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
    return new Topology(f, closest, indices.clone());
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
   * The index of the replica that leads {@code partition}, in systems with leaders: the number of
   * the partition modulo 2f+1, unless {@link #withLeaders} has set another one.
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
