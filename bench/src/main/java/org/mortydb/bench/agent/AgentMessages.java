package org.mortydb.bench.agent;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.measure.Pauses;

/**
 * The messages between a controller and an agent: JSON over HTTPS.
 *
 * <table>
 * <caption>Requests</caption>
 * <tr><td>GET /about</td><td>{@link About}</td></tr>
 * <tr><td>GET /clock</td><td>{@link ClockReading}</td></tr>
 * <tr><td>POST /lease</td><td>{@link LeaseRequest}, {@link LeaseGrant}</td></tr>
 * <tr><td>DELETE /lease/ID</td><td>ends everything that was started under the lease</td></tr>
 * <tr><td>POST /lease/ID/server</td><td>{@link ServerRequest}</td></tr>
 * <tr><td>POST /lease/ID/load</td><td>{@link LoadRequest}</td></tr>
 * <tr><td>POST /lease/ID/command</td><td>{@link LoadCommand}, {@link Accepted}</td></tr>
 * <tr><td>POST /lease/ID/measure</td><td>{@link MeasureRequest}</td></tr>
 * <tr><td>GET /lease/ID/measured</td><td>{@link ServerUse} of the last window</td></tr>
 * <tr><td>GET /lease/ID/heap</td><td>{@link HeapReading} of the server, after a collection</td></tr>
 * <tr><td>GET /lease/ID/status</td><td>{@link Status}; it renews the lease, as every request does
 *     </td></tr>
 * <tr><td>GET /lease/ID/answer/N</td><td>the answer to a command, see {@link LoadCommand}</td></tr>
 * <tr><td>GET /lease/ID/history</td><td>the closed history of the clients, gzip</td></tr>
 * </table>
 */
public final class AgentMessages {
  /** The version of these messages. */
  public static final int PROTOCOL = 2;

  /** The most bytes of a message, in either direction. Histories are no messages. */
  public static final int MOST_BYTES = 16 * 1024 * 1024;

  /** The status of the answer to a request for a lease that another run has. */
  public static final int BUSY = 423;

  private AgentMessages() {}

  /** A moment as all messages state it: in microseconds since 1970. */
  public static long micros(Instant moment) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, moment);
  }

  /**
   * What an agent and its host are.
   *
   * @param protocol {@link #PROTOCOL} of the agent
   * @param version the version of its program
   * @param quotaBytes how much a run may take of the disk
   * @param freeBytes how much of the disk is free
   * @param machine identifies the running machine; null if unknown. Agents of one machine have the
   *     same
   * @param holder who has the lease; null if nobody has
   * @param systems the installed systems
   * @param workloads the installed workloads
   */
  public record About(
      int protocol,
      String version,
      String name,
      int processors,
      long memoryBytes,
      String java,
      String vm,
      String os,
      String arch,
      long quotaBytes,
      long freeBytes,
      @Nullable String machine,
      @Nullable String holder,
      List<String> systems,
      List<String> workloads) {}

  /**
   * A reading of the agent's clock, in microseconds since 1970.
   *
   * @param receivedMicros when the request came
   * @param sentMicros when the answer left
   */
  public record ClockReading(long receivedMicros, long sentMicros) {}

  /**
   * Asks for the lease of an agent.
   *
   * @param seconds how long it lasts without a request, {@link Lease#LEAST_SECONDS} to {@link
   *     Lease#MOST_SECONDS}
   */
  public record LeaseRequest(int seconds) {}

  /**
   * A lease.
   *
   * @param lease its id, in the paths of requests
   * @param folder the folder on the agent's host for all files of the run
   */
  public record LeaseGrant(String lease, String folder) {}

  /**
   * Starts a server.
   *
   * @param name its name in the configuration
   * @param config the text of the cluster's configuration
   * @param jvm the options of its JVM
   * @param credentials the texts of its TLS files by their names; empty without TLS
   */
  public record ServerRequest(
      String name, String config, List<String> jvm, Map<String, String> credentials) {}

  /**
   * Starts a process with clients.
   *
   * @param jvm the options of its JVM
   * @param credentials the texts of its TLS files by their names; empty without TLS
   */
  public record LoadRequest(LoadSpec load, List<String> jvm, Map<String, String> credentials) {}

  /**
   * The clients of one process.
   *
   * @param config the text of the cluster's configuration
   * @param region the region of the clients
   * @param loops their event loops
   * @param workload the workload's name
   * @param options the texts of its options
   * @param seed the seed of the workload and of all random choices
   * @param share the place of this process among {@code shares}
   * @param shares the number of processes with clients
   * @param deadlineMicros the deadline of transactions
   * @param backoffMicros the first wait after an abort, at most
   * @param backoffCapMicros any such wait, at most
   * @param style the style of the transactions, in lower case
   * @param history whether to keep a history
   */
  public record LoadSpec(
      String config,
      String region,
      int loops,
      String workload,
      Map<String, String> options,
      long seed,
      int share,
      int shares,
      long deadlineMicros,
      long backoffMicros,
      long backoffCapMicros,
      String style,
      boolean history) {}

  /**
   * What a process with clients shall do next. It does one thing after another.
   *
   * @param kind what
   * @param run how, if the kind is {@link Kind#RUN}
   */
  public record LoadCommand(Kind kind, @Nullable RunSpec run) {

    /** The kinds of commands. */
    public enum Kind {
      /** Fills the share of the records; the answer is a {@link LoadAnswers.Filled}. */
      FILL,
      /** Runs the share of a load; the answer is a {@link LoadAnswers.Ran}. */
      RUN,
      /** Collects garbage; the answer is a {@link LoadAnswers.Heap}. */
      HEAP,
      /** Checks the workload's conditions; the answer is a {@link LoadAnswers.Audited}. */
      AUDIT,
      /** Ends the clients and closes the history; the answer is a {@link LoadAnswers.Closed}. */
      CLOSE
    }
  }

  /**
   * A load of all processes together.
   *
   * @param sessions the number of concurrent transactions
   * @param ratePerSecond the rate of an open loop; null for a closed loop
   * @param arrivals the arrivals of an open loop, in lower case
   * @param beginMicros when it begins by the agent's clock, in microseconds since 1970
   */
  public record RunSpec(
      int sessions,
      @Nullable Double ratePerSecond,
      String arrivals,
      double warmupSeconds,
      double seconds,
      long seed,
      long beginMicros) {}

  /**
   * A command was accepted.
   *
   * @param command its number, from 1
   */
  public record Accepted(int command) {}

  /**
   * Asks to measure the server within a window, after a collection of its garbage.
   *
   * @param beginMicros when the window begins by the agent's clock
   */
  public record MeasureRequest(long beginMicros, double seconds) {}

  /**
   * What the server used.
   *
   * @param cpuNanos its processor time within the window; null if unknown
   * @param heapBytes its used heap after the collection; null if unknown
   * @param pauses its pauses within the window; null if unknown
   */
  public record ServerUse(
      @Nullable Long cpuNanos, @Nullable Long heapBytes, Pauses.@Nullable OfProcess pauses) {
    /** The use of a server that cannot be measured. */
    public static final ServerUse UNKNOWN = new ServerUse(null, null, null);
  }

  /**
   * The used heap of the server.
   *
   * @param bytes null if unknown
   */
  public record HeapReading(@Nullable Long bytes) {}

  /**
   * The state of an agent.
   *
   * @param serving whether its server serves; false without a server
   * @param load the state of the clients; null without clients
   * @param measured how many windows have ended
   * @param failure why the run cannot go on; null while it can
   */
  public record Status(
      boolean serving, @Nullable LoadState load, int measured, @Nullable String failure) {}

  /**
   * The state of a process with clients.
   *
   * @param answered the number of the last command that has an answer; 0 once it is connected, -1
   *     before
   * @param phase the name of what it does now; empty before
   * @param unit the unit of its progress
   * @param done the progress
   * @param total the units of the whole phase
   * @param message the last live figures
   */
  public record LoadState(
      int answered, String phase, String unit, long done, long total, String message) {}

  /** Why a request was refused. */
  public record Refused(String error) {}
}
