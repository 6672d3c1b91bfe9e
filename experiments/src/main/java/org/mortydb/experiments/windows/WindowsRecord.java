package org.mortydb.experiments.windows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.mortydb.workloads.load.Percentiles;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The record of a measurement of windows.
 *
 * @param experiment {@link #EXPERIMENT}, which identifies the record
 * @param settings the settings of the run
 * @param key the hot key: the most updated key over all systems
 * @param systems the result of each system
 * @param timeline some attempts on the hot key
 * @param environment where, when and with which code it was made; null in older records
 */
public record WindowsRecord(
    String experiment,
    Map<String, @Nullable Object> settings,
    String key,
    List<SystemWindows> systems,
    Timeline timeline,
    @Nullable Map<String, Object> environment) {

  /** The name of the experiment in the record. */
  public static final String EXPERIMENT = "windows";

  private static final JsonMapper MAPPER = new JsonMapper();

  /** Copies the list. */
  public WindowsRecord {
    systems = List.copyOf(systems);
  }

  /**
   * The first record of windows.
   *
   * @param records records of any experiments
   * @throws UncheckedIOException if it has another form
   */
  public static Optional<WindowsRecord> in(List<ObjectNode> records) {
    return node(records).map(WindowsRecord::of);
  }

  /** The first record of windows, as JSON. */
  public static Optional<ObjectNode> node(List<ObjectNode> records) {
    return records.stream()
        .filter(record -> record.path("experiment").asString("").equals(EXPERIMENT))
        .findFirst();
  }

  private static WindowsRecord of(ObjectNode record) {
    try {
      return MAPPER.treeToValue(record, WindowsRecord.class);
    } catch (JacksonException e) {
      throw new UncheckedIOException(
          "a record of the experiment 'windows' does not have the form of 'morty windows --json': "
              + e.getOriginalMessage(),
          new IOException(e));
    }
  }

  /** This record as JSON. */
  public ObjectNode json() {
    return MAPPER.valueToTree(this);
  }

  /** The result of a system, if there is one. */
  public Optional<SystemWindows> system(String name) {
    return systems.stream().filter(one -> one.system().equals(name)).findFirst();
  }

  /**
   * The result of a system.
   *
   * @param system its name
   * @param committedPerSecond the throughput of all transactions
   * @param commitRate committed transactions per attempt
   * @param serializable the verdict on the history; null without a check
   * @param hot the windows of the hot key
   * @param all the windows of all keys
   * @param pairs the pairs of updates of a key of which the second has read the first
   * @param overlapping the pairs of these with overlapping serialization windows; an overlap means
   *     that the system is not serializable or the measurement is wrong
   * @param separated the pairs of consecutive updates with a blind write between them
   * @param unseen the reads of committed transactions without a known time
   */
  public record SystemWindows(
      String system,
      double committedPerSecond,
      double commitRate,
      @Nullable Boolean serializable,
      Lengths hot,
      Lengths all,
      long pairs,
      long overlapping,
      long separated,
      int unseen) {}

  /**
   * The lengths of windows, in microseconds.
   *
   * @param updates the committed transactions that read and wrote a key
   * @param updatesPerSecond updates per second
   * @param reads the committed transactions that read a key, including {@code updates}
   * @param aborted the aborted attempts that read a key
   * @param occupied the share of time within the serialization window of a committed transaction;
   *     null for all keys
   * @param serialization the serialization windows of updates
   * @param validity the validity windows of reads
   * @param commit the parts of the validity windows after the commit of the version read
   */
  public record Lengths(
      long updates,
      double updatesPerSecond,
      long reads,
      long aborted,
      @Nullable Double occupied,
      Percentiles serialization,
      Percentiles validity,
      Percentiles commit) {}

  /**
   * The content of the picture.
   *
   * @param lengthMicros its length in time
   * @param tracks a track for each system
   */
  public record Timeline(long lengthMicros, List<Track> tracks) {
    /** Copies the list. */
    public Timeline {
      tracks = List.copyOf(tracks);
    }
  }

  /**
   * The track of a system.
   *
   * @param updates the updates of committed transactions, in the order of their reads
   * @param aborted the begin (the first read of the key) and the end of each aborted attempt, in
   *     microseconds as in {@link Bar}
   */
  public record Track(String system, List<Bar> updates, List<List<Long>> aborted) {
    /** Copies the lists. */
    public Track {
      updates = List.copyOf(updates);
      aborted = List.copyOf(aborted);
    }
  }

  /**
   * A committed update of the hot key. Times are microseconds since the begin of the picture, and
   * may lie outside of it.
   *
   * @param first its first read of the key
   * @param read the read of the version that its final execution used
   * @param visible the time at which its write was visible
   * @param end the time at which its outcome was known
   * @param reexecutions its re-executions because of the key
   */
  public record Bar(long first, long read, long visible, long end, List<Long> reexecutions) {
    /** Copies the list. */
    public Bar {
      reexecutions = List.copyOf(reexecutions);
    }
  }
}
