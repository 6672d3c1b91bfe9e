package org.mortydb.metrics;

import static org.mortydb.metrics.Metric.Kind.COUNTER;
import static org.mortydb.metrics.Metric.Kind.GAUGE;
import static org.mortydb.metrics.Metric.Kind.HISTOGRAM;
import static org.mortydb.metrics.Metric.Kind.INFO;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.function.Consumer;

/**
 * Every metric that Morty's processes show, but for those of the JVM. {@code
 * docs/reference/metrics.md} is made of this; {@code morty_replica_}, {@code morty_server_}, {@code
 * morty_link_}, {@code morty_log_} and {@code morty_checkpoint_} are servers', {@code
 * morty_client_} are clients'.
 */
public enum Metric {
  // ---- replicas, as their machines tell -----------------------------------------------------
  REPLICA_MESSAGES(
      COUNTER,
      "morty_replica_messages",
      "messages",
      "Messages that the replicas here were given to handle.",
      "type"),
  REPLICA_READS(
      COUNTER,
      "morty_replica_reads",
      "reads",
      "Reads answered, and rows of scans, by whether the version's writer had committed"
          + " (settled) or not.",
      "version"),
  REPLICA_PUSHES(
      COUNTER,
      "morty_replica_pushes",
      "pushes",
      "Newer versions pushed to transactions that had read older ones: what re-executions begin"
          + " with."),
  REPLICA_VOTES(
      COUNTER,
      "morty_replica_votes",
      "votes",
      "Votes given: commit, commit_on_condition (that what was read commits; followed by what has"
          + " become of it), abandon (a later one may differ) or abandon_finally; and the rule that"
          + " failed.",
      "vote",
      "reason"),
  REPLICA_WAITS(
      COUNTER,
      "morty_replica_waits",
      "waits",
      "Votes put off, or given on condition, because something that was read is not decided yet."),
  REPLICA_WAIT_SECONDS(
      HISTOGRAM,
      "morty_replica_wait_seconds",
      "seconds",
      "How long such votes were put off, or stood on condition, until they were given."),
  REPLICA_OUTCOMES(
      COUNTER,
      "morty_replica_outcomes",
      "transactions",
      "Outcomes learnt: each transaction once at each replica of each of its partitions.",
      "outcome"),
  REPLICA_HOME_COMMITS(
      COUNTER,
      "morty_replica_home_commits",
      "transactions",
      "Commits learnt by replicas of the transaction's home partition: over all servers, each"
          + " commit 2f+1 times."),
  REPLICA_COMMIT_AGE_SECONDS(
      HISTOGRAM,
      "morty_replica_commit_age_seconds",
      "seconds",
      "Of those commits: from the transaction's timestamp (its client's clock when the attempt"
          + " began) to the moment at which the outcome was learnt here. Roughly the latency, as"
          + " far as the clocks agree."),
  REPLICA_REEXECUTIONS(
      COUNTER,
      "morty_replica_reexecutions",
      "executions",
      "Of those commits: executions before the one that committed; morty_client_reexecutions_total"
          + " also has those of attempts that aborted."),
  REPLICA_SLOW_PATHS(
      COUNTER,
      "morty_replica_slow_paths",
      "transactions",
      "Transactions with a Finalize (the slow path, or recovery), at replicas of their home"
          + " partition; each counted once at each of them. One minus the share of it in"
          + " morty_replica_home_commits_total is the share of the fast path while few abort."),
  REPLICA_RECOVERIES_STARTED(
      COUNTER,
      "morty_replica_recoveries_started",
      "attempts",
      "Attempts to recover transactions of silent coordinators."),
  REPLICA_RECOVERED(
      COUNTER,
      "morty_replica_recovered",
      "transactions",
      "Transactions that the replicas here decided by recovery."),
  REPLICA_TRUNCATIONS(
      COUNTER,
      "morty_replica_truncations",
      "watermarks",
      "Watermarks reached: what is below them was decided and can be forgotten."),
  REPLICA_JOINS(
      COUNTER,
      "morty_replica_joins",
      "joins",
      "Replicas that had forgotten what they promised, and have joined their partition again."),
  REPLICA_EVENTS(
      COUNTER,
      "morty_replica_events",
      "events",
      "Rare turns that the protocol took, by the names of Probe.Branch.",
      "event"),
  REPLICA_SERIALIZATION_WINDOW_SECONDS(
      HISTOGRAM,
      "morty_replica_serialization_window_seconds",
      "seconds",
      "Of commits that read and wrote a key: from the moment at which this replica chose the"
          + " version that was read to that at which the write was visible here."),
  REPLICA_VALIDITY_WINDOW_SECONDS(
      HISTOGRAM,
      "morty_replica_validity_window_seconds",
      "seconds",
      "Of commits that read a key: from the moment at which this replica chose the version that"
          + " was read to that at which it learnt the outcome."),
  REPLICA_WINDOWS_LOST(
      COUNTER,
      "morty_replica_windows_lost",
      "transactions",
      "Transactions whose windows were given up because too many were open."),

  // ---- replicas, as they stand --------------------------------------------------------------
  REPLICA_SERVING(
      GAUGE,
      "morty_replica_serving",
      "",
      "1 if the replica serves; 0 while it joins, and when it is stopped.",
      "partition"),
  REPLICA_STOPPED(
      GAUGE,
      "morty_replica_stopped",
      "",
      "1 if the replica was stopped because an invariant was broken, or storing failed.",
      "partition"),
  REPLICA_KEYS(
      GAUGE, "morty_replica_keys", "keys", "Keys with any state at the replica.", "partition"),
  REPLICA_TRANSACTIONS(
      GAUGE,
      "morty_replica_transactions",
      "transactions",
      "Transactions with a record at the replica, decided or not.",
      "partition"),
  REPLICA_WATERMARK_AGE_SECONDS(
      GAUGE,
      "morty_replica_watermark_age_seconds",
      "seconds",
      "How far the watermark is behind the clock; about server.replica.retention when all is well,"
          + " growing when a replica is missing. Absent before the first.",
      "partition"),
  REPLICA_FENCE_AGE_SECONDS(
      GAUGE,
      "morty_replica_fence_age_seconds",
      "seconds",
      "How far the fence, below which nothing is served, is behind the clock. Absent before the"
          + " first.",
      "partition"),
  REPLICA_HELD_MESSAGES(
      GAUGE,
      "morty_replica_held_messages",
      "messages",
      "Messages that wait until the log has kept what they rest on.",
      "partition"),

  // ---- servers ------------------------------------------------------------------------------
  SERVER_INFO(
      INFO,
      "morty_server",
      "",
      "1; which server this is.",
      "cluster",
      "server",
      "region",
      "system"),
  SERVER_READY(
      GAUGE, "morty_server_ready", "", "1 if /health/ready says so: all replicas here serve."),
  SERVER_DROPPED_MESSAGES(
      COUNTER,
      "morty_server_dropped_messages",
      "messages",
      "Messages not handled or not sent: wrong_partition, not_authorized, unreachable (no link),"
          + " handover_full (an event loop too far behind), stopped (for a stopped replica),"
          + " log_congested (the disk too slow).",
      "reason"),
  SERVER_LOOP_PENDING_TASKS(
      GAUGE,
      "morty_server_loop_pending_tasks",
      "tasks",
      "Tasks that wait in an event loop's queue.",
      "loop"),
  SERVER_LOOP_HANDOVER_MESSAGES(
      GAUGE,
      "morty_server_loop_handover_messages",
      "messages",
      "Messages from other event loops of the server that wait for this one.",
      "loop"),
  SERVER_LOOP_LAG_SECONDS(
      GAUGE,
      "morty_server_loop_lag_seconds",
      "seconds",
      "How much later than it was due an event loop did the last of its regular tasks: how long"
          + " its turns take.",
      "loop"),
  SERVER_CLIENTS(GAUGE, "morty_server_clients", "links", "Clients that are connected."),

  // ---- links --------------------------------------------------------------------------------
  LINK_UP(
      GAUGE,
      "morty_link_up",
      "",
      "1 if the link to another server is up, 0 if it is not.",
      "peer",
      "region"),
  LINK_ROUND_TRIP_SECONDS(
      GAUGE,
      "morty_link_round_trip_seconds",
      "seconds",
      "The last round trip to another server's event loop, measured twice a second, with what"
          + " waited before it. Absent while the link is down.",
      "peer",
      "region"),
  LINK_WAITING_BYTES(
      GAUGE,
      "morty_link_waiting_bytes",
      "bytes",
      "What waits to be sent to another server, what an emulated delay holds back included.",
      "peer",
      "region"),
  LINK_MESSAGES(
      COUNTER,
      "morty_link_messages",
      "messages",
      "Messages received (in) and sent (out), by server; peer \"clients\" for all clients.",
      "peer",
      "direction"),
  LINK_BYTES(
      COUNTER,
      "morty_link_bytes",
      "bytes",
      "Bytes received (in) and sent (out), by server; peer \"clients\" for all clients.",
      "peer",
      "direction"),

  // ---- storage ------------------------------------------------------------------------------
  LOG_RECORDS(COUNTER, "morty_log_records", "records", "Records written to the log."),
  LOG_BYTES(COUNTER, "morty_log_bytes", "bytes", "Bytes written to the log, its headers included."),
  LOG_BATCHES(
      COUNTER,
      "morty_log_batches",
      "batches",
      "Writes to the log; records over batches is how many share one."),
  LOG_FORCE_SECONDS(
      HISTOGRAM,
      "morty_log_force_seconds",
      "seconds",
      "How long the medium was waited for, each time; the count is the number of forces."),
  LOG_HOLD_SECONDS(
      HISTOGRAM,
      "morty_log_hold_seconds",
      "seconds",
      "How long messages waited until the log had kept what they rest on."),
  LOG_PENDING_BYTES(
      GAUGE, "morty_log_pending_bytes", "bytes", "Bytes appended and not written yet."),
  LOG_FAILED(
      GAUGE, "morty_log_failed", "", "1 if writing the log has failed: the server cannot go on."),
  CHECKPOINT_SECONDS(
      HISTOGRAM,
      "morty_checkpoint_seconds",
      "seconds",
      "How long checkpoints took; the count is the number of them, by whether they came to an end"
          + " (complete) or not (failed).",
      "result"),
  CHECKPOINT_BYTES(
      GAUGE, "morty_checkpoint_bytes", "bytes", "The length of the last complete checkpoint."),
  CHECKPOINT_LOG_BYTES(
      GAUGE,
      "morty_checkpoint_log_bytes",
      "bytes",
      "How much of the log a restart would replay: what was appended since the position of the"
          + " last checkpoint."),

  // ---- clients ------------------------------------------------------------------------------
  CLIENT_ATTEMPTS(
      COUNTER,
      "morty_client_attempts",
      "attempts",
      "Attempts at transactions that ended: committed (reason: the path fast, slow or learnt),"
          + " aborted (reason: why) or unknown. Committed ones are the committed transactions.",
      "outcome",
      "reason"),
  CLIENT_REEXECUTIONS(
      COUNTER,
      "morty_client_reexecutions",
      "re-executions",
      "How often attempts ran in part again because a newer version had come for a read."),
  CLIENT_PREPARES(
      COUNTER,
      "morty_client_prepares",
      "executions",
      "Executions whose Prepares were sent, to all their participants."),
  CLIENT_REVOTES(
      COUNTER,
      "morty_client_revotes",
      "executions",
      "Executions prepared a second time as they were, after a vote that might have changed."),
  CLIENT_SLOW_PATHS(
      COUNTER,
      "morty_client_slow_paths",
      "transactions",
      "Outcomes proposed on the slow path.",
      "outcome"),
  CLIENT_TRANSACTION_SECONDS(
      HISTOGRAM,
      "morty_client_transaction_seconds",
      "seconds",
      "Of committed transactions: from the application's call to the outcome, earlier attempts and"
          + " waits between them included."),
  CLIENT_ATTEMPT_SECONDS(
      HISTOGRAM,
      "morty_client_attempt_seconds",
      "seconds",
      "How long attempts took, from their begin to their end.",
      "outcome"),
  CLIENT_COMMIT_SECONDS(
      HISTOGRAM,
      "morty_client_commit_seconds",
      "seconds",
      "Of committed attempts: from the first request to commit to the outcome, re-executions after"
          + " it included.");

  /** What a metric is. */
  public enum Kind {
    /** Only grows; its name ends in {@code _total}. */
    COUNTER,
    /** A value as of now. */
    GAUGE,
    /** Always 1; its labels say what is so. Its name ends in {@code _info}. */
    INFO,
    /** Counts in buckets, with count and sum; rates of them give quantiles. */
    HISTOGRAM
  }

  /** From 0.1 ms to 10 s, three to the decade: round trips of the world and forces of a disk. */
  private static final double[] SECONDS = {
    0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10
  };

  private final Kind kind;
  private final String base;
  private final String unit;
  private final String meaning;
  private final List<String> labels;

  Metric(Kind kind, String base, String unit, String meaning, String... labels) {
    this.kind = kind;
    this.base = base;
    this.unit = unit;
    this.meaning = meaning;
    this.labels = List.of(labels);
  }

  /** What it is. */
  public Kind kind() {
    return kind;
  }

  /** Its name as Prometheus stores it; of a histogram, the name before {@code _bucket}. */
  public String exposedName() {
    return switch (kind) {
      case COUNTER -> base + "_total";
      case INFO -> base + "_info";
      case GAUGE, HISTOGRAM -> base;
    };
  }

  /** What it counts or measures; empty for those that are 0 or 1. */
  public String unit() {
    return unit;
  }

  /** One sentence or two. */
  public String meaning() {
    return meaning;
  }

  /** The names of its labels. */
  public List<String> labels() {
    return labels;
  }

  /** Registers a counter. */
  public Counter counter(PrometheusRegistry registry) {
    require(COUNTER);
    return Counter.builder().name(base).help(meaning).labelNames(labelNames()).register(registry);
  }

  /** Registers a histogram of seconds. */
  public Histogram histogram(PrometheusRegistry registry) {
    require(HISTOGRAM);
    return Histogram.builder()
        .name(base)
        .help(meaning)
        .labelNames(labelNames())
        .classicOnly()
        .classicUpperBounds(SECONDS)
        .register(registry);
  }

  /** Registers a counter that is asked for when it is read, by any thread. */
  public void counter(
      PrometheusRegistry registry, Consumer<CounterWithCallback.Callback> callback) {
    require(COUNTER);
    CounterWithCallback.builder()
        .name(base)
        .help(meaning)
        .labelNames(labelNames())
        .callback(callback)
        .register(registry);
  }

  /** Registers a gauge that is asked for when it is read, by any thread. */
  public void gauge(PrometheusRegistry registry, Consumer<GaugeWithCallback.Callback> callback) {
    require(GAUGE);
    GaugeWithCallback.builder()
        .name(base)
        .help(meaning)
        .labelNames(labelNames())
        .callback(callback)
        .register(registry);
  }

  /** Registers something that is so. */
  public void info(PrometheusRegistry registry, String... values) {
    require(INFO);
    Info.builder()
        .name(base)
        .help(meaning)
        .labelNames(labelNames())
        .register(registry)
        .addLabelValues(values);
  }

  private String[] labelNames() {
    return labels.toArray(String[]::new);
  }

  private void require(Kind wanted) {
    if (kind != wanted) {
      throw new IllegalArgumentException(base + " is a " + kind + ", no " + wanted);
    }
  }
}
