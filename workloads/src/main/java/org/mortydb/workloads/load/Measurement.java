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
