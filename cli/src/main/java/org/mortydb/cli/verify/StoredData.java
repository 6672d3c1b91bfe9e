package org.mortydb.cli.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.replica.ReplicaRules;
import org.mortydb.storage.RecordConsumer;
import org.mortydb.storage.StorageException;
import org.mortydb.storage.StoredDirectory;
import org.mortydb.wire.StoredRecord;
import org.mortydb.wire.StoredRecordDecoder;

/**
 * What the servers of a cluster have stored, checked.
 *
 * @param cluster the cluster's name
 * @param clean whether everything that was looked at is intact, and agrees
 * @param directories the data directories that were looked at
 * @param partitions the partitions of which replicas were compared
 * @param disagreements how many times a key differs at two replicas
 * @param examples the first of them, in words
 * @param notSeen servers whose data were not looked at
 */
public record StoredData(
    String cluster,
    boolean clean,
    List<DirectoryCheck> directories,
    List<PartitionCheck> partitions,
    long disagreements,
    List<String> examples,
    List<String> notSeen) {
  /** The tag that servers give to the records of replicas. */
  private static final byte REPLICA_TAG = 1;

  /**
   * A data directory.
   *
   * @param path where it is
   * @param server whose it is; empty if that cannot be read
   * @param problem what is wrong with it, and where; null if it is intact
   * @param contents what it holds; null with a problem
   */
  public record DirectoryCheck(
      String path, String server, @Nullable String problem, @Nullable Contents contents) {}

  /**
   * What an intact directory holds.
   *
   * @param lastStop how its last use ended, in lower case
   * @param checkpointRecords how many records its checkpoint holds
   * @param logRecords how many its log holds
   * @param cutBytes bytes at its end that were being written when its use ended
   * @param replicas how many replicas it holds
   * @param joining those that do not remember all that they promised, and join anew when started
   */
  public record Contents(
      String lastStop,
      long checkpointRecords,
      long logRecords,
      long cutBytes,
      int replicas,
      List<String> joining) {}

  /**
   * A partition.
   *
   * @param partition its number
   * @param replicas how many of its replicas were compared
   * @param watermarkMicros the time of the smallest of their watermarks
   * @param keys the most keys that one of them holds
   * @param undecided the most transactions of one of them that are not decided there
   */
  public record PartitionCheck(
      int partition, int replicas, long watermarkMicros, int keys, int undecided) {}

  /**
   * Reads data directories, whose servers must not run, and compares what replicas hold. Changes
   * nothing. The versions of all of them are held in memory.
   *
   * @param paths the servers' directories, each with a file {@code state}
   */
  public static StoredData of(ClusterConfig cluster, List<Path> paths) {
    List<DirectoryCheck> directories = new ArrayList<>();
    TreeMap<Integer, List<StoredReplica>> found = new TreeMap<>();
    Map<String, Path> seen = new LinkedHashMap<>();
    for (Path path : paths) {
      directories.add(read(cluster, path, seen, found));
    }
    Agreement agreement = new Agreement();
    List<PartitionCheck> partitions = new ArrayList<>();
    found.forEach((partition, replicas) -> partitions.add(compare(partition, replicas, agreement)));
    boolean intact = directories.stream().allMatch(one -> one.problem() == null);
    return new StoredData(
        cluster.name(),
        intact && agreement.disagreements() == 0,
        List.copyOf(directories),
        List.copyOf(partitions),
        agreement.disagreements(),
        List.copyOf(agreement.examples()),
        cluster.servers().stream()
            .map(ServerSpec::name)
            .filter(name -> !seen.containsKey(name))
            .toList());
  }

  private static PartitionCheck compare(
      int partition, List<StoredReplica> replicas, Agreement agreement) {
    for (int i = 0; i < replicas.size(); i++) {
      for (int k = i + 1; k < replicas.size(); k++) {
        agreement.compare(replicas.get(i), replicas.get(k));
      }
    }
    return new PartitionCheck(
        partition,
        replicas.size(),
        replicas.stream().mapToLong(one -> one.watermark().timeMicros()).min().orElse(0),
        replicas.stream().mapToInt(one -> one.keys().size()).max().orElse(0),
        replicas.stream().mapToInt(StoredReplica::undecided).max().orElse(0));
  }

  // ---- a directory --------------------------------------------------------------------------

  private static DirectoryCheck read(
      ClusterConfig cluster,
      Path path,
      Map<String, Path> seen,
      TreeMap<Integer, List<StoredReplica>> found) {
    Reader reader = new Reader(cluster, path);
    String server = "";
    try {
      StoredDirectory stored = reader.read();
      server = stored.identity().server();
      reader.requireCluster(stored, seen);
      seen.put(server, path);
      List<String> joining = new ArrayList<>();
      for (Map.Entry<ReplicaId, Replica> one : reader.replicas.entrySet()) {
        StoredReplica replica = reader.finished(one.getKey(), server, one.getValue());
        if (replica.whole() && !stored.doubtful()) {
          found.computeIfAbsent(one.getKey().partition(), p -> new ArrayList<>()).add(replica);
        } else {
          joining.add(one.getKey().toString());
        }
      }
      Contents contents =
          new Contents(
              stored.lastStop().name().toLowerCase(Locale.ROOT),
              stored.checkpointRecords(),
              stored.logRecords(),
              stored.cutBytes(),
              reader.replicas.size(),
              List.copyOf(joining));
      return new DirectoryCheck(path.toString(), server, null, contents);
    } catch (IOException e) {
      return new DirectoryCheck(path.toString(), server, String.valueOf(e.getMessage()), null);
    }
  }

  /** Restores the replicas of a directory. */
  private static final class Reader {
    private final ClusterConfig cluster;
    private final Path path;
    private final Map<ReplicaId, Replica> replicas = new LinkedHashMap<>();
    private final long nowMicros = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    private long record;

    Reader(ClusterConfig cluster, Path path) {
      this.cluster = cluster;
      this.path = path;
    }

    StoredDirectory read() throws IOException {
      return StoredDirectory.read(path, of("checkpoint"), of("log"));
    }

    void requireCluster(StoredDirectory stored, Map<String, Path> seen) throws StorageException {
      String server = stored.identity().server();
      if (!stored.identity().cluster().equals(cluster.name()) || cluster.server(server) == null) {
        throw new StorageException(
            path
                + " belongs to "
                + stored.identity()
                + ", which the configuration of cluster '"
                + cluster.name()
                + "' does not have: give the configuration that it was last started with");
      }
      if (seen.containsKey(server)) {
        throw new StorageException(
            path
                + " belongs to "
                + stored.identity()
                + " as "
                + seen.get(server)
                + " does: give each server's directory once");
      }
    }

    private RecordConsumer of(String part) {
      return (tag, payload) -> {
        record++;
        try {
          restore(tag, payload);
        } catch (StorageException e) {
          throw e;
        } catch (IOException | RuntimeException e) {
          throw new StorageException(
              path + ", record " + record + " (of the " + part + "), cannot be applied: " + e, e);
        }
      };
    }

    private void restore(byte tag, ByteBuffer payload) throws IOException {
      if (tag != REPLICA_TAG) {
        throw new StorageException(
            path
                + ", record "
                + record
                + ", has the unknown tag "
                + tag
                + ": use the version of Morty that wrote it");
      }
      StoredRecord stored = StoredRecordDecoder.decode(payload);
      ReplicaId id = stored.replica();
      if (!cluster.hasReplica(id)) {
        throw new StorageException(
            path
                + ", record "
                + record
                + ", is of replica "
                + id
                + ", which the configuration does not have: give the one that the server was last"
                + " started with");
      }
      Replica replica = replicas.get(id);
      if (replica == null) {
        String region = cluster.serverOf(id).region();
        replica =
            new Replica(id, cluster.topology(region), cluster.replicaOptions(), ReplicaRules.SOUND);
        replicas.put(id, replica);
      }
      replica.restore(nowMicros, stored.logged());
    }

    StoredReplica finished(ReplicaId id, String server, Replica replica) throws StorageException {
      try {
        replica.checkInvariants();
      } catch (IllegalStateException e) {
        throw new StorageException(
            path + ", replica " + id + ": an invariant is broken: " + e.getMessage(), e);
      }
      return StoredReplica.of(id, server, replica);
    }
  }
}
