package org.mortydb.telemetry.metrics;

import static org.mortydb.telemetry.metrics.Metric.Kind.COUNTER;
import static org.mortydb.telemetry.metrics.Metric.Kind.GAUGE;
import static org.mortydb.telemetry.metrics.Metric.Kind.HISTOGRAM;
import static org.mortydb.telemetry.metrics.Metric.Kind.INFO;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.function.Consumer;

/**
 * Every metric that Morty's processes expose, except those of the JVM. {@code
 * docs/reference/metrics.md} lists the same. Servers expose {@code morty_replica_}, {@code
 * morty_server_}, {@code morty_link_}, {@code morty_log_} and {@code morty_checkpoint_}; clients
 * expose {@code morty_client_}.
 */
public enum Metric {
  // ---- replicas: events ---------------------------------------------------------------------
  REPLICA_MESSAGES(
      COUNTER,
      "morty_replica_messages",
      "messages",
      "Messages that the replicas on this server were given to handle.",
      "type"),
  REPLICA_READS(
      COUNTER,
      "morty_replica_reads",
      "reads",
      "Reads and scanned rows answered; the label says whether the version's writer had"
          + " committed (settled) or not.",
      "version"),
  REPLICA_PUSHES(
      COUNTER,
      "morty_replica_pushes",
      "pushes",
      "Newer versions pushed to transactions that had read older ones. Each push can"
          + " start a re-execution."),
  REPLICA_VOTES(
      COUNTER,
      "morty_replica_votes",
      "votes",
      "Votes given: commit, commit_on_condition (if what was read commits; counted again"
          + " when that is decided), abandon (a later vote may differ) or abandon_finally; and"
          + " the rule that failed.",
      "vote",
      "reason"),
  REPLICA_WAITS(
      COUNTER,
      "morty_replica_waits",
      "waits",
      "Votes postponed, or given on condition, because something that was read is not"
          + " decided yet."),
  REPLICA_WAIT_SECONDS(
      HISTOGRAM,
      "morty_replica_wait_seconds",
      "seconds",
      "How long such votes were postponed or conditional."),
  REPLICA_OUTCOMES(
      COUNTER,
      "morty_replica_outcomes",
      "transactions",
      "Outcomes learned. Each transaction counts once at each replica of each of its partitions.",
      "outcome"),
  REPLICA_HOME_COMMITS(
      COUNTER,
      "morty_replica_home_commits",
      "transactions",
      "Commits learned by replicas of the transaction's home partition. Over all servers,"
          + " each commit counts 2f+1 times."),
  REPLICA_COMMIT_AGE_SECONDS(
      HISTOGRAM,
      "morty_replica_commit_age_seconds",
      "seconds",
      "For these commits, the time from the transaction's timestamp (its client's clock"
          + " when the attempt began) until the replica learned the outcome. Approximates the"
          + " latency, as far as the clocks agree."),
  REPLICA_REEXECUTIONS(
      COUNTER,
      "morty_replica_reexecutions",
      "executions",
      "For these commits, the executions before the one that committed."
          + " morty_client_reexecutions_total also counts those of aborted attempts."),
  REPLICA_SLOW_PATHS(
      COUNTER,
      "morty_replica_slow_paths",
      "transactions",
      "Transactions with a Finalize (slow path or recovery), counted once at each replica"
          + " of their home partition. While few transactions abort, one minus this divided by"
          + " morty_replica_home_commits_total is the fraction on the fast path."),
  REPLICA_RECOVERIES_STARTED(
      COUNTER,
      "morty_replica_recoveries_started",
      "attempts",
      "Attempts to recover transactions whose coordinators are silent."),
  REPLICA_RECOVERED(
      COUNTER,
      "morty_replica_recovered",
      "transactions",
      "Transactions that the replicas on this server decided by recovery."),
  REPLICA_TRUNCATIONS(
      COUNTER,
      "morty_replica_truncations",
      "watermarks",
      "Watermarks reached. Everything below a watermark is decided and can be discarded."),
  REPLICA_JOINS(
      COUNTER,
      "morty_replica_joins",
      "joins",
      "Replicas that had lost their data and have rejoined their partition."),
  REPLICA_EVENTS(
      COUNTER,
      "morty_replica_events",
      "events",
      "Rare branches that the protocol took, by the names of Probe.Branch.",
      "event"),
  REPLICA_SERIALIZATION_WINDOW_SECONDS(
      HISTOGRAM,
      "morty_replica_serialization_window_seconds",
      "seconds",
      "For commits that read and wrote a key, the time from when this replica chose the"
          + " version read until the write was visible here."),
  REPLICA_VALIDITY_WINDOW_SECONDS(
      HISTOGRAM,
      "morty_replica_validity_window_seconds",
      "seconds",
      "For commits that read a key, the time from when this replica chose the version"
          + " read until it learned the outcome."),
  REPLICA_WINDOWS_LOST(
      COUNTER,
      "morty_replica_windows_lost",
      "transactions",
      "Transactions whose windows were discarded because too many were open."),

  // ---- replicas: state ----------------------------------------------------------------------
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
      "1 if the replica stopped because an invariant was violated or storage failed.",
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
      "How far the watermark is behind the clock. Normally about"
          + " server.replica.retention; it grows while fewer than f+1 replicas answer, or a"
          + " transaction stays undecided. Absent before the first watermark.",
      "partition"),
  REPLICA_FENCE_AGE_SECONDS(
      GAUGE,
      "morty_replica_fence_age_seconds",
      "seconds",
      "How far the fence, below which the replica serves nothing, is behind the clock."
          + " Absent before the first fence.",
      "partition"),
  REPLICA_REFUSED_FENCES(
      COUNTER,
      "morty_replica_refused_fences",
      "fences",
      "Fences and watermarks of other replicas that this replica refused because they do not fit"
          + " its clock: the clock of one of the servers is wrong.",
      "partition"),
  REPLICA_COPIED(
      GAUGE,
      "morty_replica_copied",
      "1",
      "How much of a peer's versions a replica has copied that joins or catches up, from 0 to 1."
          + " 1 if it copies nothing.",
      "partition"),
  REPLICA_HELD_MESSAGES(
      GAUGE,
      "morty_replica_held_messages",
      "messages",
      "Messages that wait until the log has stored what they depend on.",
      "partition"),

  // ---- servers ------------------------------------------------------------------------------
  SERVER_INFO(
      INFO,
      "morty_server",
      "",
      "Always 1; the labels identify the server.",
      "cluster",
      "server",
      "region",
      "system"),
  SERVER_READY(
      GAUGE,
      "morty_server_ready",
      "",
      "1 if /health/ready answers 200: all replicas on this server serve, and none copies a"
          + " peer."),
  SERVER_WARNINGS(
      GAUGE,
      "morty_server_warnings",
      "warnings",
      "What to mend although the server may be ready: doubt (its last votes may be lost), watermark"
          + " (one stands still), fence (replicas refuse transactions, because clocks were ahead),"
          + " copy (a replica copies a peer), link (one is down or breaks again and again), clock"
          + " (one differs by more than server.replica.allowed-skew), pause (the server stands"
          + " still too often). 'morty status' shows the texts.",
      "warning"),
  SERVER_DROPPED_MESSAGES(
      COUNTER,
      "morty_server_dropped_messages",
      "messages",
      "Messages not handled or not sent: wrong_partition, not_authorized, unreachable (no"
          + " link), handover_full (an event loop too far behind), stopped (for a stopped"
          + " replica), log_congested (the disk is too slow),"
          + " contradiction (a client announced an outcome that cannot be true).",
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
      "How late the event loop ran the last of its periodic tasks. Shows how long its"
          + " turns take.",
      "loop"),
  SERVER_PAUSE_SECONDS(
      HISTOGRAM,
      "morty_server_pause_seconds",
      "seconds",
      "How long the server stood still: collection (the collector stopped the JVM, which reports"
          + " it to the millisecond) or stall (an event loop ran its timer late by 2 ms or more,"
          + " for any reason, collections included; each loop counts for itself).",
      "kind"),
  SERVER_LONGEST_PAUSE_SECONDS(
      GAUGE,
      "morty_server_longest_pause_seconds",
      "seconds",
      "The longest pause of the last minute.",
      "kind"),
  SERVER_CLIENTS(GAUGE, "morty_server_clients", "links", "Connected clients."),

  // ---- links --------------------------------------------------------------------------------
  LINK_UP(
      GAUGE,
      "morty_link_up",
      "",
      "1 if the link to the other server is up, 0 if it is down.",
      "peer",
      "region"),
  LINK_ROUND_TRIP_SECONDS(
      GAUGE,
      "morty_link_round_trip_seconds",
      "seconds",
      "The last round trip to the other server's event loop, including queueing; measured"
          + " twice a second. Absent while the link is down.",
      "peer",
      "region"),
  LINK_CLOCK_AHEAD_SECONDS(
      GAUGE,
      "morty_link_clock_ahead_seconds",
      "seconds",
      "How far the clock of the other server is ahead of this server's, with an error of at most"
          + " half the round trip. Absent while the link is down.",
      "peer",
      "region"),
  LINK_BREAKS(
      COUNTER,
      "morty_link_breaks",
      "links",
      "Links to the other server that broke, unless this server closed them.",
      "peer",
      "region"),
  LINK_WAITING_BYTES(
      GAUGE,
      "morty_link_waiting_bytes",
      "bytes",
      "Bytes that wait to be sent to the other server, including those held by an"
          + " emulated delay.",
      "peer",
      "region"),
  LINK_MESSAGES(
      COUNTER,
      "morty_link_messages",
      "messages",
      "Messages received (in) and sent (out), by server; all clients count as the peer"
          + " \"clients\".",
      "peer",
      "direction"),
  LINK_BYTES(
      COUNTER,
      "morty_link_bytes",
      "bytes",
      "Bytes received (in) and sent (out), by server; all clients count as the peer \"clients\".",
      "peer",
      "direction"),

  // ---- storage ------------------------------------------------------------------------------
  LOG_RECORDS(COUNTER, "morty_log_records", "records", "Records written to the log."),
  LOG_BYTES(
      COUNTER, "morty_log_bytes", "bytes", "Bytes written to the log, including its headers."),
  LOG_BATCHES(
      COUNTER,
      "morty_log_batches",
      "batches",
      "Writes to the log. Records divided by batches is the mean batch size."),
  LOG_FORCE_SECONDS(
      HISTOGRAM,
      "morty_log_force_seconds",
      "seconds",
      "How long each force of the log to the disk took; the count is the number of forces."),
  LOG_HOLD_SECONDS(
      HISTOGRAM,
      "morty_log_hold_seconds",
      "seconds",
      "How long messages waited until the log had stored what they depend on."),
  LOG_PENDING_BYTES(
      GAUGE, "morty_log_pending_bytes", "bytes", "Bytes appended to the log but not written yet."),
  LOG_FAILED(
      GAUGE,
      "morty_log_failed",
      "",
      "1 if a write to the log has failed; the server cannot continue."),
  CHECKPOINT_SECONDS(
      HISTOGRAM,
      "morty_checkpoint_seconds",
      "seconds",
      "How long checkpoints took, complete or failed; the count is the number of checkpoints.",
      "result"),
  CHECKPOINT_BYTES(
      GAUGE, "morty_checkpoint_bytes", "bytes", "The size of the last complete checkpoint."),
  CHECKPOINT_LOG_BYTES(
      GAUGE,
      "morty_checkpoint_log_bytes",
      "bytes",
      "How much of the log a restart would replay: what was appended since the position"
          + " of the last checkpoint."),

  // ---- clients ------------------------------------------------------------------------------
  CLIENT_ATTEMPTS(
      COUNTER,
      "morty_client_attempts",
      "attempts",
      "Attempts that ended: committed (reason: the path read_only, fast, slow, learnt, async, past or"
          + " local), aborted (reason: why) or unknown. The committed attempts are the committed"
          + " transactions.",
      "outcome",
      "reason"),
  CLIENT_REEXECUTIONS(
      COUNTER,
      "morty_client_reexecutions",
      "re-executions",
      "Partial re-executions of attempts, each because a newer version of something read"
          + " had arrived."),
  CLIENT_PREPARES(
      COUNTER,
      "morty_client_prepares",
      "executions",
      "Executions whose Prepares were sent to all their participants."),
  CLIENT_REVOTES(
      COUNTER,
      "morty_client_revotes",
      "executions",
      "Executions prepared a second time unchanged, because a vote might have changed."),
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
      "For committed transactions, the time from the application's call to the outcome,"
          + " including earlier attempts and the waits between them."),
  CLIENT_ATTEMPT_SECONDS(
      HISTOGRAM,
      "morty_client_attempt_seconds",
      "seconds",
      "How long attempts took, from begin to end.",
      "outcome"),
  CLIENT_COMMIT_SECONDS(
      HISTOGRAM,
      "morty_client_commit_seconds",
      "seconds",
      "For committed attempts, the time from the first request to commit to the outcome,"
          + " including later re-executions."),
  CLIENT_ADMISSION_LIMIT(
      GAUGE,
      "morty_client_admission_limit",
      "transactions",
      "How many transactions may be in flight, over all engines. The setting client.admission"
          + " says whether it follows the latency of commits."),
  CLIENT_ADMISSION_WAITING(
      GAUGE,
      "morty_client_admission_waiting",
      "transactions",
      "Transactions that wait to be admitted."),
  CLIENT_ADMISSION_SECONDS(
      HISTOGRAM,
      "morty_client_admission_seconds",
      "seconds",
      "For each transaction whose first attempt has ended, how long it waited to be admitted.");

  /** The type of a metric. */
  public enum Kind {
    /** A total that only grows. Its name ends in {@code _total}. */
    COUNTER,
    /** The current value. */
    GAUGE,
    /** Always 1; its labels hold the information. Its name ends in {@code _info}. */
    INFO,
    /** Counts in buckets, with count and sum. */
    HISTOGRAM
  }

  /** From 0.1 ms to 10 s, three per decade: covers wide-area round trips and disk forces. */
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

  /** Its type. */
  public Kind kind() {
    return kind;
  }

  /** Its name as Prometheus stores it; for a histogram, the name before {@code _bucket}. */
  public String exposedName() {
    return switch (kind) {
      case COUNTER -> base + "_total";
      case INFO -> base + "_info";
      case GAUGE, HISTOGRAM -> base;
    };
  }

  /** The unit; empty for metrics that are 0 or 1. */
  public String unit() {
    return unit;
  }

  /** What it measures, in one or two sentences. */
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

  /** Registers a counter whose value {@code callback} supplies on each read, on any thread. */
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

  /** Registers a gauge whose value {@code callback} supplies on each read, on any thread. */
  public void gauge(PrometheusRegistry registry, Consumer<GaugeWithCallback.Callback> callback) {
    require(GAUGE);
    GaugeWithCallback.builder()
        .name(base)
        .help(meaning)
        .labelNames(labelNames())
        .callback(callback)
        .register(registry);
  }

  /** Registers an info metric with these label values. */
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
      throw new IllegalArgumentException(base + " is a " + kind + ", not a " + wanted);
    }
  }
}
