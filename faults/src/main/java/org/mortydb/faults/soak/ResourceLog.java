package org.mortydb.faults.soak;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.CheckpointWatch;
import org.mortydb.bench.cluster.ProcessCluster;
import org.mortydb.bench.measure.HeapMeter;
import org.mortydb.faults.soak.SoakReport.Growth;
import org.mortydb.faults.soak.SoakReport.Resources;
import org.mortydb.faults.soak.SoakReport.Sample;

/** Disk and heap of the servers of a soak over time. Used by one thread. */
final class ResourceLog implements AutoCloseable {
  private static final int SAMPLES = 40;
  private static final double SHORTEST_INTERVAL_SECONDS = 2;
  private static final double MEGA = 1e6;

  /** What may be added without being growth: a sample more or less before the log is cut. */
  private static final double SLACK_SHARE = 1.25;

  private static final double SLACK_MB = 8;

  private final ProcessCluster servers;
  private final double seconds;
  private final List<Sample> samples = new ArrayList<>();
  private final CheckpointWatch checkpoints;
  private double nextSecond;

  /**
   * @param seconds the length of the soak
   */
  ResourceLog(ProcessCluster servers, double seconds) throws IOException {
    this.servers = servers;
    this.checkpoints = CheckpointWatch.start(servers);
    this.seconds = seconds;
    this.nextSecond = interval();
  }

  private double interval() {
    return Math.max(SHORTEST_INTERVAL_SECONDS, seconds / SAMPLES);
  }

  /**
   * Takes a sample if one is due.
   *
   * @param serving whether a server serves; the heap of others is not known
   */
  void look(double atSecond, IntPredicate serving) throws IOException {
    if (atSecond >= nextSecond) {
      nextSecond = atSecond + interval();
      sample(atSecond, serving);
    }
  }

  private void sample(double atSecond, IntPredicate serving) throws IOException {
    List<Double> disk = new ArrayList<>();
    List<@Nullable Double> heap = new ArrayList<>();
    List<ProcessHandle> processes = servers.processes();
    double own;
    try (HeapMeter meter = new HeapMeter(List.of())) {
      own = megabytes(meter.ownAfterCollection());
    }
    for (int server = 0; server < servers.size(); server++) {
      disk.add(megabytes(servers.dataBytes(server)));
      heap.add(serving.test(server) ? heapOf(processes.get(server)) : null);
    }
    samples.add(new Sample(Math.round(atSecond * 10) / 10.0, disk, heap, own));
  }

  private static @Nullable Double heapOf(ProcessHandle process) {
    try (HeapMeter meter = new HeapMeter(List.of(process))) {
      var bytes = meter.othersAfterCollection();
      return bytes.isPresent() ? megabytes(bytes.getAsLong()) : null;
    }
  }

  private static double megabytes(long bytes) {
    return Math.round(bytes / MEGA * 10) / 10.0;
  }

  /** All samples and their growth. */
  Resources resources() {
    Growth disk = growth(sample -> sample.diskMb().stream());
    Growth heap = growth(sample -> sample.heapMb().stream().filter(Objects::nonNull));
    Boolean flat =
        disk == null && heap == null
            ? null
            : (Boolean) ((disk == null || disk.flat()) && (heap == null || heap.flat()));
    return new Resources(flat, disk, heap, checkpoints.seen(), List.copyOf(samples));
  }

  @Override
  public void close() {
    checkpoints.close();
  }

  private @Nullable Growth growth(Function<Sample, Stream<Double>> figures) {
    OptionalDouble first = most(figures, 0, seconds / 4);
    OptionalDouble last = most(figures, seconds * 3 / 4, Double.POSITIVE_INFINITY);
    return first.isEmpty() || last.isEmpty()
        ? null
        : growth(first.getAsDouble(), last.getAsDouble());
  }

  static Growth growth(double first, double last) {
    return new Growth(first, last, last <= first * SLACK_SHARE + SLACK_MB);
  }

  private OptionalDouble most(Function<Sample, Stream<Double>> figures, double from, double to) {
    return samples.stream()
        .filter(sample -> sample.atSecond() >= from && sample.atSecond() <= to)
        .flatMap(figures)
        .mapToDouble(Double::doubleValue)
        .max();
  }
}
