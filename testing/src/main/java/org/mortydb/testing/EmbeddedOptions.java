package org.mortydb.testing;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * The options of an embedded cluster. It has one server in each of 2f+1 regions. The regions are
 * {@code region-1}, {@code region-2} and so on; their servers are {@code server-1}, {@code
 * server-2} and so on.
 *
 * @param f the number of tolerated failures in each partition, 1 or more
 * @param partitions the number of partitions, 1 or more
 * @param delay the emulated one-way delay between any two regions; zero for none
 * @param settings further settings of the configuration with their values, by their full names,
 *     such as {@code cluster.system}; docs/reference/configuration.md lists them
 */
public record EmbeddedOptions(int f, int partitions, Duration delay, Map<String, String> settings) {

  /** Three servers, one partition, no delay. */
  public static final EmbeddedOptions DEFAULTS = new EmbeddedOptions(1, 1, Duration.ZERO, Map.of());

  /**
   * @throws IllegalArgumentException if a number is out of its range
   */
  public EmbeddedOptions {
    Objects.requireNonNull(delay, "delay");
    if (f < 1) {
      throw new IllegalArgumentException("f must be at least 1, not " + f);
    }
    if (partitions < 1) {
      throw new IllegalArgumentException("partitions must be at least 1, not " + partitions);
    }
    if (delay.isNegative()) {
      throw new IllegalArgumentException("the delay must be zero or more, not " + delay);
    }
    settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
  }

  /** These options with another number of tolerated failures: 2f+1 servers in as many regions. */
  public EmbeddedOptions withF(int failures) {
    return new EmbeddedOptions(failures, partitions, delay, settings);
  }

  /** These options with another number of partitions. */
  public EmbeddedOptions withPartitions(int count) {
    return new EmbeddedOptions(f, count, delay, settings);
  }

  /** These options with another one-way delay between regions. */
  public EmbeddedOptions withDelay(Duration oneWay) {
    return new EmbeddedOptions(f, partitions, oneWay, settings);
  }

  /** These options with a further setting of the configuration, by its full name. */
  public EmbeddedOptions withSetting(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(settings);
    more.put(name, value);
    return new EmbeddedOptions(f, partitions, delay, more);
  }

  /** The names of the regions, with one server each. */
  public List<String> regions() {
    return names("region-");
  }

  /** The names of the servers, in the order of their regions. */
  public List<String> servers() {
    return names("server-");
  }

  private List<String> names(String prefix) {
    return IntStream.rangeClosed(1, 2 * f + 1).mapToObj(i -> prefix + i).toList();
  }

  /**
   * The text of the configuration, with servers on ports of the loopback interface.
   *
   * @param ports a port for each server
   */
  String configuration(List<Integer> ports) {
    List<String> regions = regions();
    StringBuilder text = new StringBuilder("cluster {\n  name = embedded\n");
    add(text, "  f = %d%n  partitions = %d%n", f, partitions);
    add(text, "  regions = [%s]%n  servers = [%n", String.join(", ", regions));
    for (int i = 0; i < regions.size(); i++) {
      add(
          text,
          "    { name = %s, region = %s, listen = \"127.0.0.1:%d\" }%n",
          servers().get(i),
          regions.get(i),
          ports.get(i));
    }
    text.append("  ]\n}\nserver { durability = memory, event-loops = 1 }\n");
    if (!delay.isZero()) {
      long micros = TimeUnit.MICROSECONDS.convert(delay);
      for (int i = 0; i < regions.size(); i++) {
        for (int j = i + 1; j < regions.size(); j++) {
          add(text, "emulation.delays.%s.%s = %d us%n", regions.get(i), regions.get(j), micros);
        }
      }
    }
    settings.forEach((name, value) -> add(text, "%s = %s%n", name, value));
    return text.toString();
  }

  private static void add(StringBuilder text, String format, Object... arguments) {
    text.append(String.format(Locale.ROOT, format, arguments));
  }
}
