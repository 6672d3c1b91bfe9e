package org.mortydb.cli.recover;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.replica.MapRecordVersion;
import org.mortydb.protocol.replica.Replica.Memory;
import org.mortydb.protocol.replica.Rollback;
import org.mortydb.wire.StoredRecordDecoder;
import org.mortydb.wire.StoredRecordEncoder;

/**
 * What a stopped server remembers, as a file that all other servers get.
 *
 * @param cluster the cluster's name
 * @param server the server's name
 * @param doubtful whether records that counted as kept may be missing, or there are none
 * @param maps the maps of the cluster that it knows, as a record of the log in Base64; null if it
 *     knows of no change
 * @param lastChange the highest number of a change that it has heard of
 * @param replicas its replicas
 */
public record ServerMemory(
    String cluster,
    String server,
    boolean doubtful,
    @Nullable String maps,
    int lastChange,
    List<ReplicaMemory> replicas) {
  private static final ReplicaId ANY = new ReplicaId(0, 0);

  /** Checks that nothing is missing: reports are files that people copy. */
  public ServerMemory {
    Objects.requireNonNull(cluster, "cluster");
    Objects.requireNonNull(server, "server");
    replicas = List.copyOf(replicas);
  }

  /**
   * What one replica can go back to; see {@link Memory}.
   *
   * @param records of maps; null if there are none
   */
  public record ReplicaMemory(
      int partition,
      int index,
      boolean served,
      Place from,
      Place upTo,
      long latestMicros,
      @Nullable List<RecordOfMap> records) {

    /**
     * Checks the parts.
     *
     * @throws IllegalArgumentException if the time is out of its bounds
     */
    public ReplicaMemory {
      Objects.requireNonNull(from, "from");
      Objects.requireNonNull(upTo, "upTo");
      if (latestMicros < 0 || latestMicros >= Limits.MAX_TIME_MICROS) {
        throw new IllegalArgumentException(
            "latestMicros " + latestMicros + " is not in 0.." + (Limits.MAX_TIME_MICROS - 1));
      }
    }

    static ReplicaMemory of(ReplicaId id, Memory memory, List<MapRecordVersion> records) {
      return new ReplicaMemory(
          id.partition(),
          id.index(),
          memory.served(),
          Place.of(memory.from()),
          Place.of(memory.upTo()),
          memory.latestMicros(),
          records.isEmpty() ? null : records.stream().map(RecordOfMap::of).toList());
    }

    ReplicaId id() {
      return new ReplicaId(partition, index);
    }

    Memory memory() {
      return new Memory(served, from.txn(), upTo.txn(), latestMicros);
    }

    /** Whether the other one remembers the same, whatever the time it was asked at. */
    boolean isLike(ReplicaMemory other) {
      return id().equals(other.id())
          && served == other.served
          && from.equals(other.from)
          && upTo.equals(other.upTo);
    }
  }

  /**
   * A version of the record of a map; see {@link MapRecordVersion}.
   *
   * @param value in Base64
   */
  public record RecordOfMap(int map, Place writer, String value) {
    /**
     * Checks the parts.
     *
     * @throws IllegalArgumentException if the value is no Base64
     */
    public RecordOfMap {
      Objects.requireNonNull(writer, "writer");
      var _ = Base64.getDecoder().decode(value);
    }

    static RecordOfMap of(MapRecordVersion version) {
      return new RecordOfMap(
          version.map(),
          Place.of(version.writer()),
          Base64.getEncoder().encodeToString(version.value().bytes()));
    }

    MapRecordVersion version() {
      return new MapRecordVersion(map, writer.txn(), Value.wrap(Base64.getDecoder().decode(value)));
    }
  }

  /** A place in the serial order. */
  public record Place(long timeMicros, long client, int home) {
    /**
     * Checks the parts.
     *
     * @throws IllegalArgumentException if one is out of its bounds
     */
    public Place {
      var _ = new TxnId(timeMicros, client, home);
    }

    static Place of(TxnId txn) {
      return new Place(txn.timeMicros(), txn.clientId(), txn.home());
    }

    TxnId txn() {
      return new TxnId(timeMicros, client, home);
    }
  }

  /** Returns maps in the form of a report; null if the map has never changed. */
  static @Nullable String encoded(MapHistory maps) {
    if (maps.last().number() == 0) {
      return null;
    }
    LogRecord known = new LogRecord.MapsKnown(maps.maps(), maps.closed(), 0);
    ByteBuffer bytes = new StoredRecordEncoder().encode(ANY, known);
    return new String(Base64.getEncoder().encode(bytes).array(), StandardCharsets.US_ASCII);
  }

  /**
   * Returns what is known together with the maps of this report.
   *
   * @throws IOException when they are damaged, or of another cluster
   */
  MapHistory mergedInto(MapHistory known) throws IOException {
    if (maps == null) {
      return known;
    }
    try {
      ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(maps));
      if (StoredRecordDecoder.decode(bytes).logged() instanceof LogRecord.MapsKnown told) {
        return known.merged(told.maps(), told.closed());
      }
    } catch (IllegalArgumentException e) {
      throw new IOException("its maps do not fit the other reports: " + e.getMessage(), e);
    }
    throw new IOException("its maps are of another kind");
  }

  /** Returns the versions of the records of maps, by replica. */
  Map<ReplicaId, List<MapRecordVersion>> records() {
    Map<ReplicaId, List<MapRecordVersion>> records = new LinkedHashMap<>();
    for (ReplicaMemory one : replicas) {
      if (one.records() != null) {
        records.put(one.id(), one.records().stream().map(RecordOfMap::version).toList());
      }
    }
    return records;
  }

  /** Returns its replicas. */
  List<ReplicaId> ids() {
    return replicas.stream().map(ReplicaMemory::id).toList();
  }

  /** Returns the memories by replica. */
  Map<ReplicaId, Memory> memories() {
    Map<ReplicaId, Memory> memories = new LinkedHashMap<>();
    replicas.forEach(one -> memories.put(one.id(), one.memory()));
    return memories;
  }

  /** Returns the latest time of any of its promises. */
  long latestMicros() {
    return replicas.stream().mapToLong(ReplicaMemory::latestMicros).max().orElse(0);
  }

  /** Whether the server has gone back already. */
  public boolean hasGoneBack(Rollback rollback) {
    return replicas.stream().allMatch(one -> one.upTo().equals(Place.of(rollback.fence())));
  }

  /** Whether the server still remembers what it did when the other report was made. */
  public boolean isLike(ServerMemory other) {
    if (!server.equals(other.server) || replicas.size() != other.replicas.size()) {
      return false;
    }
    for (int i = 0; i < replicas.size(); i++) {
      if (!replicas.get(i).isLike(other.replicas.get(i))) {
        return false;
      }
    }
    return true;
  }
}
