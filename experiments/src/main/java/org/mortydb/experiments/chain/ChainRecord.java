package org.mortydb.experiments.chain;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The record of a measurement of a chain. Times are microseconds of virtual time.
 *
 * @param experiment {@link #EXPERIMENT}, which identifies the record
 * @param settings the settings of the run
 * @param committedPerSecond the throughput of all transactions
 * @param commitRate committed transactions per attempt
 * @param serializable the verdict on the history; null without a check
 * @param key the key
 * @param updates the committed updates of the key within the window
 * @param updatesPerSecond the same per second
 * @param bounds what the delays allow
 * @param crossingShare the share of the steps that cross between regions
 * @param covered the steps' share of the window's time
 * @param separated the neighbours without a step, because the second has not read the key
 * @param empty the steps without length: the reader's final value left before the predecessor's
 * @param reexecutionsPerUpdate the re-executions of an update, on average
 * @param preparesPerUpdate the executions of an update for which votes were requested, on average
 * @param aborted the number of aborted attempts that had written the key, by reason
 * @param all the steps together
 * @param crossing the steps between regions
 * @param within the steps within a region in which a replica showed the version
 * @param forwarded the steps in which the client forwarded the version
 * @param parts the parts of all steps; their shares add up to 1
 * @param obstacles why replicas did not show the version at once, the longest waits first
 * @param steps every step, in order
 */
public record ChainRecord(
    String experiment,
    Map<String, @Nullable Object> settings,
    double committedPerSecond,
    double commitRate,
    @Nullable Boolean serializable,
    String key,
    int updates,
    double updatesPerSecond,
    Bounds bounds,
    double crossingShare,
    double covered,
    int separated,
    long empty,
    double reexecutionsPerUpdate,
    double preparesPerUpdate,
    Map<String, Integer> aborted,
    Lengths all,
    Lengths crossing,
    Lengths within,
    Lengths forwarded,
    List<PartRow> parts,
    List<ObstacleRow> obstacles,
    List<StepRow> steps) {

  /** The name of the experiment in the record. */
  public static final String EXPERIMENT = "chain";

  /** Copies the lists. */
  public ChainRecord {
    parts = List.copyOf(parts);
    obstacles = List.copyOf(obstacles);
    steps = List.copyOf(steps);
  }

  /**
   * What the delays allow on one key.
   *
   * @param regions the number of regions with clients
   * @param delayMicros the mean delay between two of them
   * @param localMicros the round trip within a region
   * @param perSecond the most updates per second if neighbours are in regions at random
   * @param slotMicros the length of region slots: as configured, or estimated by the distance of
   *     ids from the clock; 0 without slots
   * @param slotsPerSecond the most updates per second with slots; 0 without slots, or if they are
   *     not longer than the delay
   */
  public record Bounds(
      int regions,
      double delayMicros,
      double localMicros,
      double perSecond,
      double slotMicros,
      double slotsPerSecond) {

    /** The bounds for a chain. */
    static Bounds of(int regions, double delayMicros, double localMicros, double slotMicros) {
      double step = ((regions - 1) * delayMicros + localMicros) / regions;
      double advanced = slotMicros - delayMicros + localMicros;
      return new Bounds(
          regions,
          delayMicros,
          localMicros,
          1e6 / step,
          slotMicros,
          slotMicros > delayMicros ? 1e6 * advanced / (slotMicros * localMicros) : 0);
    }

    /** The bound that applies: the one with slots if there are any. */
    double applies() {
      return slotsPerSecond > 0 ? slotsPerSecond : perSecond;
    }
  }

  /**
   * The lengths of some steps.
   *
   * @param count how many
   * @param mean their mean
   * @param p50 their median
   * @param p90 the length that nine tenths do not exceed
   * @param p99 the same for 99 %
   */
  public record Lengths(long count, double mean, double p50, double p90, double p99) {}

  /**
   * A part of the steps.
   *
   * @param part its name
   * @param share its share of the time of all steps
   * @param mean its mean over all steps
   * @param having the lengths in the steps that have it
   * @param media its mean over all steps by what took the time
   */
  public record PartRow(
      String part, double share, double mean, Lengths having, Map<String, Double> media) {}

  /**
   * An obstacle at a replica that had the version.
   *
   * @param part the part that the wait belongs to
   * @param reason for an aborted neighbour why that aborted, otherwise the replica's vote on the
   *     first {@code Prepare} with the version
   * @param share its share of the time of all steps
   * @param waits the lengths of the waits
   */
  public record ObstacleRow(String part, String reason, double share, Lengths waits) {}

  /**
   * A step.
   *
   * @param at its begin, since the begin of the first step
   * @param micros its length
   * @param from the number of the predecessor's region
   * @param to the number of the writer's region
   * @param predecessor the predecessor's id
   * @param writer the writer's id
   * @param forwarded whether the client of both forwarded the version
   * @param parts its parts that are longer than 0
   * @param events what happened, in order, for the steps that are to be shown in detail; null for
   *     others
   */
  public record StepRow(
      double at,
      double micros,
      int from,
      int to,
      String predecessor,
      String writer,
      boolean forwarded,
      Map<String, Double> parts,
      @Nullable List<EventRow> events) {}

  /**
   * An event of a step, at the end of a segment.
   *
   * @param at since the begin of the step
   * @param micros the length of the segment
   * @param part the part of the segment
   * @param medium what took its time
   * @param region the number of the region of the event
   * @param event what happened
   */
  public record EventRow(
      double at, double micros, String part, String medium, int region, String event) {}
}
