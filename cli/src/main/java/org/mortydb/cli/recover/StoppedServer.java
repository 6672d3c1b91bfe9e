package org.mortydb.cli.recover;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.ReplicaRules;
import org.mortydb.protocol.replica.Rollback;
import org.mortydb.storage.CheckpointOptions;
import org.mortydb.storage.CheckpointWriter;
import org.mortydb.storage.Durability;
import org.mortydb.storage.Identity;
import org.mortydb.storage.LogListener;
import org.mortydb.storage.LogOptions;
import org.mortydb.storage.Storage;
import org.mortydb.storage.StorageException;
import org.mortydb.storage.StorageOptions;
import org.mortydb.wire.StoredRecord;
import org.mortydb.wire.StoredRecordDecoder;
import org.mortydb.wire.StoredRecordEncoder;
import org.mortydb.wire.WireContract;

/** The data directory of a stopped server, locked, with its replicas restored. */
public final class StoppedServer implements AutoCloseable {
  private static final byte REPLICA_TAG = 1;
  private static final int CHECKPOINT_BYTES_PER_SECOND = 1 << 30;
  private static final int CHECKPOINT_STEP_BYTES = 1024 * 1024;

  private final ClusterConfig cluster;
  private final ServerSpec spec;
  private final Path path;
  private final long nowMicros = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
  private final Map<ReplicaId, Replica> replicas = new LinkedHashMap<>();
  private final Storage storage;
  private final boolean doubtful;

  /**
   * Opens the directory of a server, and creates it if it is missing: then the server remembers
   * nothing. Marks the directory as doubtful, so that the server serves only after a rollback, or
   * after it has rejoined f+1 servers that serve.
   *
   * @throws IOException when the directory is in use, damaged, or cannot be read or written, or the
   *     map of the cluster has changed; the directory is then not marked
   */
  public static StoppedServer open(ClusterConfig cluster, ServerSpec spec, Path path)
      throws IOException {
    return new StoppedServer(cluster, spec, path);
  }

  private StoppedServer(ClusterConfig cluster, ServerSpec spec, Path path) throws IOException {
    this.cluster = cluster;
    this.spec = spec;
    this.path = path;
    Storage.requireVersion(path, WireContract.VERSIONS.oldest(), WireContract.VERSIONS.newest());
    boolean empty = !Files.exists(path.resolve("state"));
    // A key's history must not be cut short because it is read all at once.
    ReplicaOptions options = cluster.replicaOptions().withMaxVersionsPerKey(Integer.MAX_VALUE);
    for (ReplicaId id : cluster.replicasOf(spec)) {
      replicas.put(
          id, new Replica(id, cluster.topology(spec.region()), options, ReplicaRules.SOUND));
    }
    storage =
        Storage.open(
            path,
            new Identity(cluster.name(), spec.name()),
            new StorageOptions(
                LogOptions.of(Durability.SYNC),
                new CheckpointOptions(CHECKPOINT_BYTES_PER_SECOND, CHECKPOINT_STEP_BYTES)),
            this::restore,
            this::restore,
            new Silent());
    doubtful = empty || storage.isDoubtful();
    storage.doubt();
  }

  private void restore(byte tag, ByteBuffer payload) throws IOException {
    StoredRecord stored = tag == REPLICA_TAG ? StoredRecordDecoder.decode(payload) : null;
    int map = stored == null ? 0 : lastMap(stored.logged());
    if (map > 0) {
      throw new StorageException(
          path
              + " knows map "
              + map
              + " of the cluster, and a cluster whose map has changed cannot go back: restore a"
              + " backup into a new cluster ('morty restore')");
    }
    Replica replica = stored == null ? null : replicas.get(stored.replica());
    if (stored == null || replica == null) {
      throw new StorageException(
          path
              + " holds records that the configuration or this version does not know: use those of"
              + " the server's last start");
    }
    replica.restore(nowMicros, stored.logged());
  }

  /** The number of the last map that a record tells of; 0 for the first map, or none. */
  private static int lastMap(LogRecord logged) {
    return switch (logged) {
      case LogRecord.Hosted(ClusterMap map) -> map.number();
      case LogRecord.MapsKnown known ->
          known.maps().stream().mapToInt(ClusterMap::number).max().orElse(0);
      default -> 0;
    };
  }

  /** Returns the server's name. */
  public String name() {
    return spec.name();
  }

  /** Returns what the server remembers. */
  public ServerMemory memory() {
    List<ServerMemory.ReplicaMemory> all = new ArrayList<>();
    replicas.forEach(
        (id, replica) -> all.add(ServerMemory.ReplicaMemory.of(id, replica.memory(nowMicros))));
    return new ServerMemory(cluster.name(), spec.name(), doubtful, all);
  }

  /**
   * Lists the transactions above a cut that the server knows of: one line for each, with its id,
   * its outcome, and the keys that it wrote.
   */
  public List<String> above(TxnId cut) {
    TreeMap<TxnId, String> outcomes = new TreeMap<>();
    TreeMap<TxnId, String> keys = new TreeMap<>();
    for (Replica replica : replicas.values()) {
      replica.copyRecords(
          Replica.NO_LOG,
          logged -> {
            switch (logged) {
              case LogRecord.Prepared p -> {
                outcomes.putIfAbsent(p.execution().txn(), "undecided");
                keys.merge(p.execution().txn(), keys(p.writes()), String::concat);
              }
              case LogRecord.Executed e ->
                  keys.merge(e.execution().txn(), keys(e.writes()), String::concat);
              case LogRecord.Decided(TxnId txn, Outcome.Commit commit) ->
                  outcomes.put(txn, "committed");
              case LogRecord.Settled(TxnId txn, Outcome.Commit commit) ->
                  outcomes.put(txn, "committed");
              default -> {} // tells of no commit
            }
          });
    }
    return outcomes.tailMap(cut, false).entrySet().stream()
        .map(one -> one.getKey() + " " + one.getValue() + keys.getOrDefault(one.getKey(), ""))
        .toList();
  }

  private static String keys(List<Write> writes) {
    StringBuilder text = new StringBuilder();
    writes.forEach(write -> text.append(' ').append(write.key()));
    return text.toString();
  }

  /** Replaces all that the server has stored by the state that it goes back to. */
  public void apply(Rollback rollback) throws IOException {
    CheckpointWriter writer = storage.beginCheckpoint(storage.log().position());
    StoredRecordEncoder encoder = new StoredRecordEncoder();
    ArrayDeque<LogRecord> part = new ArrayDeque<>();
    for (Map.Entry<ReplicaId, Replica> one : replicas.entrySet()) {
      rollback.copy(one.getKey(), one.getValue(), part::add);
      while (!part.isEmpty()) {
        offer(writer, encoder.encode(one.getKey(), part.remove()));
      }
    }
    try {
      var unused = writer.finish().join();
    } catch (CompletionException e) {
      throw new IOException(String.valueOf(e.getCause()), e);
    }
    storage.settled();
  }

  /** Takes the mark of doubt back if the server's report says that there was none. */
  public void trust(ServerMemory report) throws IOException {
    if (!report.doubtful()) {
      settle();
    }
  }

  /** Takes the mark of doubt back, which opening the directory has left. */
  public void settle() throws IOException {
    storage.settled();
  }

  private static void offer(CheckpointWriter writer, ByteBuffer payload) throws IOException {
    while (!writer.offer(REPLICA_TAG, payload)) {
      if (writer.result().isCompletedExceptionally()) {
        return; // finish() tells why
      }
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    }
  }

  @Override
  public void close() throws IOException {
    storage.close();
  }

  /** The command asks for what it wants to know. */
  private static final class Silent implements LogListener {
    @Override
    public void onKept(long position) {}

    @Override
    public void onFailed(StorageException cause) {}
  }
}
