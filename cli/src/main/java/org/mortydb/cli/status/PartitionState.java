package org.mortydb.cli.status;

import java.util.List;

/**
 * A partition, as it was found.
 *
 * @param partition its number
 * @param serving how many of its replicas serve
 * @param replicas how many it has
 * @param needed how many must serve, so that transactions can be decided
 * @param availability in a word
 * @param missing the servers whose replicas of it do not serve, or are not known to
 */
public record PartitionState(
    int partition,
    int serving,
    int replicas,
    int needed,
    Availability availability,
    List<String> missing) {

  /** What a partition can do; in the order from good to bad. */
  public enum Availability {
    /** All replicas serve. */
    ALL,
    /** A majority serves: transactions are decided, on the slow path. */
    QUORUM,
    /** It cannot be told whether a majority serves. */
    UNKNOWN,
    /** No majority serves: no transaction that touches it can be decided. */
    NONE;

    @Override
    public String toString() {
      return Words.of(this);
    }
  }
}
