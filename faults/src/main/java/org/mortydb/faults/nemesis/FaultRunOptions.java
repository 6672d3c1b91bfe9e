package org.mortydb.faults.nemesis;

import java.util.List;
import java.util.Set;
import org.mortydb.check.anomaly.Order;
import org.mortydb.check.jepsen.HistoryCheck;

/**
 * How to run.
 *
 * @param workloads what clients do, at least one; all at the same time
 * @param faults what goes wrong meanwhile; may be empty
 * @param seconds how long things go wrong; up to four times as long if by then not every fault was
 *     seen, or too little committed
 * @param faultEverySeconds about how long a fault lasts
 * @param clients client processes, 1 or more
 * @param concurrency operations under way at a time, at least one for each workload
 * @param rate operations begun per second at most, all workloads together
 * @param minCommitted operations of each workload that must have taken place
 * @param recoverySeconds within which all must go on when the faults are over
 * @param seed decides what is drawn; timing is not part of it
 * @param plant how clients deceive the test
 * @param order what the histories' serial order must respect
 */
public record FaultRunOptions(
    List<HistoryCheck> workloads,
    Set<Fault> faults,
    double seconds,
    double faultEverySeconds,
    int clients,
    int concurrency,
    double rate,
    long minCommitted,
    double recoverySeconds,
    long seed,
    PlantedError plant,
    Order order) {
  public FaultRunOptions {
    workloads = List.copyOf(workloads);
    faults = Set.copyOf(faults);
  }
}
