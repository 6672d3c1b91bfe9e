package org.mortydb.telemetry.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Vote;

/** Counts the actions of the replicas of a process. */
public final class ReplicaMetrics implements MachineObserver {
  /** How many recent transactions with a Finalize are remembered, so that each is counted once. */
  private static final int KNOWN_SLOW = 4096;

  private static final double MICROS = 1e-6;

  private final CounterDataPoint readsSettled;
  private final CounterDataPoint readsUnsettled;
  private final CounterDataPoint pushes;
  private final CounterDataPoint commitVotes;
  private final CounterDataPoint conditionalVotes;
  private final Map<Vote.Reason, CounterDataPoint> abandons = new EnumMap<>(Vote.Reason.class);
  private final Map<Vote.Reason, CounterDataPoint> finalAbandons = new EnumMap<>(Vote.Reason.class);
  private final CounterDataPoint waits;
  private final CounterDataPoint commits;
  private final CounterDataPoint aborts;
  private final CounterDataPoint homeCommits;
  private final DistributionDataPoint commitAge;
  private final CounterDataPoint reexecutions;
  private final CounterDataPoint slowPaths;
  private final CounterDataPoint recoveriesStarted;
  private final CounterDataPoint truncations;
  private final CounterDataPoint joins;
  private final Map<Probe.Branch, CounterDataPoint> events = new EnumMap<>(Probe.Branch.class);
  private final ClassValue<CounterDataPoint> messages;
  private final DistributionDataPoint serialization;
  private final DistributionDataPoint validity;
  private final DistributionDataPoint wait;
  private final CounterDataPoint windowsLost;
  private final WindowListener listener;
  private final ConcurrentHashMap<Endpoint, OfReplica> replicas = new ConcurrentHashMap<>();

  /** The state of one replica, for its thread only. */
  private static final class OfReplica {
    private final ReplicaWindows windows;
    private final Set<TxnId> slow = new LinkedHashSet<>();

    OfReplica(ReplicaWindows windows) {
      this.windows = windows;
    }

    /** Whether this is the first Finalize of a transaction. */
    boolean isNewlySlow(TxnId txn) {
      if (!slow.add(txn)) {
        return false;
      }
      if (slow.size() > KNOWN_SLOW) {
        var oldest = slow.iterator();
        oldest.next();
        oldest.remove();
      }
      return true;
    }
  }

  /**
   * Registers the metrics of replicas.
   *
   * @param listener receives windows as they close
   * @throws IllegalArgumentException when the registry has these metrics already
   */
  public ReplicaMetrics(PrometheusRegistry registry, WindowListener listener) {
    Counter reads = Metric.REPLICA_READS.counter(registry);
    readsSettled = reads.labelValues("settled");
    readsUnsettled = reads.labelValues("unsettled");
    pushes = Metric.REPLICA_PUSHES.counter(registry);
    Counter votes = Metric.REPLICA_VOTES.counter(registry);
    commitVotes = votes.labelValues(Labels.vote(Vote.COMMIT), Labels.NONE);
    conditionalVotes = votes.labelValues(Labels.vote(Vote.COMMIT_ON_CONDITION), Labels.NONE);
    for (Vote.Reason reason : Vote.Reason.values()) {
      abandons.put(reason, votes.labelValues(Labels.abandon(false), Labels.of(reason)));
      finalAbandons.put(reason, votes.labelValues(Labels.abandon(true), Labels.of(reason)));
    }
    waits = Metric.REPLICA_WAITS.counter(registry);
    Counter outcomes = Metric.REPLICA_OUTCOMES.counter(registry);
    commits = outcomes.labelValues(Labels.of(Outcome.Commit.class));
    aborts = outcomes.labelValues(Labels.of(Outcome.Abort.class));
    homeCommits = Metric.REPLICA_HOME_COMMITS.counter(registry);
    commitAge = Metric.REPLICA_COMMIT_AGE_SECONDS.histogram(registry);
    reexecutions = Metric.REPLICA_REEXECUTIONS.counter(registry);
    slowPaths = Metric.REPLICA_SLOW_PATHS.counter(registry);
    recoveriesStarted = Metric.REPLICA_RECOVERIES_STARTED.counter(registry);
    truncations = Metric.REPLICA_TRUNCATIONS.counter(registry);
    joins = Metric.REPLICA_JOINS.counter(registry);
    Counter marks = Metric.REPLICA_EVENTS.counter(registry);
    for (Probe.Branch branch : Probe.Branch.values()) {
      events.put(branch, marks.labelValues(Labels.of(branch)));
    }
    Counter received = Metric.REPLICA_MESSAGES.counter(registry);
    messages =
        new ClassValue<>() {
          @Override
          protected CounterDataPoint computeValue(Class<?> type) {
            return received.labelValues(Labels.of(type));
          }
        };
    serialization = Metric.REPLICA_SERIALIZATION_WINDOW_SECONDS.histogram(registry);
    validity = Metric.REPLICA_VALIDITY_WINDOW_SECONDS.histogram(registry);
    wait = Metric.REPLICA_WAIT_SECONDS.histogram(registry);
    windowsLost = Metric.REPLICA_WINDOWS_LOST.counter(registry);
    this.listener = listener;
  }

  private OfReplica of(Endpoint at) {
    OfReplica known = replicas.get(at);
    return known != null ? known : replicas.computeIfAbsent(at, this::newReplica);
  }

  private OfReplica newReplica(Endpoint at) {
    return new OfReplica(
        new ReplicaWindows((ReplicaId) at, serialization, validity, wait, windowsLost, listener));
  }

  @Override
  public void received(Endpoint at, Endpoint from, Message message, long nowMicros) {
    messages.get(message.getClass()).inc();
    switch (message) {
      case Message.Put put -> of(at).windows.shown(put, nowMicros);
      case Message.Prepare prepare -> of(at).windows.prepared(prepare, nowMicros);
      case Message.Register register -> of(at).windows.prepared(register.asPrepare(), nowMicros);
      case Message.Finalize slow -> {
        if (of(at).isNewlySlow(slow.txn())) {
          slowPaths.inc();
        }
      }
      default -> {}
    }
  }

  @Override
  public void probed(Endpoint at, Probe probe, long nowMicros) {
    switch (probe) {
      case Probe.ReadServed read -> {
        (read.settled() ? readsSettled : readsUnsettled).inc();
        of(at).windows.read(read.txn(), read.key(), read.version(), nowMicros);
      }
      case Probe.Pushed push -> {
        pushes.inc();
        of(at).windows.readAgain(push.txn(), push.key(), push.version(), nowMicros);
      }
      case Probe.Waiting waiting -> {
        waits.inc();
        of(at).windows.waits(waiting.execution(), nowMicros);
      }
      case Probe.Voted voted -> onVote(of(at).windows, voted, nowMicros);
      case Probe.Installed installed -> onOutcome(at, installed, nowMicros);
      case Probe.RecoveryStarted started -> recoveriesStarted.inc();
      case Probe.Truncated truncated -> truncations.inc();
      case Probe.Joined joined -> joins.inc();
      case Probe.Mark mark -> {
        CounterDataPoint event = events.get(mark.branch());
        if (event != null) {
          event.inc();
        }
        if (mark.branch() == Probe.Branch.REGISTERED) {
          of(at).windows.registered(mark.txn(), nowMicros);
        }
      }
      default -> {} // a coordinator's
    }
  }

  private void onOutcome(Endpoint at, Probe.Installed installed, long nowMicros) {
    TxnId txn = installed.txn();
    switch (installed.outcome()) {
      case Outcome.Commit commit -> {
        commits.inc();
        if (at instanceof ReplicaId self && txn.home() == self.partition()) {
          homeCommits.inc();
          commitAge.observe(Math.max(0, nowMicros - txn.timeMicros()) * MICROS);
          reexecutions.inc(commit.execution());
        }
      }
      case Outcome.Abort abort -> aborts.inc();
    }
    of(at).windows.decided(txn, installed.outcome(), nowMicros);
  }

  private void onVote(ReplicaWindows windows, Probe.Voted voted, long nowMicros) {
    switch (voted.vote()) {
      case Vote.Commit(boolean onCondition) -> {
        (onCondition ? conditionalVotes : commitVotes).inc();
        if (!onCondition) {
          windows.voted(voted.execution(), nowMicros);
        }
      }
      case Vote.Abandon abandon -> {
        Map<Vote.Reason, CounterDataPoint> counters = abandon.isFinal() ? finalAbandons : abandons;
        Objects.requireNonNull(counters.get(abandon.reason())).inc();
        windows.voted(voted.execution(), nowMicros);
        for (VersionedValue fresh : abandon.fresh()) {
          windows.readAgain(voted.txn(), fresh.key(), fresh.version(), nowMicros);
        }
      }
    }
  }
}
