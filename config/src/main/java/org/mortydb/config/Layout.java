package org.mortydb.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.ReplicaId;

/**
 * What all processes of a cluster must believe of it alike. They compare it when they connect: a
 * client that counts more partitions than the servers would write where nobody reads.
 *
 * @param partitions the number of partitions
 * @param f the number of failures tolerated in each partition
 * @param system the name of the system
 * @param placement a checksum of the servers of all replicas, and of whether the map may change
 */
public record Layout(int partitions, int f, String system, int placement) {

  static Layout of(ClusterConfig config) {
    CRC32C placement = new CRC32C();
    for (int partition = 0; partition < config.partitions(); partition++) {
      for (int index = 0; index <= 2 * config.f(); index++) {
        String server = config.serverOf(new ReplicaId(partition, index)).name();
        placement.update((server + "\n").getBytes(UTF_8));
      }
    }
    if (config.changes()) {
      placement.update("changes\n".getBytes(UTF_8));
    }
    return new Layout(
        config.partitions(), config.f(), config.system().name(), (int) placement.getValue());
  }

  /** The first setting that differs, with both values; null if none does. */
  public @Nullable String difference(Layout other) {
    if (partitions != other.partitions) {
      return "cluster.partitions is " + partitions + " here and " + other.partitions + " there";
    }
    if (f != other.f) {
      return "cluster.f is " + f + " here and " + other.f + " there";
    }
    if (!system.equals(other.system)) {
      return "cluster.system is '" + system + "' here and '" + other.system + "' there";
    }
    return placement != other.placement
        ? "cluster.servers or cluster.placement puts replicas on other servers here than there, or"
            + " cluster.changes differs"
        : null;
  }
}
