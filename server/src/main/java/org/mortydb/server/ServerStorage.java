package org.mortydb.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.config.StorageSettings;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.server.status.StorageObserver;
import org.mortydb.server.status.StorageStatus;
import org.mortydb.storage.CheckpointOptions;
import org.mortydb.storage.Durability;
import org.mortydb.storage.Identity;
import org.mortydb.storage.Log;
import org.mortydb.storage.LogListener;
import org.mortydb.storage.LogOptions;
import org.mortydb.storage.Storage;
import org.mortydb.storage.StorageException;
import org.mortydb.storage.StorageOptions;
import org.mortydb.wire.StoredRecord;
import org.mortydb.wire.StoredRecordDecoder;
import org.mortydb.wire.VersionRange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The data directory of a server: one log for all its partitions, and their checkpoints. */
final class ServerStorage implements LogListener, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ServerStorage.class);

  /** The tag of replicas' records. */
  static final byte REPLICA = 1;

  private final ClusterConfig config;
  private final ServerSpec spec;
  private final Directory directory;
  private final List<LoopHost> loopHosts;
  private final List<PartitionHost> hosts;
  private final Restoring restoring;
  private final Path path;
  private final StorageObserver observer;
  private final VersionRange versions;
  private final CompletableFuture<Void> failure = new CompletableFuture<>();
  private @Nullable Storage storage;
  private boolean doubtful;
  private volatile @Nullable Checkpointer checkpointer;

  /** Adds the replicas of new partitions that the records name. */
  interface Restoring {
    /**
     * A replica of a partition that is new in a map begins here.
     *
     * @return whether it can be on this server
     */
    boolean add(ReplicaId replica, ClusterMap map);
  }

  private ServerStorage(
      ClusterConfig config,
      ServerSpec spec,
      Directory directory,
      List<LoopHost> loopHosts,
      List<PartitionHost> hosts,
      Restoring restoring,
      Path path,
      StorageObserver observer,
      VersionRange versions) {
    this.config = config;
    this.spec = spec;
    this.directory = directory;
    this.loopHosts = loopHosts;
    this.hosts = hosts;
    this.restoring = restoring;
    this.path = path;
    this.observer = observer;
    this.versions = versions;
  }

  /**
   * Opens the data directory of a server, and restores the replicas from it.
   *
   * @param hosts all replicas of the server; more may be added
   * @param restoring adds those of new partitions, from their records
   * @param versions those that this program reads
   * @return null with {@code server.durability = memory}
   * @throws IOException if the directory cannot be used
   */
  static @Nullable ServerStorage open(
      ClusterConfig config,
      ServerSpec spec,
      Directory directory,
      List<LoopHost> loopHosts,
      List<PartitionHost> hosts,
      Restoring restoring,
      StorageObserver observer,
      VersionRange versions)
      throws IOException {
    Path data = config.storage().data();
    Durability durability =
        switch (config.durability()) {
          case MEMORY -> null;
          case ASYNC -> Durability.ASYNC;
          case SYNC -> Durability.SYNC;
        };
    if (durability == null) {
      // What the server promises from now on is not in a directory of an earlier use.
      if (data != null) {
        Storage.doubt(data.resolve(spec.name()), new Identity(config.name(), spec.name()));
      }
      return null;
    }
    Path path = Objects.requireNonNull(data).resolve(spec.name());
    ServerStorage opened =
        new ServerStorage(
            config, spec, directory, loopHosts, hosts, restoring, path, observer, versions);
    boolean started = false;
    try {
      opened.start(durability);
      started = true;
    } finally {
      if (!started) {
        opened.close();
      }
    }
    return opened;
  }

  private void start(Durability durability) throws IOException {
    StorageSettings settings = config.storage();
    StorageOptions options =
        new StorageOptions(
            new LogOptions(
                durability,
                settings.forceInterval(),
                settings.segmentBytes(),
                settings.bufferBytes()),
            new CheckpointOptions(settings.checkpointBytesPerSecond(), 1024 * 1024));
    Identity identity = new Identity(config.name(), spec.name());
    Storage.requireVersion(path, versions.oldest(), versions.newest());
    Storage opened;
    try (Replay replay = new Replay(loopHosts.size(), new Replicas())) {
      opened = Storage.open(path, identity, options, replay, replay, this);
    }
    storage = opened;
    if (opened.isDoubtful()) {
      log.warn(
          "{} may lack the last votes of {}: the machine went down during a use with durability"
              + " async, or the server ran without the directory; the server rejoins its"
              + " partitions before it serves",
          path,
          identity);
    }
    doubtful = opened.isDoubtful();
    for (PartitionHost host : hosts) {
      host.storeIn(opened.log());
    }
  }

  /** Returns the version that the directory's records are written in; 0 if it is unknown. */
  int version() {
    return Objects.requireNonNull(storage).version();
  }

  /** Stores the version that records are written in from now on. Waits for the disk. */
  void version(int version) throws IOException {
    Objects.requireNonNull(storage).version(version);
  }

  /** Marks the directory as complete again: the replicas have rejoined. Waits for the disk. */
  void settled() {
    Storage opened = storage;
    try {
      if (opened != null) {
        opened.settled();
      }
    } catch (IOException e) {
      log.warn("{} could not be marked as settled; its replicas will join again", path, e);
    }
  }

  /** Whether votes that were sent may be lost, so that the server must rejoin its partitions. */
  boolean isDoubtful() {
    return doubtful;
  }

  /** Restores each replica on the thread for its event loop, from the records of the directory. */
  private final class Replicas implements Replay.Target {
    @Override
    public ReplicaId replicaOf(byte tag, ByteBuffer payload) throws IOException {
      if (tag != REPLICA) {
        throw new StorageException(
            path
                + " holds a record with the unknown tag "
                + tag
                + ": start the version of Morty that wrote it");
      }
      try {
        ReplicaId replica = StoredRecordDecoder.replica(payload);
        if (config.changes() && directory.host(replica) == null) {
          restoreHost(StoredRecordDecoder.decode(payload.duplicate()));
        }
        return replica;
      } catch (IOException e) {
        throw unreadable(e);
      }
    }

    /** The first record of a replica of a new partition has the map in which it is new. */
    private void restoreHost(StoredRecord first) throws StorageException {
      if (!(first.logged() instanceof LogRecord.Hosted(ClusterMap map))) {
        return;
      }
      requireOnlyOne(first.replica(), map);
      if (!restoring.add(first.replica(), map)) {
        throw new StorageException(
            path
                + " holds replica "
                + first.replica()
                + " of "
                + map
                + ", which names servers that the configuration does not have: add them to it");
      }
    }

    /** Earlier programs used the number of a partition again whose change was given up. */
    private void requireOnlyOne(ReplicaId replica, ClusterMap map) throws StorageException {
      for (PartitionHost host : hosts) {
        if (host.replica().partition() == replica.partition()) {
          throw new StorageException(
              path
                  + " holds replica "
                  + host.replica()
                  + (host.origin() instanceof LogRecord.Hosted(ClusterMap before)
                      ? " of map " + before.number()
                      : "")
                  + " and "
                  + replica
                  + " of map "
                  + map.number()
                  + ": an earlier release used the number of a partition twice; move the directory"
                  + " away and start the server without it, so that it copies the others, one"
                  + " server at a time (docs/how-to/replace-a-replica.md)");
        }
      }
    }

    @Override
    public int threadOf(ReplicaId replica) throws IOException {
      PartitionHost host = directory.host(replica);
      if (host == null) {
        throw new StorageException(
            path
                + " holds replica "
                + replica
                + ", which the configuration "
                + (config.hasReplica(replica)
                    ? "places on server '" + config.serverOf(replica).name() + "'"
                    : config.changes()
                        ? "does not have, without the map that adds it"
                        : "does not have")
                + ": start the server with the configuration of its last start");
      }
      return loopHosts.indexOf(host.loopHost());
    }

    @Override
    public StoredRecord decode(ByteBuffer payload) throws IOException {
      try {
        return StoredRecordDecoder.decode(payload);
      } catch (IOException e) {
        throw unreadable(e);
      }
    }

    @Override
    public void apply(StoredRecord stored) {
      Objects.requireNonNull(directory.host(stored.replica())).restore(stored.logged());
    }

    private StorageException unreadable(IOException e) {
      return new StorageException(
          path
              + " holds a record that this version cannot read, start the version of Morty that"
              + " wrote it: "
              + e.getMessage(),
          e);
    }
  }

  /** Starts to write checkpoints; the event loops must run. */
  void startCheckpoints() {
    Checkpointer created =
        new Checkpointer(
            Objects.requireNonNull(storage),
            hosts,
            loopHosts.getFirst().loop(),
            config.storage().checkpointLogBytes(),
            config.replicaOptions().retentionMicros(),
            observer);
    checkpointer = created;
    created.start();
  }

  /** Sends the records of a replica that was added to the log, after the last mark. */
  void add(PartitionHost host) {
    host.storeIn(Objects.requireNonNull(storage).log());
    Checkpointer created = checkpointer;
    if (created != null) {
      host.mark(created.lastMark());
    }
  }

  /**
   * A replica of a new partition that will never be has ended. Its records are in the log for a
   * while, so checkpoints have its first one.
   *
   * @param origin its first record
   */
  void ended(PartitionHost host, LogRecord origin) {
    Checkpointer created = checkpointer;
    if (created != null) {
      created.ended(host.replica(), origin);
    }
  }

  /** Completes exceptionally when storage fails. */
  CompletableFuture<Void> failure() {
    return failure.copy();
  }

  @Override
  public void onKept(long position) {
    for (LoopHost loopHost : loopHosts) {
      try {
        loopHost.releaseLater();
      } catch (RejectedExecutionException e) {
        log.debug("an event loop has ended", e);
      }
    }
  }

  @Override
  public void onWritten(long position) {
    for (LoopHost loopHost : loopHosts) {
      try {
        loopHost.releaseWrittenLater();
      } catch (RejectedExecutionException e) {
        log.debug("an event loop has ended", e);
      }
    }
  }

  @Override
  public void onForced(long nanos) {
    for (LoopHost loopHost : loopHosts) {
      try {
        loopHost.beginLater();
      } catch (RejectedExecutionException e) {
        log.debug("an event loop has ended", e);
      }
    }
    observer.forced(nanos);
  }

  /** Returns the state of storage. For any thread, once the directory is open. */
  StorageStatus status() {
    Storage opened = Objects.requireNonNull(storage);
    Log wal = opened.log();
    StorageException failed = wal.failure();
    Checkpointer checkpoints = checkpointer;
    return new StorageStatus(
        wal.statistics(),
        wal.pendingBytes(),
        wal.isCongested(),
        failed == null ? "" : String.valueOf(failed.getMessage()),
        wal.position() - opened.checkpointPosition(),
        checkpoints != null && checkpoints.isRunning(),
        checkpoints == null ? 0 : checkpoints.lastBytes(),
        doubtful);
  }

  @Override
  public void onFailed(StorageException cause) {
    log.error("server '{}' stops serving: {}", spec.name(), cause.getMessage());
    for (PartitionHost host : hosts) {
      try {
        host.loopHost().loop().execute(host::stop);
      } catch (RejectedExecutionException e) {
        log.debug("an event loop has ended", e);
      }
    }
    failure.completeExceptionally(cause);
  }

  /** Forces the log to disk and closes the directory. The replicas have stopped before. */
  @Override
  public void close() {
    Checkpointer created = checkpointer;
    if (created != null) {
      created.stop();
    }
    try {
      if (storage != null) {
        storage.close();
      }
    } catch (IOException e) {
      log.error("{} was not closed properly: {}", path, e.getMessage());
    }
  }
}
