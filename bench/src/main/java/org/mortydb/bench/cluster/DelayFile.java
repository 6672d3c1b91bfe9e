package org.mortydb.bench.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Published round-trip times between places, in the form of the files in {@code paper/delays}. A
 * cluster of n regions uses the first n places. One-way delays are half of the round trips.
 *
 * @param name a short name, for records
 * @param about a description of the places
 * @param source the publisher of the figures, and the place
 * @param period the time of the measurement
 * @param remarks further remarks
 * @param regions the places
 * @param withinRegionRoundTripMillis the round trip between two machines of one place; 0 or more
 * @param roundTripMillis the round trip from each place to each other
 */
public record DelayFile(
    String name,
    String about,
    String source,
    String period,
    String remarks,
    List<String> regions,
    double withinRegionRoundTripMillis,
    Map<String, Map<String, Double>> roundTripMillis) {

  /** The prefix of the settings' names. */
  static final String PREFIX = "emulation.delays.";

  private static final String UNIT = " us";
  private static final JsonMapper MAPPER = new JsonMapper();
  private static final double MICROS_ONE_WAY = 1_000 / 2.0;

  /**
   * Reads a file.
   *
   * @throws IllegalArgumentException if the file cannot be read or lacks a figure; the message
   *     names it
   */
  public static DelayFile read(Path file) {
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException("cannot read " + file + ": no readable file");
    }
    try {
      DelayFile delays = MAPPER.readValue(file, DelayFile.class);
      delays.check(file);
      return delays;
    } catch (JacksonException e) {
      throw new IllegalArgumentException(
          file + " is not a file of delays: " + e.getOriginalMessage(), e);
    }
  }

  private void check(Path file) {
    for (String from : regions) {
      for (String to : regions) {
        @Nullable Double millis = roundTripMillis.getOrDefault(from, Map.of()).get(to);
        if (!from.equals(to) && (millis == null || !(millis >= 0))) {
          throw new IllegalArgumentException(
              file + ": roundTripMillis." + from + "." + to + " must be 0 or more, not " + millis);
        }
      }
    }
  }

  /** The one-way delay between two machines of one region, in microseconds. */
  public long withinRegionMicros() {
    return Math.round(withinRegionRoundTripMillis * MICROS_ONE_WAY);
  }

  /**
   * The settings with which the transport emulates the delays, for {@link ClusterSettings#others}.
   *
   * @param names the names of the cluster's regions
   * @throws IllegalArgumentException if the cluster has more regions than the file has places
   */
  public Map<String, String> settings(List<String> names) {
    if (names.size() > regions.size()) {
      throw new IllegalArgumentException(
          "the delays '%s' have only %d regions, but the cluster has %d"
              .formatted(name, regions.size(), names.size()));
    }
    Map<String, String> settings = new LinkedHashMap<>();
    for (int from = 0; from < names.size(); from++) {
      Map<String, Double> row = roundTripMillis.getOrDefault(regions.get(from), Map.of());
      for (int to = 0; to < names.size(); to++) {
        if (from != to) {
          long micros = Math.round(row.getOrDefault(regions.get(to), 0.0) * MICROS_ONE_WAY);
          settings.put(PREFIX + names.get(from) + "." + names.get(to), micros + UNIT);
        }
      }
    }
    return settings;
  }

  /** The longest one-way delay between the first {@code count} places, in microseconds. */
  public long longestMicros(int count) {
    double longest = 0;
    for (String from : regions.subList(0, count)) {
      for (String to : regions.subList(0, count)) {
        longest =
            Math.max(longest, roundTripMillis.getOrDefault(from, Map.of()).getOrDefault(to, 0.0));
      }
    }
    return Math.round(longest * MICROS_ONE_WAY);
  }

  /** The microseconds in the value of such a setting. */
  static long micros(String setting) {
    return Long.parseLong(setting.substring(0, setting.length() - UNIT.length()));
  }
}
