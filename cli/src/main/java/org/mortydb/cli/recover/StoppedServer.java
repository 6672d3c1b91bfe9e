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
import org.jspecify.annotations.Nullable;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.MapHistory;
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
  private final String name;
  private final Path path;
  private final ReplicaOptions options;
  private final long nowMicros = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
  private final Map<ReplicaId, Replica> replicas = new LinkedHashMap<>();
  private final Storage storage;
  private final boolean doubtful;

  /**
   * Opens the directory of a server, and creates it if it is missing: then the server remembers
   * nothing. Marks the directory as doubtful, so that the server serves only after a rollback, or
   * after it has rejoined f+1 servers that serve.
   *
   * @param name of the server, which may have joined later
   * @throws IOException when the directory is in use, damaged, or cannot be read or written
   */
  public static StoppedServer open(ClusterConfig cluster, String name, Path path)
      throws IOException {
    return new StoppedServer(cluster, name, path);
  }

  private StoppedServer(ClusterConfig cluster, String name, Path path) throws IOException {
    this.cluster = cluster;
    this.name = name;
    this.path = path;
    Storage.requireVersion(path, WireContract.VERSIONS.oldest(), WireContract.VERSIONS.newest());
    boolean empty = !Files.exists(path.resolve("state"));
    // A key's history must not be cut short because it is read all at once.
    options = cluster.replicaOptions().withMaxVersionsPerKey(Integer.MAX_VALUE);
    ServerSpec spec = cluster.server(name);
    for (ReplicaId id : spec == null ? List.<ReplicaId>of() : cluster.replicasOf(spec)) {
      replicas.put(id, replica(id, new MapHistory(cluster.firstMap()), null));
    }
    storage =
        Storage.open(
            path,
            new Identity(cluster.name(), name),
            new StorageOptions(
                LogOptions.of(Durability.SYNC),
                new CheckpointOptions(CHECKPOINT_BYTES_PER_SECOND, CHECKPOINT_STEP_BYTES)),
            this::restore,
            this::restore,
            new Silent());
    if (empty) {
      storage.doubt();
    }
    doubtful = storage.doubtForNow();
  }

  private Replica replica(ReplicaId id, MapHistory maps, @Nullable ClusterMap proposed) {
    return new Replica(id, maps, proposed, options, ReplicaRules.SOUND);
  }

  private void restore(byte tag, ByteBuffer payload) throws IOException {
    StoredRecord stored = tag == REPLICA_TAG ? StoredRecordDecoder.decode(payload) : null;
    if (stored != null
        && cluster.changes()
        && stored.logged() instanceof LogRecord.Hosted(ClusterMap map)
        && map.has(stored.replica().partition())) {
      replicas.computeIfAbsent(
          stored.replica(), id -> replica(id, new MapHistory(cluster.firstMap()), map));
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

  /** Returns the server's name. */
  public String name() {
    return name;
  }

  /** Returns what the server remembers. */
  public ServerMemory memory() {
    List<ServerMemory.ReplicaMemory> all = new ArrayList<>();
    MapHistory maps = new MapHistory(cluster.firstMap());
    int lastChange = 0;
    for (Map.Entry<ReplicaId, Replica> one : replicas.entrySet()) {
      Replica replica = one.getValue();
      maps = maps.merged(replica.maps().maps(), replica.maps().closed());
      lastChange = Math.max(lastChange, replica.lastChange());
      all.add(
          ServerMemory.ReplicaMemory.of(
              one.getKey(), replica.memory(nowMicros), replica.mapRecords()));
    }
    return new ServerMemory(
        cluster.name(), name, doubtful, ServerMemory.encoded(maps), lastChange, all);
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
    for (Map.Entry<ReplicaId, Replica> one : replicasUnder(rollback.maps()).entrySet()) {
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

  /**
   * The replicas of decided maps that the server has, or should have. Of a change that was given up
   * nothing remains.
   */
  private Map<ReplicaId, Replica> replicasUnder(MapHistory maps) {
    Map<ReplicaId, Replica> all = new LinkedHashMap<>();
    replicas.forEach(
        (id, replica) -> {
          if (maps.knows(id.partition())) {
            all.put(id, replica);
          }
        });
    maps.last()
        .servers()
        .forEach(
            (partition, names) -> {
              int index = names.indexOf(name);
              if (index >= 0) {
                all.computeIfAbsent(new ReplicaId(partition, index), id -> replica(id, maps, null));
              }
            });
    return all;
  }

  /** Takes the mark of doubt back if only this command has left it. */
  public void trust() throws IOException {
    if (!doubtful) {
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
