package org.mortydb.bench.experiment;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.measure.CpuMeter;
import org.mortydb.bench.measure.CpuMeter.CpuTime;
import org.mortydb.bench.measure.HeapMeter;
import org.mortydb.bench.measure.MachineMeter;
import org.mortydb.bench.measure.MachineMeter.Sample;
import org.mortydb.bench.measure.PauseMeter;
import org.mortydb.bench.measure.Pauses;
import org.mortydb.bench.measure.ThreadMeter;
import org.mortydb.bench.report.Report.HeapUse;
import org.mortydb.workloads.load.RunObserver;

/**
 * Measures the processor time and the pauses within the window, and the heaps before and after it.
 */
public final class ResourceProbe implements RunObserver, AutoCloseable {
  private final CpuMeter cpu;
  private final ThreadMeter compilers;
  private final ThreadMeter collectors;
  private final MachineMeter machine = new MachineMeter();
  private final HeapMeter heap;
  private final PauseMeter pauses;
  private Optional<CpuTime> cpuAtBegin = Optional.empty();
  private Optional<CpuTime> cpuOfWindow = Optional.empty();
  private OptionalLong compilersAtBegin = OptionalLong.empty();
  private OptionalDouble compilersOfWindow = OptionalDouble.empty();
  private OptionalLong collectorsAtBegin = OptionalLong.empty();
  private OptionalDouble collectorsOfWindow = OptionalDouble.empty();
  private Optional<Sample> machineAtBegin = Optional.empty();
  private long nanosAtBegin;
  private OptionalDouble othersOfWindow = OptionalDouble.empty();
  private @Nullable Pauses pausesOfWindow;
  private boolean collects = true;
  private long ownHeapAtBegin;
  private OptionalLong otherHeapsAtBegin = OptionalLong.empty();

  /**
   * Creates a probe of server processes of this project.
   *
   * @see #ResourceProbe(List, List)
   */
  public ResourceProbe(List<ProcessHandle> servers) {
    this(servers, servers);
  }

  /**
   * Creates a probe of this process and others.
   *
   * @param servers the processes whose processor time counts
   * @param heaps the Java processes whose heaps count; the query would end a process of another
   *     kind
   */
  public ResourceProbe(List<ProcessHandle> servers, List<ProcessHandle> heaps) {
    cpu = new CpuMeter(servers);
    compilers = ThreadMeter.ofCompilers(servers);
    collectors = ThreadMeter.ofCollectors(servers);
    heap = new HeapMeter(heaps);
    pauses = new PauseMeter(heap.connections());
  }

  /** A probe of the processor time and the pauses of this process, which collects no garbage. */
  public static ResourceProbe withoutHeaps() {
    ResourceProbe probe = new ResourceProbe(List.of());
    probe.collects = false;
    return probe;
  }

  @Override
  public void warmingUp() {
    if (!collects) {
      return;
    }
    ownHeapAtBegin = heap.ownAfterCollection();
    otherHeapsAtBegin = heap.othersAfterCollection();
  }

  @Override
  public void windowBegins() {
    cpuAtBegin = cpu.sample();
    compilersAtBegin = compilers.sample();
    collectorsAtBegin = collectors.sample();
    machineAtBegin = machine.sample();
    nanosAtBegin = System.nanoTime();
    pauses.begin();
  }

  @Override
  public void windowEnds() {
    cpuOfWindow = cpu.sample().flatMap(end -> cpuAtBegin.map(end::since));
    compilersOfWindow =
        share(compilersAtBegin, compilers.sample(), cpuOfWindow.map(CpuTime::totalNanos));
    collectorsOfWindow =
        share(collectorsAtBegin, collectors.sample(), cpuOfWindow.map(CpuTime::childrenNanos));
    othersOfWindow = others((System.nanoTime() - nanosAtBegin) / 1e9);
    pausesOfWindow = pauses.end();
  }

  /** The processor time of all processes within the window; empty if unknown. */
  public Optional<CpuTime> cpuOfWindow() {
    return cpuOfWindow;
  }

  private static OptionalDouble share(OptionalLong begin, OptionalLong end, Optional<Long> of) {
    long all = of.orElse(0L);
    return begin.isPresent() && end.isPresent() && all > 0
        ? OptionalDouble.of(Math.clamp((end.getAsLong() - begin.getAsLong()) / (double) all, 0, 1))
        : OptionalDouble.empty();
  }

  private OptionalDouble others(double seconds) {
    Optional<Sample> end = machine.sample();
    return cpuOfWindow.isPresent() && machineAtBegin.isPresent() && end.isPresent()
        ? end.get().others(machineAtBegin.get(), cpuOfWindow.get().totalNanos(), seconds)
        : OptionalDouble.empty();
  }

  /**
   * The share of the machine's processor time that other programs used within the window, at least;
   * empty if unknown.
   */
  public OptionalDouble othersOfWindow() {
    return othersOfWindow;
  }

  /** The share of {@link ThreadMeter#COMPILERS} within the window; empty if unknown. */
  public OptionalDouble compilersOfWindow() {
    return compilersOfWindow;
  }

  /** The share of {@link ThreadMeter#SERVER_COLLECTORS} within the window; empty if unknown. */
  public OptionalDouble collectorsOfWindow() {
    return collectorsOfWindow;
  }

  /** The pauses within the window; null before its end. */
  public @Nullable Pauses pausesOfWindow() {
    return pausesOfWindow;
  }

  /** The heaps at the warm-up and now. */
  public HeapUse heapUse() {
    return new HeapUse(
        ownHeapAtBegin,
        heap.ownAfterCollection(),
        orNull(otherHeapsAtBegin),
        orNull(heap.othersAfterCollection()));
  }

  private static @Nullable Long orNull(OptionalLong number) {
    return number.isPresent() ? number.getAsLong() : null;
  }

  @Override
  public void close() {
    pauses.close();
    heap.close();
  }
}
