package org.mortydb.faults.durability;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.ServerJvm;
import org.mortydb.faults.durability.DurabilityReport.Arm;
import org.mortydb.faults.durability.DurabilityReport.ModePoint;
import org.mortydb.faults.durability.DurabilityReport.Pauses;
import org.mortydb.workloads.load.Rounded;

/**
 * The parts that compare clusters under the same load. Alternatives are measured in turn, round by
 * round, so that a disturbance of the machine affects all of them alike.
 */
final class Comparisons {
  private static final List<String> DURABILITIES = List.of("memory", "async", "sync");
  private static final List<Integer> CLIENTS = List.of(1, 16, 256);
  private static final List<Integer> TLS_CLIENTS = List.of(16);

  /** Sessions of an open loop: transactions that are due wait for one, and the wait counts. */
  private static final List<Integer> OPEN_LOOP_SESSIONS = List.of(1_024);

  private static final long GOAL_MICROS = 20_000;

  /** A checkpoint every few seconds, a round of truncation ten times a second. */
  private static final Map<String, String> FREQUENT = storage("2 MiB", "1 MiB", "3s");

  /** No checkpoint at all, a round of truncation every ten seconds. */
  private static final Map<String, String> RARE = storage("2047 MiB", "64 MiB", "300s");

  /** The options of the JVM's collectors, whose names follow "Use". */
  private static final List<String> COLLECTORS =
      List.of("SerialGC", "ParallelGC", "G1GC", "ZGC", "ShenandoahGC");

  /** One of the clusters compared. */
  private record Subject(String name, ClusterSettings settings) {}

  private final DurabilityOptions options;
  private final LabelledProgress progress;

  Comparisons(DurabilityOptions options, LabelledProgress progress) {
    this.options = options;
    this.progress = progress;
  }

  private static Map<String, String> storage(
      String checkpointLog, String segment, String retention) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("server.storage.checkpoint-log", checkpointLog);
    settings.put("server.storage.segment", segment);
    settings.put("server.replica.retention", retention);
    return settings;
  }

  /** The durabilities, each with few and many clients. */
  List<ModePoint> modes() throws InterruptedException {
    List<Subject> subjects =
        DURABILITIES.stream()
            .map(mode -> new Subject(mode, options.cluster(mode, false, Map.of())))
            .toList();
    List<List<Arm>> arms = inTurn(subjects, options.loadKeys(), CLIENTS, OptionalDouble.empty());
    List<ModePoint> points = new ArrayList<>();
    for (int c = 0; c < CLIENTS.size(); c++) {
      Arm memory = arms.getFirst().get(c);
      for (int d = 0; d < DURABILITIES.size(); d++) {
        Arm arm = arms.get(d).get(c);
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

  /** Frequent checkpoints and truncation against rare ones, with {@code sync}. */
  Pauses pauses() throws InterruptedException {
    List<List<Arm>> arms =
        inTurn(
            List.of(
                new Subject("frequent", options.cluster("sync", false, FREQUENT)),
                new Subject("rare", options.cluster("sync", false, RARE))),
            options.keys(),
            OPEN_LOOP_SESSIONS,
            OptionalDouble.of(options.rate()));
    Arm frequent = arms.getFirst().getFirst();
    Arm rare = arms.getLast().getFirst();
    return new Pauses(
        frequent,
        rare,
        frequent.commitLatencyMicros().p999() - rare.commitLatencyMicros().p999(),
        GOAL_MICROS);
  }

  /** Without and with encryption. */
  List<Arm> tls() throws InterruptedException {
    return inTurn(
            List.of(
                new Subject("plain text", options.cluster("memory", false, Map.of())),
                new Subject("TLS", options.cluster("memory", true, Map.of()))),
            options.loadKeys(),
            TLS_CLIENTS,
            OptionalDouble.empty())
        .stream()
        .flatMap(List::stream)
        .toList();
  }

  /** For each cluster the figures of each number of clients. */
  private List<List<Arm>> inTurn(
      List<Subject> subjects, int keys, List<Integer> clients, OptionalDouble rate)
      throws InterruptedException {
    List<List<Series>> series = new ArrayList<>();
    for (Subject subject : subjects) {
      series.add(
          clients.stream()
              .map(
                  count ->
                      new Series(
                          clients.size() == 1 ? subject.name() : subject.name() + " " + count,
                          subject.settings()))
              .toList());
    }
    List<MeasuredCluster> clusters = new ArrayList<>();
    try {
      for (Subject subject : subjects) {
        progress.label(subject.name());
        clusters.add(MeasuredCluster.filled(subject.settings(), keys, options, progress));
        clusters.getLast().warmUp();
      }
      for (int round = 0; round < options.rounds(); round++) {
        for (int c = 0; c < clients.size(); c++) {
          for (int s = 0; s < subjects.size(); s++) {
            label(subjects.get(s).name() + ", " + clients.get(c) + " clients", round);
            clusters.get(s).measure(clients.get(c), rate, series.get(s).get(c));
          }
        }
      }
    } finally {
      clusters.forEach(MeasuredCluster::close);
    }
    return series.stream().map(all -> all.stream().map(Series::figures).toList()).toList();
  }

  private void label(String what, int round) {
    progress.label("%s, round %d/%d".formatted(what, round + 1, options.rounds()));
  }

  /**
   * The collectors that this JVM has, with {@code sync} and an open loop. Each round is on a new
   * cluster, because so many clusters do not fit into memory together.
   */
  List<Arm> collectors() throws InterruptedException {
    Map<String, Series> series = new LinkedHashMap<>();
    for (String collector : COLLECTORS) {
      if (isKnown("Use" + collector)) {
        series.put(collector, new Series(name(collector), settings(collector)));
      }
    }
    for (int round = 0; round < options.rounds(); round++) {
      for (Map.Entry<String, Series> entry : series.entrySet()) {
        label(name(entry.getKey()), round);
        try (MeasuredCluster cluster =
            MeasuredCluster.filled(
                settings(entry.getKey()), options.loadKeys(), options, progress)) {
          cluster.warmUp();
          cluster.measure(
              OPEN_LOOP_SESSIONS.getFirst(), OptionalDouble.of(options.rate()), entry.getValue());
        }
      }
    }
    return series.values().stream().map(Series::figures).toList();
  }

  private static String name(String collector) {
    return collector.replaceFirst("(?<=..)GC", "").toLowerCase(Locale.ROOT);
  }

  private ClusterSettings settings(String collector) {
    String others =
        String.join(" ", ServerJvm.of(options.serverJvm()))
            .replaceAll("-XX:\\+Use[A-Za-z0-9]+GC", "");
    return options.cluster("sync", false, others.strip() + " -XX:+Use" + collector, Map.of());
  }

  private static boolean isKnown(String flag) {
    try {
      return ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).getVMOption(flag)
          != null;
    } catch (IllegalArgumentException e) {
      return false; // this JVM is built without it
    }
  }
}
