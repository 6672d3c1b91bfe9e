package org.mortydb.bench.simulated;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.DidYouMean;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.workloads.WorkloadChoice;
import org.mortydb.workloads.WorkloadPlugin;
import org.mortydb.workloads.WorkloadPlugins;

/** The points of a calibration. */
final class CalibrationPlan {
  private static final double ZIPF = 0.9;
  private static final double UNIFORM = 0;
  private static final double DELAY_MILLIS = 10;
  private static final int FEW = 16;
  private static final int MANY = 64;

  private CalibrationPlan() {}

  /** The measured variants of the installed workloads, by name. */
  private static Map<String, WorkloadChoice> choices() {
    Map<String, WorkloadChoice> all = new LinkedHashMap<>();
    for (WorkloadPlugin plugin : WorkloadPlugins.installed()) {
      for (Map<String, String> given : plugin.calibrated()) {
        WorkloadChoice choice = WorkloadChoice.of(plugin, given);
        String name = choice.create(1).name();
        all.put(plugin.calibrated().size() == 1 ? plugin.name() : name, choice);
      }
    }
    return all;
  }

  /** The names of the workloads. */
  static List<String> workloads() {
    return List.copyOf(choices().keySet());
  }

  private static WorkloadChoice retwis(double zipf) {
    return WorkloadChoice.of("retwis", Map.of("zipf", Double.toString(zipf)));
  }

  /**
   * The points at which steps are measured: each system on each workload.
   *
   * @throws IllegalArgumentException if a workload is unknown
   */
  static List<CalibrationPoint> gauged(List<TransactionSystem> systems, List<String> workloads) {
    List<CalibrationPoint> points = new ArrayList<>();
    for (TransactionSystem system : systems) {
      for (String name : workloads) {
        WorkloadChoice choice = choices().get(name);
        if (choice == null) {
          throw new IllegalArgumentException(
              "--workloads: unknown workload '" + name + "'" + DidYouMean.hint(name, workloads()));
        }
        points.add(point(system, choice, FEW, null));
      }
    }
    return points;
  }

  /**
   * A point that brings a system's code into the state of a long run: with conflicts, so that rare
   * messages are compiled, too.
   */
  static CalibrationPoint warming(TransactionSystem system) {
    WorkloadChoice few =
        WorkloadChoice.of("retwis", Map.of("keys", "10000", "zipf", Double.toString(ZIPF)));
    return point(system, few, MANY, null);
  }

  /** The points for the fit: with few conflicts and with many, without delay and with it. */
  static List<CalibrationPoint> fitted(List<TransactionSystem> systems) {
    List<CalibrationPoint> points = new ArrayList<>();
    for (TransactionSystem system : systems) {
      points.add(point(system, retwis(UNIFORM), FEW, null));
      for (double zipf : List.of(UNIFORM, ZIPF)) {
        points.add(point(system, retwis(zipf), MANY, null));
        points.add(point(system, retwis(zipf), MANY, DELAY_MILLIS));
      }
    }
    return points;
  }

  private static CalibrationPoint point(
      TransactionSystem system, WorkloadChoice choice, int clients, @Nullable Double delayMillis) {
    return new CalibrationPoint(system.name(), choice, null, clients, delayMillis);
  }
}
