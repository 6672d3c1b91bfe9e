package org.mortydb.faults.durability;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.ExitCode;
import org.mortydb.faults.kit.FaultReport;
import org.mortydb.workloads.load.Percentiles;

/**
 * The result. A part that was not run is null.
 *
 * @param modes throughput of the durabilities
 * @param death decisions after deaths of coordinators
 * @param restart restarts of a server with much stored data
 * @param catchUp returns of a server that missed much
 * @param pauses the effect of checkpoints and truncation on latency
 * @param collectors garbage collectors of the servers
 * @param tls encryption
 * @param settings the options
 * @param environment the machine
 */
public record DurabilityReport(
    @Nullable List<ModePoint> modes,
    @Nullable Deaths death,
    @Nullable List<Restart> restart,
    @Nullable List<CatchUp> catchUp,
    @Nullable Pauses pauses,
    @Nullable List<Arm> collectors,
    @Nullable List<Arm> tls,
    Map<String, @Nullable Object> settings,
    Map<String, Object> environment)
    implements FaultReport {
  @Override
  public int exitCode() {
    return ExitCode.OK;
  }

  @Override
  public String text() {
    return DurabilityTable.of(this);
  }

  /**
   * One of the alternatives, all its rounds together.
   *
   * @param name its name
   * @param committedPerSecond the mean of the rounds
   * @param roundsPerSecond of each round
   * @param cpuMicrosPerCommit processor time, user and system, of all processes per commit; null
   *     when not known
   * @param serverCpuMicrosPerCommit the servers' share of it
   * @param latencyMicros from when a transaction was due to its end
   * @param commitLatencyMicros from the commit call to the end
   * @param checkpoints that servers completed meanwhile
   * @param settings of the configuration file that differ from the defaults, and the servers' JVM
   *     options
   */
  public record Arm(
      String name,
      double committedPerSecond,
      List<Double> roundsPerSecond,
      @Nullable Double cpuMicrosPerCommit,
      @Nullable Double serverCpuMicrosPerCommit,
      Percentiles latencyMicros,
      Percentiles commitLatencyMicros,
      int checkpoints,
      Map<String, String> settings) {}

  /**
   * A durability with a number of clients.
   *
   * @param durability {@code memory}, {@code async} or {@code sync}
   * @param clients transactions that ran at a time
   * @param throughputRatio relative to the throughput of {@code memory}
   * @param cpuRatio relative to the processor time per commit of {@code memory}; null when not
   *     known
   * @param figures its own
   */
  public record ModePoint(
      String durability,
      int clients,
      double throughputRatio,
      @Nullable Double cpuRatio,
      Arm figures) {}

  /**
   * Decisions of transactions whose coordinator died right after sending its Prepares.
   *
   * @param count the number of deaths
   * @param committed transactions that were committed; the others were aborted
   * @param decidedMicros from the death until every replica had the decision
   * @param roundTripMicros between the witness and a replica
   * @param inquireMicros {@code server.replica.inquire-after}
   * @param tickMicros {@code server.replica.tick}: each of the two waits ends at a tick
   * @param boundMicros two inquire times and three round trips, by their 99th percentile
   * @param boundWithTicksMicros the same and two ticks
   * @param withinBound decisions within the bound
   * @param withinBoundWithTicks decisions within the bound with ticks
   * @param byReach the times by the number of replicas that a Prepare reached
   * @param recovered transactions that servers report as recovered
   */
  public record Deaths(
      int count,
      int committed,
      Percentiles decidedMicros,
      Percentiles roundTripMicros,
      long inquireMicros,
      long tickMicros,
      long boundMicros,
      long boundWithTicksMicros,
      int withinBound,
      int withinBoundWithTicks,
      Map<String, Percentiles> byReach,
      long recovered) {}

  /**
   * One restart.
   *
   * @param after {@code kill} (SIGKILL) or {@code stop} (SIGTERM)
   * @param secondsToServing from the start of the process
   * @param logMb the data in its log, in 10^6 bytes
   * @param checkpointMb the same in checkpoints
   */
  public record Restart(String after, double secondsToServing, double logMb, double checkpointMb) {}

  /**
   * One return.
   *
   * @param of {@code wiped}: all it had stored was deleted; {@code missed}: it was down while the
   *     keys were loaded
   * @param secondsToServing from the start of the process
   * @param secondsToCaughtUp the same until it had every sampled key
   * @param keysPerSecond all keys divided by that time
   * @param storedMb its stored data then, in 10^6 bytes
   * @param mbPerSecond the stored data divided by that time
   * @param othersBeforePerSecond the commits of clients with all servers up; null without load
   * @param othersMeanwhilePerSecond the same from the start of the process to its catching up
   * @param othersRatio the latter relative to the former
   */
  public record CatchUp(
      String of,
      double secondsToServing,
      double secondsToCaughtUp,
      double keysPerSecond,
      double storedMb,
      double mbPerSecond,
      @Nullable Double othersBeforePerSecond,
      @Nullable Double othersMeanwhilePerSecond,
      @Nullable Double othersRatio) {}

  /**
   * The same load with frequent and with rare checkpoints and truncation.
   *
   * @param frequent with frequent ones
   * @param rare with rare ones
   * @param commitP999DifferenceMicros by how much frequent ones raise the 99.9th percentile of
   *     commit latency
   * @param goalMicros the largest difference that is acceptable
   */
  public record Pauses(Arm frequent, Arm rare, long commitP999DifferenceMicros, long goalMicros) {}
}
