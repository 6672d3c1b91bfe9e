package org.mortydb.experiments.windows;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.mortydb.bench.simulated.Calibration;
import org.mortydb.bench.simulated.KindCost;
import org.mortydb.bench.simulated.PlaceCosts;
import org.mortydb.bench.simulated.SystemCosts;
import org.mortydb.bench.simulated.TransportCosts;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.protocol.system.TransactionSystems;

/**
 * Round costs, equal for all systems. Windows between distant regions consist of delays, and their
 * picture should not depend on the machine of a calibration.
 */
public final class NominalCosts {
  private static final KindCost MESSAGE = new KindCost(1_000, 5_000, 1_000);
  private static final double TIMER_NANOS = 1_000;
  private static final double BEGIN_NANOS = 5_000;
  private static final TransportCosts TRANSPORT =
      new TransportCosts(5_000, 1_000, 5_000, 5_000, 2_000, 0);

  private NominalCosts() {}

  /** The costs for a workload. */
  public static Calibration of(String workload) {
    PlaceCosts place = new PlaceCosts(Map.of(), MESSAGE, TIMER_NANOS, BEGIN_NANOS);
    Map<String, Map<String, SystemCosts>> costs = new TreeMap<>();
    for (TransactionSystem system : TransactionSystems.all()) {
      costs.put(system.name(), Map.of(workload, new SystemCosts(place, place)));
    }
    return new Calibration(
        "round numbers, equal for all systems",
        "",
        Map.of(),
        TRANSPORT,
        null,
        Map.of(),
        costs,
        List.of());
  }
}
