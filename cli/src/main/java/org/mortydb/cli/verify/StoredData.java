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
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.replica.ReplicaRules;
import org.mortydb.storage.DirectoryInUseException;
import org.mortydb.storage.RecordConsumer;
import org.mortydb.storage.Storage;
import org.mortydb.storage.StorageException;
import org.mortydb.storage.StoredDirectory;
import org.mortydb.wire.StoredRecord;
import org.mortydb.wire.StoredRecordDecoder;
import org.mortydb.wire.WireContract;

/**
 * The result of a check of what the servers of a cluster have stored.
 *
 * @param cluster the cluster's name
 * @param clean whether all checked directories are intact and agree
 * @param directories the checked data directories
 * @param partitions the partitions whose replicas were compared
 * @param disagreements how often a key differs at two replicas
 * @param examples the first differences, in words
 * @param notSeen servers whose data were not checked
 */
public record StoredData(
    String cluster,
    boolean clean,
    List<DirectoryCheck> directories,
    List<PartitionCheck> partitions,
    long disagreements,
    List<String> examples,
    List<String> notSeen) {
  /** The tag of replicas' records in a server's log. */
  private static final byte REPLICA_TAG = 1;

  /**
   * A data directory.
   *
   * @param path the path of the directory
   * @param server the server to which it belongs; empty if that cannot be read
   * @param inUse whether its server runs, so that it was not read
   * @param problem the damage and its place, or why it was not read; null if it is intact
   * @param contents the contents; null with a problem
   */
  public record DirectoryCheck(
      String path,
      String server,
      boolean inUse,
      @Nullable String problem,
      @Nullable Contents contents) {}

  /**
   * The contents of an intact directory.
   *
   * @param lastStop how the last run of the server ended, in lower case
   * @param checkpointRecords how many records its checkpoint holds
   * @param logRecords how many records its log holds
   * @param cutBytes bytes at the end of the log whose write was incomplete
   * @param replicas how many replicas it holds
   * @param joining the replicas that do not remember all their promises, and rejoin at the next
   *     start
   */
  public record Contents(
      String lastStop,
      long checkpointRecords,
      long logRecords,
      long cutBytes,
      int replicas,
      List<String> joining) {}

  /**
   * A compared partition.
   *
   * @param partition its number
   * @param replicas how many of its replicas were compared
   * @param watermarkMicros the time of the smallest watermark
   * @param keys the largest number of keys that one replica holds
   * @param undecided the largest number of undecided transactions of one replica
   */
  public record PartitionCheck(
      int partition, int replicas, long watermarkMicros, int keys, int undecided) {}

  /**
   * Reads data directories of stopped servers, and compares what replicas hold. Changes nothing.
   * Holds all versions in memory.
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
      return new DirectoryCheck(path.toString(), server, false, null, contents);
    } catch (DirectoryInUseException e) {
      return new DirectoryCheck(
          path.toString(),
          server,
          true,
          "%s is in use by another process: stop that server first, or name a complete copy of the"
                  .formatted(path)
              + " directory that was made while it was stopped",
          null);
    } catch (IOException e) {
      String problem = String.valueOf(e.getMessage());
      return new DirectoryCheck(path.toString(), server, false, problem, null);
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
      Storage.requireVersion(path, WireContract.VERSIONS.oldest(), WireContract.VERSIONS.newest());
      return StoredDirectory.read(path, of("checkpoint"), of("log"));
    }

    void requireCluster(StoredDirectory stored, Map<String, Path> seen) throws StorageException {
      String server = stored.identity().server();
      boolean known = cluster.changes() || cluster.server(server) != null; // others have joined
      if (!stored.identity().cluster().equals(cluster.name()) || !known) {
        throw new StorageException(
            path
                + " belongs to "
                + stored.identity()
                + ", which the configuration of cluster '"
                + cluster.name()
                + "' does not have: pass the configuration of its last start");
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
      Replica replica = replicas.get(id);
      if (replica == null) {
        replica =
            new Replica(
                id,
                new MapHistory(cluster.firstMap()),
                cluster.hasReplica(id) ? null : origin(stored),
                cluster.replicaOptions(),
                ReplicaRules.SOUND);
        replicas.put(id, replica);
      }
      replica.restore(nowMicros, stored.logged());
    }

    /** The first record of a replica of a partition that a change has added: the map with it. */
    private ClusterMap origin(StoredRecord first) throws StorageException {
      if (cluster.changes() && first.logged() instanceof LogRecord.Hosted(ClusterMap map)) {
        return map;
      }
      throw new StorageException(
          path
              + ", record "
              + record
              + ", belongs to replica "
              + first.replica()
              + ", which the configuration does not have"
              + (cluster.changes() ? ", without the map that adds it" : "")
              + ": pass the configuration of the server's last start");
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
