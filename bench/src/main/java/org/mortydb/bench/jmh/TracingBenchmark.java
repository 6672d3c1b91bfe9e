package org.mortydb.bench.jmh;

import brave.handler.MutableSpan;
import brave.handler.SpanHandler;
import brave.propagation.TraceContext;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.InvalidConfigException;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.telemetry.tracing.TransactionTracing;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The overhead of tracing for a transaction that increments one key and commits in one round, at
 * its client and at one replica. The benchmark passes the same events as a host. It drops finished
 * spans.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class TracingBenchmark {
  private static final ClientId CLIENT = new ClientId(7);
  private static final ReplicaId REPLICA = new ReplicaId(0, 0);
  private static final Key KEY = Key.of("account/7");
  private static final List<Integer> PARTICIPANTS = List.of(0);
  private static final Outcome COMMIT = Outcome.commit(0, PARTICIPANTS);
  private static final List<Write> WRITES = List.of(new Write(KEY, 1, Value.ABSENT));
  private static final List<Read> READS = List.of(new Read(KEY, WriteId.INITIAL));
  private static final double ALMOST_NONE = 1e-12;
  private static final int REPLICAS = 3;

  /** off: no observer; unsampled: no transaction is traced; sampled: all are traced. */
  @Param({"off", "unsampled", "sampled"})
  public String tracing = "off";

  private @Nullable MachineObserver client;
  private @Nullable MachineObserver server;
  private long timeMicros = 1_790_000_000_000_000L;

  /** Drops all spans. */
  private static final class Dropping extends SpanHandler {
    @Override
    public boolean end(TraceContext context, MutableSpan span, Cause cause) {
      return false;
    }
  }

  /** Creates the observers. */
  @Setup
  public void start() throws InvalidConfigException {
    if (tracing.equals("off")) {
      return;
    }
    StringBuilder servers = new StringBuilder();
    for (int i = 0; i < REPLICAS; i++) {
      servers.append(
          "{ name = s%d, region = r, listen = \"127.0.0.1:%d\" }\n".formatted(i, 7001 + i));
    }
    ClusterConfig config =
        ClusterConfig.parse("cluster { name = b, regions = [r], servers = [" + servers + "] }");
    double rate = tracing.equals("sampled") ? 1 : ALMOST_NONE;
    TransactionTracing made = TransactionTracing.to(new Dropping(), "bench", config, rate);
    client = made.ofClients();
    server = made.ofServers();
  }

  /** The events of the client's host. */
  @Benchmark
  public TxnId client() {
    long now = timeMicros++;
    TxnId txn = new TxnId(now, CLIENT.id(), 0);
    MachineObserver observer = client;
    if (observer == null) {
      return txn;
    }
    ExecutionId execution = new ExecutionId(txn, 0);
    observer.sent(CLIENT, REPLICA, new Message.Get(txn, 0, KEY), now);
    observer.received(
        CLIENT,
        REPLICA,
        new Message.GetReply(txn, 0, 1, WriteId.INITIAL, Value.ABSENT, true),
        now + 1);
    observer.broadcast(
        CLIENT, 0, new Message.Prepare(execution, READS, WRITES, PARTICIPANTS), now + 2);
    observer.probed(CLIENT, new Probe.Prepared(execution), now + 2);
    PrepareAnswer commit = new PrepareAnswer.Voted(Vote.COMMIT);
    for (int i = 0; i < REPLICAS; i++) {
      Endpoint from = new ReplicaId(0, i);
      observer.received(CLIENT, from, new Message.PrepareReply(execution, commit), now + 3);
    }
    observer.broadcast(CLIENT, 0, new Message.Decide(txn, COMMIT), now + 4);
    observer.probed(CLIENT, new Probe.Decided(txn, COMMIT, Completion.Path.FAST), now + 4);
    observer.completed(
        CLIENT,
        new Completion.Committed(txn, txn, 0, Completion.Path.FAST, List.of(), List.of()),
        1,
        now + 4);
    return txn;
  }

  /** The events of a replica's host. */
  @Benchmark
  public TxnId replica() {
    long now = timeMicros++;
    TxnId txn = new TxnId(now, CLIENT.id(), 0);
    MachineObserver observer = server;
    if (observer == null) {
      return txn;
    }
    ExecutionId execution = new ExecutionId(txn, 0);
    observer.received(REPLICA, CLIENT, new Message.Get(txn, 0, KEY), now);
    observer.probed(REPLICA, new Probe.ReadServed(txn, KEY, WriteId.INITIAL, true), now);
    observer.sent(
        REPLICA, CLIENT, new Message.GetReply(txn, 0, 1, WriteId.INITIAL, Value.ABSENT, true), now);
    observer.received(
        REPLICA, CLIENT, new Message.Prepare(execution, READS, WRITES, PARTICIPANTS), now + 2);
    observer.probed(REPLICA, new Probe.Voted(execution, Vote.COMMIT), now + 2);
    PrepareAnswer commit = new PrepareAnswer.Voted(Vote.COMMIT);
    observer.sent(REPLICA, CLIENT, new Message.PrepareReply(execution, commit), now + 2);
    observer.received(REPLICA, CLIENT, new Message.Decide(txn, COMMIT), now + 4);
    observer.probed(REPLICA, new Probe.Installed(txn, COMMIT), now + 4);
    return txn;
  }
}
