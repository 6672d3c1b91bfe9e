package org.mortydb.protocol.model;

/**
 * One replica of one partition.
 *
 * @param partition the partition, 0 or more
 * @param index the number of the replica within the partition, 0 to 2f
 */
public record ReplicaId(int partition, int index) implements Endpoint {
  @Override
  public String toString() {
    return "p" + partition + "r" + index;
  }
}
