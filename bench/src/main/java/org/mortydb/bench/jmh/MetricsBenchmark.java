package org.mortydb.bench.jmh;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.ReplicaRules;
import org.mortydb.telemetry.metrics.ReplicaMetrics;
import org.mortydb.telemetry.metrics.WindowListener;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The overhead of metrics at a replica, per transaction that reads a key, writes it and commits: a
 * Get, a Put, a Prepare and a Decide, without encoding and sending. It is the difference between
 * {@code METRICS} and {@code NOBODY}. Every invocation has a new replica, because time stands still
 * and a replica would never discard state.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 20)
@Measurement(iterations = 20)
@Fork(3)
public class MetricsBenchmark {
  private static final int TRANSACTIONS = 20_000;
  private static final int KEYS = 1_000;
  private static final long NOW_MICROS = 1_000_000_000L;
  private static final ReplicaId SELF = new ReplicaId(0, 0);
  private static final ClientId CLIENT = new ClientId(7);

  /** The receiver of probes. */
  public enum Listener {
    NOBODY,
    METRICS
  }

  @Param({"NOBODY", "METRICS"})
  public Listener listener = Listener.NOBODY;

  private final Key[] keys = new Key[KEYS];
  private final List<Integer> participants = List.of(0);
  private final Value value = Value.of("value");
  private @Nullable MachineObserver observer;
  private Host host = new Host(null);
  private Replica replica = newReplica();

  /** Keeps the last version read, and passes probes on like a server. */
  private static final class Host implements Effects {
    private final @Nullable MachineObserver observer;
    private WriteId version = new WriteId(TxnId.INITIAL, 0);

    Host(@Nullable MachineObserver observer) {
      this.observer = observer;
    }

    @Override
    public void send(Endpoint to, Message message) {
      if (message instanceof Message.GetReply reply) {
        version = reply.version();
      }
    }

    @Override
    public void broadcast(int partition, Message message) {}

    @Override
    public void armTimer(Timer timer, long delayMicros) {}

    @Override
    public void cancelTimer(Timer timer) {}

    @Override
    public boolean probing() {
      return observer != null;
    }

    @Override
    public void probe(Probe probe) {
      if (observer != null) {
        observer.probed(SELF, probe, NOW_MICROS);
      }
    }
  }

  private static Replica newReplica() {
    ReplicaOptions options =
        new ReplicaOptions(NOW_MICROS, NOW_MICROS, 50_000, NOW_MICROS, 1_000_000);
    return new Replica(SELF, new Topology(1, 0), options, ReplicaRules.SOUND);
  }

  /** Creates the observer, once for all invocations. */
  @Setup(Level.Trial)
  public void makeObserver() {
    for (int i = 0; i < KEYS; i++) {
      keys[i] = Key.of("key" + i);
    }
    if (listener == Listener.METRICS) {
      MachineObserver metrics = new ReplicaMetrics(new PrometheusRegistry(), WindowListener.NONE);
      observer =
          MachineObserver.all(
              List.of(metrics),
              failure -> {
                throw failure;
              });
    }
  }

  /** Creates the replica of an invocation. */
  @Setup(Level.Invocation)
  public void makeReplica() {
    host = new Host(observer);
    replica = newReplica();
  }

  private void step(Message message) {
    if (observer != null) {
      observer.received(SELF, CLIENT, message, NOW_MICROS);
    }
    replica.step(NOW_MICROS, new Event.Received(CLIENT, message), host);
  }

  /** Runs thousands of transactions, one after another. */
  @Benchmark
  @OperationsPerInvocation(TRANSACTIONS)
  public Replica transaction() {
    for (int i = 0; i < TRANSACTIONS; i++) {
      TxnId txn = new TxnId(NOW_MICROS + i, CLIENT.id(), 0);
      Key key = keys[i % KEYS];
      Write write = new Write(key, 1, value);
      step(new Message.Get(txn, 0, key));
      step(new Message.Put(txn, 0, write));
      step(
          new Message.Prepare(
              new ExecutionId(txn, 0),
              List.of(new Read(key, host.version)),
              List.of(write),
              participants));
      step(new Message.Decide(txn, Outcome.commit(0, participants)));
    }
    return replica;
  }
}
