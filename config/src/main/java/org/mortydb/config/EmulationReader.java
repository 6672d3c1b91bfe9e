package org.mortydb.config;

import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads the settings of the wide-area emulation. */
final class EmulationReader {
  private static final Duration LONGEST = Duration.ofSeconds(10);

  private final Section section;
  private final List<String> regions;
  private final Map<String, Map<String, Long>> micros = new TreeMap<>();
  private double jitterFraction;
  private long jitterMicros;

  EmulationReader(Section section, List<String> regions) {
    this.section = section;
    this.regions = regions;
  }

  /** Returns the delays; none without emulation. */
  DelayMatrix delays() {
    boolean given = section.has("delays");
    Section delays = section.section("delays");
    for (Map.Entry<String, ConfigValue> entry : delays.entries().entrySet()) {
      if (!regions.contains(entry.getKey())) {
        unknownRegion(delays, entry.getKey());
      } else if (entry.getValue() instanceof ConfigObject) {
        row(entry.getKey(), delays.section(entry.getKey()));
      } else {
        delays.problem(
            entry.getKey(), "must be a section in braces, with a delay to each other region");
      }
    }
    if (given) {
      requireEveryPair();
    }
    jitter();
    section.refuseUnknown();
    return new DelayMatrix(micros, jitterFraction, jitterMicros);
  }

  private void row(String from, Section row) {
    for (String to : row.entries().keySet()) {
      if (regions.contains(to)) {
        Duration delay = row.duration(to, Duration.ZERO, Duration.ZERO, LONGEST);
        micros.computeIfAbsent(from, region -> new TreeMap<>()).put(to, delay.toNanos() / 1000);
      } else {
        unknownRegion(row, to);
      }
    }
  }

  private void unknownRegion(Section where, String name) {
    where.problem(name, "is no region" + DidYouMean.hint(name, regions));
  }

  private void requireEveryPair() {
    for (int i = 0; i < regions.size(); i++) {
      for (int j = i + 1; j < regions.size(); j++) {
        String one = regions.get(i);
        String other = regions.get(j);
        if (!isGiven(one, other) && !isGiven(other, one)) {
          section.problem(
              "delays",
              "has none between '"
                  + one
                  + "' and '"
                  + other
                  + "': give every pair of regions one, 0ms if there is none");
        }
      }
    }
  }

  private boolean isGiven(String from, String to) {
    return micros.getOrDefault(from, Map.of()).containsKey(to);
  }

  /** A bare number or a percentage is a part of the delay, a time is added to it. */
  private void jitter() {
    if (!section.has("jitter")) {
      return;
    }
    ConfigValue value = section.value("jitter");
    String text = value == null ? "" : String.valueOf(value.unwrapped());
    boolean isNumber = value != null && value.valueType() == ConfigValueType.NUMBER;
    if (isNumber || text.matches("\\d+(\\.\\d+)?%?")) {
      boolean isPercentage = text.endsWith("%");
      double number =
          Double.parseDouble(isPercentage ? text.substring(0, text.length() - 1) : text);
      jitterFraction = isPercentage ? number / 100 : number;
      if (!(jitterFraction >= 0 && jitterFraction <= 1)) {
        section.problem(
            "jitter",
            "is " + text + ": as a part of the delay it must be from 0 to 1, or 0% to 100%");
        jitterFraction = 0;
      }
    } else {
      jitterMicros =
          section.duration("jitter", Duration.ZERO, Duration.ZERO, LONGEST).toNanos() / 1000;
    }
  }
}
