package org.mortydb.faults.nemesis;

import java.util.List;
import java.util.Set;
import org.mortydb.check.anomaly.Order;
import org.mortydb.check.jepsen.HistoryCheck;

/**
 * How a run goes.
 *
 * @param workloads at least one; all run at the same time
 * @param faults may be empty
 * @param seconds how long faults last; up to four times as long until every fault was seen and
 *     enough has committed
 * @param faultEverySeconds the average time from a fault to the next
 * @param clients client processes, 1 or more
 * @param concurrency operations in flight, at least one for each workload
 * @param rate operations begun per second at most, all workloads together
 * @param minCommitted operations of each workload that must commit
 * @param recoverySeconds within which all workloads must commit after the faults
 * @param seed of all that is drawn; timing is not part of it
 * @param planted the error of the clients
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
    PlantedError planted,
    Order order) {
  public FaultRunOptions {
    workloads = List.copyOf(workloads);
    faults = Set.copyOf(faults);
  }
}
