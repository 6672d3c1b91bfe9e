package org.mortydb.bench.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.measure.Pauses;
import org.mortydb.check.journal.Check;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.workloads.load.LoadFigures;
import org.mortydb.workloads.load.Offered;
import org.mortydb.workloads.load.Percentiles;
import org.mortydb.workloads.load.Saturation;
import org.mortydb.workloads.load.Timeline;

/**
 * The record of a run, as written in JSON. Figures that could not be measured are null.
 *
 * @param system the system's name, such as {@code morty}
 * @param workload the workload's name
 * @param committedPerSecond the figure of {@link LoadFigures} for all transactions; likewise the
 *     next ones
 * @param cpuMicrosPerCommit the processor time per commit, user and system, of all processes within
 *     the window
 * @param clientCpuMicrosPerCommit the share of the load generator's process, which is all of it if
 *     the servers are in the same process
 * @param utilisation the utilisation by servers and clients; null if they share a process
 * @param serializable whether the history is serializable; null without a check, and if it is not
 *     while the system promises no more than the snapshot isolation that it kept
 * @param check the result of the check; null without a check
 * @param consistent whether all conditions of the workload hold at the end; null if there are none,
 *     or they were not checked
 * @param consistency the findings for each condition; null as above
 * @param transactions the figures of each type
 * @param aborts the number of aborted attempts by reason
 * @param unfinished the number of transactions without an end when the run stopped waiting
 * @param offered the arrivals of an open loop; null for a closed one
 * @param saturation how the saturated rate was found; null if the rate is no share of it
 * @param pauses for how long processes stood still within the window; null if not measured
 * @param timeline the latencies over time
 * @param heapAfterGcBytes the used heaps after a collection; null in a simulation
 * @param settings the settings of the run
 * @param environment the environment of the run
 */
public record Report(
    String system,
    String workload,
    double committedPerSecond,
    double commitRate,
    @Nullable Double cpuMicrosPerCommit,
    @Nullable Double clientCpuMicrosPerCommit,
    @Nullable Utilisation utilisation,
    double reexecutionsPerCommit,
    double readOnlyShare,
    double fastPathShare,
    double slowPathShare,
    double learntShare,
    Percentiles latencyMicros,
    Percentiles commitLatencyMicros,
    @Nullable Boolean serializable,
    @Nullable Check check,
    @Nullable Boolean consistent,
    @Nullable Consistency consistency,
    Map<String, LoadFigures> transactions,
    Map<AbortReason, Long> aborts,
    long rolledBack,
    long givenUp,
    long unknownOutcome,
    int unfinished,
    @Nullable Offered offered,
    @Nullable Saturation saturation,
    @Nullable Pauses pauses,
    Timeline.@Nullable Figures timeline,
    @Nullable HeapUse heapAfterGcBytes,
    Map<String, @Nullable Object> settings,
    Map<String, Object> environment) {

  /**
   * Bytes in use after a collection.
   *
   * @param clientBegin in the load generator's process, in the middle of the warm-up
   * @param clientEnd the same at the end of the window
   * @param serversBegin in all server processes; null if there are none
   * @param serversEnd the same at the end of the window
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record HeapUse(
      long clientBegin, long clientEnd, @Nullable Long serversBegin, @Nullable Long serversEnd) {}
}
