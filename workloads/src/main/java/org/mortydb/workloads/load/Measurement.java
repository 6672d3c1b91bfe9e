package org.mortydb.workloads.load;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.workloads.load.Meter.TypeMeter;

/** The counts and times within the window, by type of transaction. */
public final class Measurement {
  private final List<TypeMeter> types = new ArrayList<>();
  private final Map<AbortReason, Long> aborts = new EnumMap<>(AbortReason.class);

  private final Timeline timeline;

  Measurement(int types, Window window, List<Meter> meters, List<AbortCounter> abortCounters) {
    timeline = new Timeline(window);
    for (int i = 0; i < types; i++) {
      this.types.add(new TypeMeter());
    }
    for (Meter meter : meters) {
      meter.addTo(this);
    }
    for (AbortReason reason : AbortReason.values()) {
      long count = abortCounters.stream().mapToLong(counter -> counter.count(reason)).sum();
      if (count > 0) {
        aborts.put(reason, count);
      }
    }
  }

  /**
   * The measurement of several processes in one window. Histograms are added, so percentiles are
   * those of all transactions.
   *
   * @param types the number of types of transactions
   * @param window the window, which has the same length in all processes
   * @throws IllegalArgumentException if a record is damaged, or that of another workload or window
   */
  public static Measurement merged(int types, Window window, List<MeasurementRecord> records) {
    Measurement merged = new Measurement(types, window, List.of(), List.of());
    for (MeasurementRecord record : records) {
      if (record.types().size() != types) {
        throw new IllegalArgumentException(
            "%d types of transactions, not %d".formatted(record.types().size(), types));
      }
      for (int i = 0; i < types; i++) {
        merged.types.get(i).add(record.types().get(i));
      }
      record
          .aborts()
          .forEach(
              (reason, count) ->
                  merged.aborts.merge(reason, TypeMeter.notNegative(count), Long::sum));
      merged.timeline.add(record.intervals());
    }
    return merged;
  }

  /** The counts and histograms as data. */
  public MeasurementRecord toRecord() {
    return new MeasurementRecord(
        types.stream().map(TypeMeter::toRecord).toList(), aborts, timeline.toRecord());
  }

  /** The figures of one type, by its position in {@link Workload#types}. */
  public TypeMeter type(int type) {
    return types.get(type);
  }

  /** The figures of all types together. */
  public TypeMeter total() {
    TypeMeter total = new TypeMeter();
    for (TypeMeter type : types) {
      type.addTo(total);
    }
    return total;
  }

  /** The latencies over time. */
  public Timeline timeline() {
    return timeline;
  }

  /** The number of aborted attempts, by reason. */
  public Map<AbortReason, Long> aborts() {
    return aborts;
  }
}
