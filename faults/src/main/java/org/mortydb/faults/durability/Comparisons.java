package org.mortydb.faults.durability;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.faults.durability.DurabilityReport.Arm;
import org.mortydb.faults.durability.DurabilityReport.ModePoint;
import org.mortydb.faults.durability.DurabilityReport.Pauses;
import org.mortydb.workloads.load.Rounded;

/**
 * The parts that compare clusters under the same load. What is compared is measured in turn, round
 * by round, so that a disturbance of the machine hits all alike.
 */
final class Comparisons {
  private static final List<String> DURABILITIES = List.of("memory", "async", "sync");
  private static final List<Integer> CLIENTS = List.of(1, 16, 256);
  private static final int TLS_CLIENTS = 16;

  /** Sessions of an open loop: those that are due wait for one, which then counts. */
  private static final int OPEN_LOOP_SESSIONS = 1_024;

  private static final int WARM_UP_CLIENTS = 64;

  /** Before the first window: until the servers' code is compiled. As many times the warm-up. */
  private static final int FIRST_WARM_UP = 5;

  private static final long GOAL_MICROS = 20_000;

  /** A checkpoint every few seconds, a round of truncation ten times a second. */
  private static final Map<String, String> FREQUENT =
      ordered(
          "server.storage.checkpoint-log", "2 MiB",
          "server.storage.segment", "1 MiB",
          "server.replica.retention", "3s");

  /** No checkpoint at all, a round of truncation every ten seconds. */
  private static final Map<String, String> RARE =
      ordered(
          "server.storage.checkpoint-log", "2047 MiB",
          "server.storage.segment", "64 MiB",
          "server.replica.retention", "300s");

  private static final Map<String, String> COLLECTORS =
      ordered(
          "serial", "-XX:+UseSerialGC",
          "parallel", "-XX:+UseParallelGC",
          "g1", "-XX:+UseG1GC",
          "zgc", "-XX:+UseZGC",
          "shenandoah", "-XX:+UseShenandoahGC");

  private final DurabilityOptions options;
  private final LabelledProgress progress;

  Comparisons(DurabilityOptions options, LabelledProgress progress) {
    this.options = options;
    this.progress = progress;
  }

  private static Map<String, String> ordered(String... pairs) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put(pairs[i], pairs[i + 1]);
    }
    return map;
  }

  /** The durabilities, each with few and many clients. */
  List<ModePoint> modes() throws InterruptedException {
    List<ClusterSettings> settings = new ArrayList<>();
    for (String durability : DURABILITIES) {
      settings.add(
          MeasuredCluster.settings(options, durability, false, options.serverJvm(), Map.of()));
    }
    List<Series> series = new ArrayList<>();
    for (ClusterSettings one : settings) {
      for (int clients : CLIENTS) {
        series.add(new Series(one.durability() + " " + clients, MeasuredCluster.described(one)));
      }
    }
    List<@Nullable MeasuredCluster> rigs = new ArrayList<>();
    try {
      start(rigs, settings, DURABILITIES, options.loadKeys());
      for (int round = 0; round < options.rounds(); round++) {
        for (int c = 0; c < CLIENTS.size(); c++) {
          for (int d = 0; d < DURABILITIES.size(); d++) {
            int clients = CLIENTS.get(c);
            label("%s, %d clients", DURABILITIES.get(d), clients, round);
            MeasuredCluster rig = rigs.get(d);
            if (rig != null) {
              rig.measure(clients, OptionalDouble.empty(), series.get(d * CLIENTS.size() + c));
            }
          }
        }
      }
    } finally {
      MeasuredCluster.close(rigs);
    }
    List<Arm> arms = series.stream().map(Series::figures).toList();
    List<ModePoint> points = new ArrayList<>();
    for (int c = 0; c < CLIENTS.size(); c++) {
      Arm memory = arms.get(c);
      for (int d = 0; d < DURABILITIES.size(); d++) {
        Arm arm = arms.get(d * CLIENTS.size() + c);
        points.add(
            new ModePoint(
                DURABILITIES.get(d),
                CLIENTS.get(c),
                Rounded.ratio(arm.committedPerSecond(), memory.committedPerSecond()),
                ratio(arm.cpuMicrosPerCommit(), memory.cpuMicrosPerCommit()),
                arm));
      }
    }
    return points;
  }

  private static @Nullable Double ratio(@Nullable Double dividend, @Nullable Double divisor) {
    return dividend == null || divisor == null ? null : (Double) Rounded.ratio(dividend, divisor);
  }

  private void label(String format, String name, int number, int round) {
    progress.label(
        String.format(format, name, number) + ", round " + (round + 1) + "/" + options.rounds());
  }

  /** Starts clusters, fills them, and lets them run for a while. */
  private void start(
      List<@Nullable MeasuredCluster> rigs,
      List<ClusterSettings> settings,
      List<String> names,
      int keys)
      throws InterruptedException {
    for (int i = 0; i < settings.size(); i++) {
      progress.label(names.get(i));
      MeasuredCluster rig = MeasuredCluster.filled(settings.get(i), keys, options, progress);
      rigs.add(rig);
      rig.warmUp(WARM_UP_CLIENTS, FIRST_WARM_UP * options.warmupSeconds());
    }
  }

  /** Frequent checkpoints and truncation against rare ones, with {@code sync}. */
  Pauses pauses() throws InterruptedException {
    List<ClusterSettings> settings =
        List.of(
            MeasuredCluster.settings(options, "sync", false, options.serverJvm(), FREQUENT),
            MeasuredCluster.settings(options, "sync", false, options.serverJvm(), RARE));
    List<Arm> arms =
        inTurn(
            settings,
            List.of("frequent", "rare"),
            options.keys(),
            OPEN_LOOP_SESSIONS,
            OptionalDouble.of(options.rate()));
    Arm frequent = arms.getFirst();
    Arm rare = arms.getLast();
    return new Pauses(
        frequent,
        rare,
        frequent.commitLatencyMicros().p999() - rare.commitLatencyMicros().p999(),
        GOAL_MICROS);
  }

  /** Without and with encryption. */
  List<Arm> tls() throws InterruptedException {
    List<ClusterSettings> settings =
        List.of(
            MeasuredCluster.settings(options, "memory", false, options.serverJvm(), Map.of()),
            MeasuredCluster.settings(options, "memory", true, options.serverJvm(), Map.of()));
    return inTurn(
        settings,
        List.of("plain text", "TLS"),
        options.loadKeys(),
        TLS_CLIENTS,
        OptionalDouble.empty());
  }

  private List<Arm> inTurn(
      List<ClusterSettings> settings,
      List<String> names,
      int keys,
      int clients,
      OptionalDouble rate)
      throws InterruptedException {
    List<Series> series = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      series.add(new Series(names.get(i), MeasuredCluster.described(settings.get(i))));
    }
    List<@Nullable MeasuredCluster> rigs = new ArrayList<>();
    try {
      start(rigs, settings, names, keys);
      for (int round = 0; round < options.rounds(); round++) {
        for (int i = 0; i < names.size(); i++) {
          label("%s, %d clients at most", names.get(i), clients, round);
          MeasuredCluster rig = rigs.get(i);
          if (rig != null) {
            rig.measure(clients, rate, series.get(i));
          }
        }
      }
    } finally {
      MeasuredCluster.close(rigs);
    }
    return series.stream().map(Series::figures).toList();
  }

  /**
   * The collectors that this JVM has, with {@code sync} and an open loop; each round on a cluster
   * of its own, because so many do not fit into memory together.
   */
  List<Arm> collectors() throws InterruptedException {
    Map<String, Series> series = new LinkedHashMap<>();
    for (int round = 0; round < options.rounds(); round++) {
      for (Map.Entry<String, String> collector : COLLECTORS.entrySet()) {
        String jvm = withCollector(collector.getValue());
        if (round == 0 && !isKnown(collector.getValue())) {
          continue;
        }
        ClusterSettings settings = MeasuredCluster.settings(options, "sync", false, jvm, Map.of());
        Series into =
            round == 0
                ? series.computeIfAbsent(
                    collector.getKey(),
                    name -> new Series(name, MeasuredCluster.described(settings)))
                : series.get(collector.getKey());
        if (into == null) {
          continue;
        }
        label("%s, %d sessions", collector.getKey(), OPEN_LOOP_SESSIONS, round);
        try (MeasuredCluster rig =
            MeasuredCluster.filled(settings, options.loadKeys(), options, progress)) {
          rig.warmUp(WARM_UP_CLIENTS, FIRST_WARM_UP * options.warmupSeconds());
          rig.measure(OPEN_LOOP_SESSIONS, OptionalDouble.of(options.rate()), into);
        }
      }
    }
    return series.values().stream().map(Series::figures).toList();
  }

  private String withCollector(String option) {
    String others = options.serverJvm();
    for (String known : COLLECTORS.values()) {
      others = others.replace(known, "");
    }
    return others.strip() + " " + option;
  }

  private static boolean isKnown(String option) throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  option,
                  "-version")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
