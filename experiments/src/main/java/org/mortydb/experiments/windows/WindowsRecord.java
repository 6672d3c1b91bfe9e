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
 * What is written of a measurement of windows.
 *
 * @param experiment {@link #EXPERIMENT}, by which the record is known
 * @param settings of the run
 * @param key the hot key: the one that is updated most often, over all systems
 * @param systems one for each, in the order asked for
 * @param timeline some attempts on the hot key
 */
public record WindowsRecord(
    String experiment,
    Map<String, @Nullable Object> settings,
    String key,
    List<SystemWindows> systems,
    Timeline timeline) {

  /** The name of the experiment in the record. */
  public static final String EXPERIMENT = "windows";

  private static final JsonMapper MAPPER = new JsonMapper();

  /** Copies what can be changed. */
  public WindowsRecord {
    systems = List.copyOf(systems);
  }

  /**
   * The first of such records.
   *
   * @param records of any experiments
   * @throws UncheckedIOException when it is not as it should be
   */
  public static Optional<WindowsRecord> in(List<ObjectNode> records) {
    for (ObjectNode record : records) {
      if (record.path("experiment").asString("").equals(EXPERIMENT)) {
        try {
          return Optional.of(MAPPER.treeToValue(record, WindowsRecord.class));
        } catch (JacksonException e) {
          throw new UncheckedIOException(
              "a record of the experiment 'windows' is not as 'morty windows --json' writes it: "
                  + e.getOriginalMessage(),
              new IOException(e));
        }
      }
    }
    return Optional.empty();
  }

  /** What was measured of a system, if it was. */
  public Optional<SystemWindows> system(String name) {
    return systems.stream().filter(one -> one.system().equals(name)).findFirst();
  }

  /**
   * One system.
   *
   * @param system its name
   * @param committedPerSecond all transactions, whatever their keys
   * @param commitRate committed transactions by attempts
   * @param serializable what the check of the history says; null if none was made
   * @param hot of the hot key
   * @param all of all keys
   * @param pairs pairs of updates of one key, one having read what the other wrote
   * @param overlapping those of them whose serialization windows overlap; a system that lets one
   *     through is not serializable, or the measurement is wrong
   * @param separated pairs of which the second did not read what the first wrote, since another
   *     transaction wrote the key between them without reading it
   * @param unseen reads of committed transactions that could not be placed in time
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
   * How long windows are, by microseconds.
   *
   * @param updates committed transactions that read and wrote such a key
   * @param updatesPerSecond the same by second
   * @param reads committed transactions that read one, and with it {@code updates}
   * @param aborted attempts that read one and aborted
   * @param occupied share of the time within the serialization window of a committed transaction;
   *     null for all keys together
   * @param serialization windows of updates
   * @param validity windows of reads
   * @param commit the part of the validity windows after what was read had committed
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
   * What the picture shows.
   *
   * @param lengthMicros how much of the time
   * @param tracks one for each system
   */
  public record Timeline(long lengthMicros, List<Track> tracks) {
    /** Copies the list. */
    public Timeline {
      tracks = List.copyOf(tracks);
    }
  }

  /**
   * One system.
   *
   * @param updates of committed transactions, in the order in which they read
   * @param aborted begin (the first read of the key) and end of each attempt that aborted, in
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
   * One update of the hot key that committed. Times are microseconds since the begin of the
   * picture, and may lie outside of it.
   *
   * @param first when it first read the key
   * @param read when it read the version that its final execution used
   * @param visible when its write was visible
   * @param end when its outcome was known
   * @param reexecutions when it was executed again because of the key
   */
  public record Bar(long first, long read, long visible, long end, List<Long> reexecutions) {
    /** Copies the list. */
    public Bar {
      reexecutions = List.copyOf(reexecutions);
    }
  }
}
