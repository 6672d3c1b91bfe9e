package org.mortydb.bench.simulated;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.protocol.system.TransactionSystems;

/** Calibrations for tests: round numbers, the same for all. */
public final class Calibrations {
  private Calibrations() {}

  /** Every step takes 2 µs, and so on. */
  public static Calibration round() {
    PlaceCosts place = new PlaceCosts(Map.of(), new KindCost(500, 2_000, 500), 1_000, 3_000);
    Map<String, Map<String, SystemCosts>> costs = new TreeMap<>();
    for (TransactionSystem system : TransactionSystems.all()) {
      for (String workload : CalibrationPlan.workloads()) {
        costs
            .computeIfAbsent(system.toString(), name -> new TreeMap<>())
            .put(workload, new SystemCosts(place, place));
      }
    }
    return new Calibration(
        "made up",
        "",
        Map.of("processors", 2),
        new TransportCosts(5_000, 500, 3_000, 3_000, 2_000, 0),
        new StorageCosts(1_000, 2_000, 5_000, 10_000, 100_000),
        Map.of(),
        costs,
        List.of());
  }
}
