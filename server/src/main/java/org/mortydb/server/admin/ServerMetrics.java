package org.mortydb.server.admin;

import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.mortydb.server.status.LoopStatus;
import org.mortydb.server.status.PauseStatus;
import org.mortydb.server.status.PeerStatus;
import org.mortydb.server.status.ReplicaStatus;
import org.mortydb.server.status.ServerStatus;
import org.mortydb.server.status.StorageObserver;
import org.mortydb.server.status.StorageStatus;
import org.mortydb.server.status.Warning;
import org.mortydb.telemetry.metrics.Metric;
import org.mortydb.telemetry.pauses.Pause;
import org.mortydb.transport.LinkTraffic;

/** The metrics of a server's status and storage. */
final class ServerMetrics implements StorageObserver {
  private static final double NANOS = 1e-9;
  private static final double MICROS = 1e-6;

  private final PrometheusRegistry registry;
  private final DistributionDataPoint forces;
  private final DistributionDataPoint holds;
  private final Histogram checkpoints;
  private final Histogram pauses;

  ServerMetrics(PrometheusRegistry registry) {
    this.registry = registry;
    forces = Metric.LOG_FORCE_SECONDS.histogram(registry);
    holds = Metric.LOG_HOLD_SECONDS.histogram(registry);
    checkpoints = Metric.CHECKPOINT_SECONDS.histogram(registry);
    checkpoints.initLabelValues("complete");
    checkpoints.initLabelValues("failed");
    pauses = Metric.SERVER_PAUSE_SECONDS.histogram(registry);
    for (Pause.Kind kind : Pause.Kind.values()) {
      pauses.initLabelValues(kind.code());
    }
  }

  @Override
  public void forced(long nanos) {
    forces.observe(nanos * NANOS);
  }

  @Override
  public void held(long nanos) {
    holds.observe(nanos * NANOS);
  }

  @Override
  public void checkpointed(boolean complete, long nanos) {
    checkpoints.labelValues(complete ? "complete" : "failed").observe(nanos * NANOS);
  }

  /** Counts a pause of the server. */
  void paused(Pause pause) {
    pauses.labelValues(pause.kind().code()).observe(pause.micros() * MICROS);
  }

  /** Registers the metrics of a status; each scrape asks for the status. */
  void show(Supplier<ServerStatus> status) {
    ServerStatus first = status.get();
    Metric.SERVER_INFO.info(
        registry, first.cluster(), first.server(), first.region(), first.system());
    Metric.SERVER_READY.gauge(registry, to -> to.call(Health.of(status.get()).ready() ? 1 : 0));
    Metric.SERVER_WARNINGS.gauge(
        registry,
        to -> {
          List<Warning> warnings = Warning.of(status.get());
          for (Warning.Kind kind : Warning.Kind.values()) {
            to.call(warnings.stream().filter(one -> one.kind() == kind).count(), kind.code());
          }
        });
    Metric.SERVER_CLIENTS.gauge(registry, to -> to.call(status.get().clients()));
    Metric.SERVER_DROPPED_MESSAGES.counter(
        registry, to -> status.get().dropped().forEach((reason, count) -> to.call(count, reason)));
    Metric.SERVER_LONGEST_PAUSE_SECONDS.gauge(
        registry,
        to -> {
          PauseStatus now = status.get().pauses();
          to.call(now.collections().latestLongestMicros() * MICROS, Pause.Kind.COLLECTION.code());
          to.call(now.stalls().latestLongestMicros() * MICROS, Pause.Kind.STALL.code());
        });
    showReplicas(status);
    showLoops(status);
    showLinks(status);
    showStorage(status);
  }

  // ---- replicas -----------------------------------------------------------------------------

  private void showReplicas(Supplier<ServerStatus> status) {
    Metric.REPLICA_RECOVERED.counter(
        registry,
        to ->
            to.call(
                (double)
                    status.get().replicas().stream().mapToLong(ReplicaStatus::recovered).sum()));
    Metric.REPLICA_REFUSED_FENCES.counter(
        registry,
        to ->
            status
                .get()
                .replicas()
                .forEach(one -> to.call((double) one.refusedFences(), partition(one))));
    replicaGauge(Metric.REPLICA_COPIED, status, one -> one.copied() < 0 ? 1 : one.copied());
    replicaGauge(Metric.REPLICA_SERVING, status, one -> one.serving() && !one.stopped() ? 1 : 0);
    replicaGauge(Metric.REPLICA_STOPPED, status, one -> one.stopped() ? 1 : 0);
    replicaGauge(Metric.REPLICA_KEYS, status, ReplicaStatus::keys);
    replicaGauge(Metric.REPLICA_TRANSACTIONS, status, ReplicaStatus::transactions);
    replicaGauge(Metric.REPLICA_HELD_MESSAGES, status, ReplicaStatus::heldMessages);
    ageGauge(Metric.REPLICA_WATERMARK_AGE_SECONDS, status, ReplicaStatus::watermarkMicros);
    ageGauge(Metric.REPLICA_FENCE_AGE_SECONDS, status, ReplicaStatus::fenceMicros);
  }

  private void replicaGauge(
      Metric metric, Supplier<ServerStatus> status, ToDoubleFunction<ReplicaStatus> value) {
    metric.gauge(
        registry,
        to ->
            status
                .get()
                .replicas()
                .forEach(one -> to.call(value.applyAsDouble(one), partition(one))));
  }

  /** Registers how far a time of each replica is behind the clock; nothing without a time. */
  private void ageGauge(
      Metric metric, Supplier<ServerStatus> status, ToDoubleFunction<ReplicaStatus> micros) {
    metric.gauge(
        registry,
        to -> {
          ServerStatus now = status.get();
          for (ReplicaStatus one : now.replicas()) {
            double atMicros = micros.applyAsDouble(one);
            if (atMicros > 0) {
              to.call((now.nowMicros() - atMicros) * MICROS, partition(one));
            }
          }
        });
  }

  private static String partition(ReplicaStatus one) {
    return Integer.toString(one.replica().partition());
  }

  // ---- event loops and links ----------------------------------------------------------------

  private void showLoops(Supplier<ServerStatus> status) {
    loopGauge(Metric.SERVER_LOOP_PENDING_TASKS, status, LoopStatus::pendingTasks);
    loopGauge(Metric.SERVER_LOOP_HANDOVER_MESSAGES, status, LoopStatus::handoverMessages);
    loopGauge(Metric.SERVER_LOOP_LAG_SECONDS, status, loop -> loop.lagMicros() * MICROS);
  }

  private void loopGauge(
      Metric metric, Supplier<ServerStatus> status, ToDoubleFunction<LoopStatus> value) {
    metric.gauge(
        registry,
        to -> {
          List<LoopStatus> loops = status.get().loops();
          for (int i = 0; i < loops.size(); i++) {
            to.call(value.applyAsDouble(loops.get(i)), Integer.toString(i));
          }
        });
  }

  private void showLinks(Supplier<ServerStatus> status) {
    Metric.LINK_UP.gauge(
        registry,
        to -> peers(status, one -> to.call(one.up() ? 1 : 0, one.server(), one.region())));
    Metric.LINK_BREAKS.counter(
        registry,
        to -> peers(status, one -> to.call((double) one.breaks(), one.server(), one.region())));
    measured(Metric.LINK_ROUND_TRIP_SECONDS, status, PeerStatus::roundTripMicros);
    measured(Metric.LINK_CLOCK_AHEAD_SECONDS, status, PeerStatus::clockAheadMicros);
    Metric.LINK_WAITING_BYTES.gauge(
        registry,
        to ->
            peers(
                status,
                one ->
                    to.call(
                        (double) (one.up() ? one.waitingBytes() : 0), one.server(), one.region())));
    traffic(Metric.LINK_MESSAGES, status, LinkTraffic::messagesIn, LinkTraffic::messagesOut);
    traffic(Metric.LINK_BYTES, status, LinkTraffic::bytesIn, LinkTraffic::bytesOut);
  }

  /** Registers what each round trip measures; nothing while the link is down. */
  private void measured(
      Metric metric, Supplier<ServerStatus> status, ToDoubleFunction<PeerStatus> micros) {
    metric.gauge(
        registry,
        to ->
            peers(
                status,
                one -> {
                  if (one.up() && one.roundTripMicros() > 0) {
                    to.call(micros.applyAsDouble(one) * MICROS, one.server(), one.region());
                  }
                }));
  }

  private static void peers(Supplier<ServerStatus> status, Consumer<PeerStatus> to) {
    status.get().peers().forEach(to);
  }

  private void traffic(
      Metric metric,
      Supplier<ServerStatus> status,
      ToDoubleFunction<LinkTraffic> in,
      ToDoubleFunction<LinkTraffic> out) {
    metric.counter(
        registry,
        to -> {
          ServerStatus now = status.get();
          for (PeerStatus one : now.peers()) {
            to.call(in.applyAsDouble(one.traffic()), one.server(), "in");
            to.call(out.applyAsDouble(one.traffic()), one.server(), "out");
          }
          to.call(in.applyAsDouble(now.clientTraffic()), "clients", "in");
          to.call(out.applyAsDouble(now.clientTraffic()), "clients", "out");
        });
  }

  // ---- storage ------------------------------------------------------------------------------

  private void showStorage(Supplier<ServerStatus> status) {
    logCounter(Metric.LOG_RECORDS, status, storage -> storage.log().records());
    logCounter(Metric.LOG_BYTES, status, storage -> storage.log().bytes());
    logCounter(Metric.LOG_BATCHES, status, storage -> storage.log().batches());
    logGauge(Metric.LOG_PENDING_BYTES, status, StorageStatus::pendingBytes);
    logGauge(Metric.LOG_FAILED, status, storage -> storage.failure().isEmpty() ? 0 : 1);
    logGauge(Metric.CHECKPOINT_BYTES, status, StorageStatus::checkpointBytes);
    logGauge(Metric.CHECKPOINT_LOG_BYTES, status, StorageStatus::sinceCheckpointBytes);
  }

  private void logCounter(
      Metric metric, Supplier<ServerStatus> status, ToDoubleFunction<StorageStatus> value) {
    metric.counter(
        registry,
        to -> {
          StorageStatus storage = status.get().storage();
          if (storage != null) {
            to.call(value.applyAsDouble(storage));
          }
        });
  }

  private void logGauge(
      Metric metric, Supplier<ServerStatus> status, ToDoubleFunction<StorageStatus> value) {
    metric.gauge(
        registry,
        to -> {
          StorageStatus storage = status.get().storage();
          if (storage != null) {
            to.call(value.applyAsDouble(storage));
          }
        });
  }
}
