package org.mortydb.client.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.mortydb.client.engine.CompletionListener;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.telemetry.metrics.Labels;
import org.mortydb.telemetry.metrics.Metric;

/**
 * Metrics of one client, or of all clients of a process, in a Prometheus registry.
 *
 * <pre>{@code
 * ClientMetrics metrics = ClientMetrics.in(PrometheusRegistry.defaultRegistry);
 * MortyClient client = MortyClient.connect(cluster, metrics.observing(ClientOptions.inRegion("eu")));
 * }</pre>
 *
 * <p>Safe for use by several threads.
 */
public final class ClientMetrics implements CompletionListener, MachineObserver {
  private static final String COMMITTED = Labels.of(Completion.Committed.class);
  private static final String ABORTED = Labels.of(Completion.Aborted.class);
  private static final String UNKNOWN = Labels.of(Completion.Unknown.class);
  private static final double MICROS = 1e-6;

  private final Map<Completion.Path, CounterDataPoint> commits =
      new EnumMap<>(Completion.Path.class);
  private final Map<Completion.AbortReason, CounterDataPoint> aborts =
      new EnumMap<>(Completion.AbortReason.class);
  private final CounterDataPoint unknowns;
  private final CounterDataPoint reexecutions;
  private final CounterDataPoint prepares;
  private final CounterDataPoint revotes;
  private final CounterDataPoint slowCommits;
  private final CounterDataPoint slowAborts;
  private final DistributionDataPoint transactionSeconds;
  private final DistributionDataPoint commitSeconds;
  private final DistributionDataPoint committedSeconds;
  private final DistributionDataPoint abortedSeconds;
  private final DistributionDataPoint unknownSeconds;
  private final DistributionDataPoint admissionSeconds;
  private final LongAdder admitted = new LongAdder();
  private final LongAdder waiting = new LongAdder();

  private ClientMetrics(PrometheusRegistry registry) {
    Counter attempts = Metric.CLIENT_ATTEMPTS.counter(registry);
    for (Completion.Path path : Completion.Path.values()) {
      commits.put(path, attempts.labelValues(COMMITTED, Labels.of(path)));
    }
    for (Completion.AbortReason reason : Completion.AbortReason.values()) {
      aborts.put(reason, attempts.labelValues(ABORTED, Labels.of(reason)));
    }
    unknowns = attempts.labelValues(UNKNOWN, Labels.NONE);
    reexecutions = Metric.CLIENT_REEXECUTIONS.counter(registry);
    prepares = Metric.CLIENT_PREPARES.counter(registry);
    revotes = Metric.CLIENT_REVOTES.counter(registry);
    Counter slow = Metric.CLIENT_SLOW_PATHS.counter(registry);
    slowCommits = slow.labelValues(Labels.of(Outcome.Commit.class));
    slowAborts = slow.labelValues(Labels.of(Outcome.Abort.class));
    transactionSeconds = Metric.CLIENT_TRANSACTION_SECONDS.histogram(registry);
    commitSeconds = Metric.CLIENT_COMMIT_SECONDS.histogram(registry);
    Histogram attemptSeconds = Metric.CLIENT_ATTEMPT_SECONDS.histogram(registry);
    committedSeconds = attemptSeconds.labelValues(COMMITTED);
    abortedSeconds = attemptSeconds.labelValues(ABORTED);
    unknownSeconds = attemptSeconds.labelValues(UNKNOWN);
    admissionSeconds = Metric.CLIENT_ADMISSION_SECONDS.histogram(registry);
    Metric.CLIENT_ADMISSION_LIMIT.gauge(registry, to -> to.call(admitted.sum()));
    Metric.CLIENT_ADMISSION_WAITING.gauge(registry, to -> to.call(waiting.sum()));
  }

  /**
   * Registers the metrics of clients.
   *
   * @throws IllegalArgumentException when the registry has these metrics already: share one {@code
   *     ClientMetrics} among the clients of a process
   */
  public static ClientMetrics in(PrometheusRegistry registry) {
    return new ClientMetrics(registry);
  }

  /** The same options for a client whose work is counted here. */
  public ClientOptions observing(ClientOptions options) {
    return options.withListener(this).withObserver(this);
  }

  @Override
  public void admissionChanged(int limitBy, int waitingBy) {
    admitted.add(limitBy);
    waiting.add(waitingBy);
  }

  @Override
  public void completed(CompletedAttempt attempt) {
    if (attempt.attempt() == 1) {
      admissionSeconds.observe(seconds(attempt.callMicros(), attempt.beginMicros()));
    }
    double seconds = seconds(attempt.beginMicros(), attempt.endMicros());
    switch (attempt.completion()) {
      case Completion.Committed committed -> {
        Objects.requireNonNull(commits.get(committed.path())).inc();
        committedSeconds.observe(seconds);
        transactionSeconds.observe(seconds(attempt.callMicros(), attempt.endMicros()));
        if (attempt.commitMicros() >= 0) {
          commitSeconds.observe(seconds(attempt.commitMicros(), attempt.endMicros()));
        }
      }
      case Completion.Aborted aborted -> {
        Objects.requireNonNull(aborts.get(aborted.reason())).inc();
        abortedSeconds.observe(seconds);
      }
      case Completion.Unknown unknown -> {
        unknowns.inc();
        unknownSeconds.observe(seconds);
      }
    }
  }

  /** The duration, 0 if the clock was set back meanwhile. */
  private static double seconds(long fromMicros, long toMicros) {
    return Math.max(0, toMicros - fromMicros) * MICROS;
  }

  @Override
  public void probed(Endpoint at, Probe probe, long nowMicros) {
    switch (probe) {
      case Probe.Reexecuted reexecuted -> reexecutions.inc();
      case Probe.Prepared prepared -> prepares.inc();
      case Probe.Revoted revoted -> revotes.inc();
      case Probe.Proposed proposed ->
          (proposed.outcome() instanceof Outcome.Commit ? slowCommits : slowAborts).inc();
      default -> {} // not counted, or of a replica
    }
  }
}
