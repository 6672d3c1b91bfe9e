package org.mortydb.experiments.plan;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClientSetting;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.DelayFile;
import org.mortydb.bench.experiment.WatermarkLag;
import org.mortydb.cli.Checkout;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.RetryPolicy;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.protocol.system.TransactionSystems;
import org.mortydb.workloads.InvalidOptionException;
import org.mortydb.workloads.WorkloadChoice;
import org.mortydb.workloads.WorkloadOption;
import org.mortydb.workloads.WorkloadPlugin;
import org.mortydb.workloads.WorkloadPlugins;
import org.mortydb.workloads.load.Rate;
import org.mortydb.workloads.load.UnfilledWorkload;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** Reads a point. */
final class PointReader {
  private static final int CLOSED_LOOP_CLIENTS = 64;
  private static final int OPEN_LOOP_CLIENTS = 1_024;
  private static final int MOST_CLIENTS = 10_000_000;
  private static final int MOST_F = 10;
  private static final int MOST_PARTITIONS = 1_024;
  private static final int MOST_DELAY_MILLIS = 10_000;
  private static final int MOST_LOOPS = 1_024;
  private static final int MOST_BACKOFF_MICROS = 60_000_000;

  private PointReader() {}

  static Point read(
      String place, Map<String, JsonNode> values, double warmup, double seconds, long seed) {
    DefinitionSection section = DefinitionSection.of(place, values);
    Way way =
        Way.valueOf(
            section
                .oneOf(
                    "way",
                    Arrays.stream(Way.values()).map(Way::toString).toList(),
                    Way.REAL.toString())
                .toUpperCase(Locale.ROOT));
    TransactionSystem system = system(section);
    int f = section.whole("f", 1, 1, MOST_F);
    Rate rate = rate(section);
    int clients = rate == null ? CLOSED_LOOP_CLIENTS : OPEN_LOOP_CLIENTS;
    Point point =
        new Point(
            section.optionalText("label"),
            way,
            system,
            workload(section),
            section.whole("clients", clients, 1, MOST_CLIENTS),
            rate,
            section.optionalNumber("delayMillis", 0, MOST_DELAY_MILLIS),
            delays(section, 2 * f + 1),
            f,
            section.whole("partitions", 1, 1, MOST_PARTITIONS),
            section.oneOf("durability", List.of("memory", "async", "sync"), "memory"),
            section.optionalWhole("clientRegions", 1, 2 * f + 1),
            section.whole("clientLoops", 1, 1, MOST_LOOPS),
            section.whole("serverLoops", 0, 0, MOST_LOOPS),
            section.flag("processes", true),
            section.optionalText("serverJvm"),
            section.optionalWhole("down", 1, f),
            section.optionalWhole("cores", 1, MOST_LOOPS),
            section.flag("filled", true),
            readOnlyLevel(section, system),
            words(section, Point.REGION_SLOTS, ClientSetting.REGION_SLOTS),
            words(section, Point.ADMISSION, ClientSetting.ADMISSION),
            retry(section),
            warmup,
            seconds,
            seed);
    section.refuseOthers();
    if (!point.processes() && way == Way.DEPLOYED) {
      throw section.wrong("processes", "must be true: hosts have a process for each server");
    }
    if (point.down() != null && (way != Way.REAL || !point.processes())) {
      throw section.wrong("down", "only servers with processes on this machine can be killed");
    }
    if (point.readOnlyLevel() != null && way == Way.DEPLOYED) {
      throw section.wrong("readOnlyLevel", "must be left out of deployed points");
    }
    if (point.cores() != null && way != Way.SIMULATED) {
      throw section.wrong(
          "cores", "only simulated servers have a choice of cores; set way: simulated");
    }
    if (!point.filled()) {
      if (way != Way.SIMULATED) {
        throw section.wrong("filled", "must be true unless the way is simulated");
      }
      try {
        var unused = new UnfilledWorkload(point.workload().create(seed));
      } catch (IllegalArgumentException e) {
        throw section.wrong("filled", "must be true: " + e.getMessage());
      }
    }
    if (point.merges() && !system.merges()) {
      throw section.wrong("workload", "has merges, which the system " + system.name() + " lacks");
    }
    if (!point.durability().equals("memory") && !system.isDurable()) {
      throw section.wrong(
          "durability",
          system.name() + " stores nothing: must be memory, not " + point.durability());
    }
    return point;
  }

  private static @Nullable Rate rate(DefinitionSection section) {
    String text = section.optionalText(Point.RATE);
    try {
      return text == null ? null : Rate.parse(text);
    } catch (IllegalArgumentException e) {
      throw section.wrong(Point.RATE, String.valueOf(e.getMessage()));
    }
  }

  private static @Nullable ReadLevel readOnlyLevel(
      DefinitionSection section, TransactionSystem system) {
    String text = section.optionalText("readOnlyLevel");
    if (text == null) {
      return null;
    }
    ReadLevel level;
    try {
      level = ReadLevel.parse(text);
    } catch (IllegalArgumentException e) {
      throw section.wrong("readOnlyLevel", String.valueOf(e.getMessage()));
    }
    if (level.isPast() && !system.readsPast()) {
      throw section.wrong(
          "readOnlyLevel", "the system " + system.name() + " has no level " + level.words());
    }
    if (level instanceof ReadLevel.Strict) {
      throw section.wrong(
          "readOnlyLevel", "strict needs a clock uncertainty, which the servers do not have");
    }
    if (level instanceof ReadLevel.Bounded(long micros) && micros <= WatermarkLag.LEAST_MICROS) {
      throw section.wrong(
          "readOnlyLevel",
          "must be more than the " + WatermarkLag.LEAST_MICROS / 1_000 + " ms of a watermark");
    }
    return level;
  }

  private static @Nullable String words(
      DefinitionSection section, String key, ClientSetting setting) {
    String text = section.optionalText(key);
    if (text != null) {
      try {
        setting.check(text);
      } catch (IllegalArgumentException e) {
        throw section.wrong(key, String.valueOf(e.getMessage()));
      }
    }
    return text;
  }

  private static @Nullable RetryPolicy retry(DefinitionSection section) {
    Integer base = section.optionalWhole("backoffMicros", 0, MOST_BACKOFF_MICROS);
    Integer cap = section.optionalWhole("backoffCapMicros", 0, MOST_BACKOFF_MICROS);
    if (base == null && cap == null) {
      return null;
    } else if (base == null) {
      throw section.wrong("backoffMicros", "must be set together with backoffCapMicros");
    } else if (cap == null) {
      throw section.wrong("backoffCapMicros", "must be set together with backoffMicros");
    } else if (cap < base) {
      throw section.wrong("backoffCapMicros", "must be at least backoffMicros, not " + cap);
    }
    return new RetryPolicy(Integer.MAX_VALUE, base, cap);
  }

  private static @Nullable DelayFile delays(DefinitionSection section, int regions) {
    String name = section.optionalText("delays");
    if (name == null) {
      return null;
    }
    if (section.get("delayMillis") != null) {
      throw section.wrong("delays", "cannot be combined with delayMillis");
    }
    String file = "paper/delays/" + name + ".json";
    Path found =
        Checkout.find(file)
            .orElseThrow(
                () ->
                    section.wrong(
                        "delays", "no file " + file + " in " + Checkout.start() + " or above"));
    try {
      DelayFile delays = DelayFile.read(found);
      delays.settings(ClusterSettings.regionNames(regions));
      return delays;
    } catch (IllegalArgumentException e) {
      throw section.wrong("delays", String.valueOf(e.getMessage()));
    }
  }

  private static TransactionSystem system(DefinitionSection section) {
    return TransactionSystems.named(
        section.oneOf("system", TransactionSystems.names(), Morty.NAME));
  }

  /** A name, or a name with options. */
  private static WorkloadChoice workload(DefinitionSection section) {
    JsonNode value = section.required("workload");
    Map<String, JsonNode> keys = new LinkedHashMap<>();
    if (value.isObject()) {
      value.properties().forEach(entry -> keys.put(entry.getKey(), entry.getValue()));
    } else {
      keys.put("name", JsonNodeFactory.instance.stringNode(section.text("workload")));
    }
    return workloadOf(DefinitionSection.of(section.place("workload"), keys));
  }

  private static WorkloadChoice workloadOf(DefinitionSection section) {
    String name = section.oneOf("name", WorkloadPlugins.names());
    WorkloadPlugin plugin = WorkloadPlugins.named(name);
    Map<String, String> given = new LinkedHashMap<>();
    for (WorkloadOption<?> option : plugin.options()) {
      String text = section.optionalText(option.name());
      if (text != null) {
        given.put(option.name(), text);
      }
    }
    section.refuseOthers();
    try {
      return WorkloadChoice.of(plugin, given);
    } catch (InvalidOptionException e) {
      throw section.wrong(e.option().name(), e.problem());
    }
  }
}
