package org.mortydb.bench.experiment;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.measure.CpuMeter.CpuTime;
import org.mortydb.bench.measure.Pauses;
import org.mortydb.bench.report.Consistency;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.report.Utilisation;
import org.mortydb.check.journal.Check;
import org.mortydb.workloads.load.LoadFigures;
import org.mortydb.workloads.load.LoadSeries;
import org.mortydb.workloads.load.Measurement;
import org.mortydb.workloads.load.Rate;
import org.mortydb.workloads.load.RunResult;
import org.mortydb.workloads.load.Saturation;
import org.mortydb.workloads.load.Workload;

/** Creates reports. */
public final class Reports {
  /** The name of the setting with the kind of loop. */
  public static final String LOOP = "loop";

  private Reports() {}

  /** The kind of loop, as settings state it. */
  public static String loop(boolean open) {
    return open ? "open" : "closed";
  }

  /**
   * The report of a run.
   *
   * @param system the system's name
   * @param settings the settings of the run
   * @param cpu the processor time of all processes within the window; empty if unknown
   * @param utilisation null if unknown
   * @param heaps null if unknown
   * @param check null if there was none
   * @param consistency null if there was none
   */
  public static Report of(
      String system,
      Workload workload,
      Map<String, @Nullable Object> settings,
      RunResult result,
      Optional<CpuTime> cpu,
      @Nullable Utilisation utilisation,
      Report.@Nullable HeapUse heaps,
      @Nullable Check check,
      @Nullable Consistency consistency) {
    return of(
        system,
        workload,
        settings,
        result,
        cpu,
        utilisation,
        heaps,
        null,
        null,
        check,
        consistency);
  }

  /**
   * The report of a run.
   *
   * @param saturation null if the rate is no share of the saturated one
   * @param pauses null if unknown
   * @see #of(String, Workload, Map, RunResult, Optional, Utilisation, Report.HeapUse, Check,
   *     Consistency)
   */
  public static Report of(
      String system,
      Workload workload,
      Map<String, @Nullable Object> settings,
      RunResult result,
      Optional<CpuTime> cpu,
      @Nullable Utilisation utilisation,
      Report.@Nullable HeapUse heaps,
      @Nullable Saturation saturation,
      @Nullable Pauses pauses,
      @Nullable Check check,
      @Nullable Consistency consistency) {
    return of(
        system,
        workload,
        settings,
        result,
        cpu,
        utilisation,
        heaps,
        saturation,
        pauses,
        check,
        consistency,
        Environment.facts());
  }

  /**
   * The report of a run on other hosts.
   *
   * @param environment the facts of {@link Environment}, of these hosts
   * @see #of(String, Workload, Map, RunResult, Optional, Utilisation, Report.HeapUse, Saturation,
   *     Pauses, Check, Consistency)
   */
  public static Report of(
      String system,
      Workload workload,
      Map<String, @Nullable Object> settings,
      RunResult result,
      Optional<CpuTime> cpu,
      @Nullable Utilisation utilisation,
      Report.@Nullable HeapUse heaps,
      @Nullable Saturation saturation,
      @Nullable Pauses pauses,
      @Nullable Check check,
      @Nullable Consistency consistency,
      Map<String, Object> environment) {
    Measurement measurement = result.measurement();
    double seconds = result.window().seconds();
    LoadFigures all = LoadFigures.of(measurement, seconds);
    Map<String, LoadFigures> types = new LinkedHashMap<>();
    int type = 0;
    for (String name : workload.types()) {
      types.put(name, LoadFigures.of(measurement.type(type++), seconds));
    }
    return new Report(
        system,
        workload.name(),
        all.committedPerSecond(),
        all.commitRate(),
        perCommit(cpu.map(CpuTime::totalNanos), all),
        perCommit(cpu.map(CpuTime::ownNanos), all),
        utilisation,
        all.reexecutionsPerCommit(),
        all.readOnlyShare(),
        all.fastPathShare(),
        all.slowPathShare(),
        all.learntShare(),
        all.latencyMicros(),
        all.commitLatencyMicros(),
        check == null ? null : check.isSerializable(),
        check,
        consistency == null ? null : consistency.holds(),
        consistency,
        types,
        measurement.aborts(),
        all.rolledBack(),
        all.givenUp(),
        all.unknownOutcome(),
        result.unfinished(),
        result.offered().orElse(null),
        saturation,
        pauses,
        measurement.timeline().figures(),
        heaps,
        settings,
        environment);
  }

  /** The settings of one load of a series. */
  public static Map<String, @Nullable Object> settings(
      Map<String, @Nullable Object> settings, LoadSeries.Load load) {
    Map<String, @Nullable Object> of = new LinkedHashMap<>(settings);
    of.put("clients", load.options().sessions());
    of.put("warmup", load.options().warmupSeconds());
    Rate rate = load.rate();
    boolean open = rate != null || load.options().ratePerSecond().isPresent();
    of.computeIfPresent(LOOP, (name, any) -> loop(open));
    if (rate != null) {
      of.put("rate", rate.toString());
    } else if (!open) {
      of.replace("rate", null);
    }
    return of;
  }

  private static @Nullable Double perCommit(Optional<Long> nanos, LoadFigures all) {
    return nanos.isEmpty() || all.committed() == 0
        ? null
        : Math.round(nanos.get() / 100.0 / all.committed()) / 10.0;
  }
}
