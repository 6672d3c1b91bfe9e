package org.mortydb.bench.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.Check;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.workloads.load.LoadFigures;
import org.mortydb.workloads.load.Offered;
import org.mortydb.workloads.load.Percentiles;

/**
 * The record of one run, as written in JSON. What could not be measured is null.
 *
 * @param system the name of the system that ran, such as {@code morty}
 * @param workload the workload's name
 * @param committedPerSecond as in {@link LoadFigures}, of all transactions; likewise the next ones
 * @param cpuMicrosPerCommit processor time, user and system, of all processes within the window by
 *     committed transaction
 * @param clientCpuMicrosPerCommit the load generator's process' share of it, which is all of it
 *     when the servers are in the same process
 * @param utilisation how busy servers and clients were; null when they cannot be told apart
 * @param serializable whether the check found no violation; null when there was no check
 * @param check the check's findings; null when there was no check
 * @param consistent whether all conditions of the workload hold at the end; null when it has none,
 *     or they were not looked at
 * @param consistency the findings on each condition; null as above
 * @param transactions the figures of each type
 * @param aborts how many attempts were aborted, by reason
 * @param unfinished transactions that had not ended when the run gave up waiting
 * @param offered what became of the arrivals of an open loop; null for a closed one
 * @param heapAfterGcBytes what is in use on the heaps after a collection; null in a simulation
 * @param settings what was asked for
 * @param environment where it ran
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
    @Nullable HeapUse heapAfterGcBytes,
    Map<String, @Nullable Object> settings,
    Map<String, Object> environment) {

  /**
   * Bytes in use after a collection.
   *
   * @param clientBegin in the load generator's process, half-way through the warm-up
   * @param clientEnd the same at the end of the window
   * @param serversBegin in all server processes; null when there are none of their own
   * @param serversEnd the same at the end of the window
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record HeapUse(
      long clientBegin, long clientEnd, @Nullable Long serversBegin, @Nullable Long serversEnd) {}
}
