package org.mortydb.bench.experiment;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.load.Measurement;
import org.mortydb.bench.load.RunResult;
import org.mortydb.bench.measure.CpuMeter.CpuTime;
import org.mortydb.bench.report.Check;
import org.mortydb.bench.report.Consistency;
import org.mortydb.bench.report.Figures;
import org.mortydb.bench.report.Report;

/** Puts reports together. */
final class Reports {
  private Reports() {}

  static Report of(
      Experiment experiment,
      RunResult result,
      Optional<CpuTime> cpu,
      Report.HeapUse heaps,
      @Nullable Check check,
      @Nullable Consistency consistency) {
    Measurement measurement = result.measurement();
    double seconds = result.window().seconds();
    Figures all = Figures.of(measurement.total(), seconds);
    Map<String, Figures> types = new LinkedHashMap<>();
    int type = 0;
    for (String name : experiment.workload().types()) {
      types.put(name, Figures.of(measurement.type(type++), seconds));
    }
    return new Report(
        experiment.cluster().system(),
        experiment.workload().name(),
        all.committedPerSecond(),
        all.commitRate(),
        perCommit(cpu.map(CpuTime::totalNanos), all),
        perCommit(cpu.map(CpuTime::ownNanos), all),
        all.reexecutionsPerCommit(),
        all.fastPathShare(),
        all.slowPathShare(),
        all.learntShare(),
        all.latencyMicros(),
        all.commitLatencyMicros(),
        check == null ? null : check.violations() == 0,
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
        heaps,
        experiment.settings(),
        Environment.facts());
  }

  private static @Nullable Double perCommit(Optional<Long> nanos, Figures all) {
    return nanos.isEmpty() || all.committed() == 0
        ? null
        : Math.round(nanos.get() / 100.0 / all.committed()) / 10.0;
  }
}
