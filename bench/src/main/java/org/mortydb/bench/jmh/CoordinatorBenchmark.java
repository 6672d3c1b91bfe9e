package org.mortydb.bench.jmh;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.Coordinator;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.CoordinatorRules;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.WriteId;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** A coordinator's whole transaction: four reads, two writes, votes, decision. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class CoordinatorBenchmark {
  private static final long CLIENT = 7;
  private static final int READS = 4;
  private static final int WRITES = 2;

  private final CountingEffects effects = new CountingEffects();
  private final Topology topology = new Topology(1, 0);
  private final Key[] keys = newKeys();
  private final Value value = Value.wrap(new byte[100]);
  private final Value newer = Value.of("newer");
  private final WriteId version = new WriteId(new TxnId(1, CLIENT, 0), 1);
  private long nowMicros = 1_000_000;

  private static Key[] newKeys() {
    Key[] keys = new Key[READS];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = Key.of("key" + i);
    }
    return keys;
  }

  private Coordinator newCoordinator() {
    nowMicros++;
    effects.completion = null;
    return new Coordinator(
        AttemptSpec.first(nowMicros, CLIENT),
        topology,
        CoordinatorOptions.DEFAULTS,
        CoordinatorRules.SOUND);
  }

  private void readAll(Coordinator coordinator) {
    for (int i = 0; i < READS; i++) {
      coordinator.step(nowMicros, new Event.CallGet(0, List.of(keys[i])), effects);
      receive(coordinator, 0, new Message.GetReply(coordinator.txn(), i, 1, version, value, true));
    }
  }

  private void receive(Coordinator coordinator, int replica, Message message) {
    coordinator.step(nowMicros, new Event.Received(new ReplicaId(0, replica), message), effects);
  }

  private void writeAndCommit(Coordinator coordinator, int execution) {
    for (int i = 0; i < WRITES; i++) {
      coordinator.step(nowMicros, new Event.CallPut(execution, keys[i], value), effects);
    }
    coordinator.step(nowMicros, new Event.CallCommit(execution), effects);
    ExecutionId id = new ExecutionId(coordinator.txn(), execution);
    for (int replica = 0; replica < topology.replicas(); replica++) {
      receive(
          coordinator, replica, new Message.PrepareReply(id, new PrepareAnswer.Voted(Vote.COMMIT)));
    }
  }

  private Completion completion() {
    @Nullable Completion completion = effects.completion;
    if (!(completion instanceof Completion.Committed)) {
      throw new IllegalStateException("the transaction did not commit: " + completion);
    }
    return completion;
  }

  /** The fast path. */
  @Benchmark
  public Completion fastPath() {
    Coordinator coordinator = newCoordinator();
    readAll(coordinator);
    writeAndCommit(coordinator, 0);
    return completion();
  }

  /** The fast path after a re-execution from the last read. */
  @Benchmark
  public Completion reexecution() {
    Coordinator coordinator = newCoordinator();
    readAll(coordinator);
    WriteId replaced = new WriteId(new TxnId(2, CLIENT, 0), 1);
    receive(
        coordinator, 0, new Message.Push(coordinator.txn(), READS - 1, 2, replaced, newer, true));
    coordinator.step(nowMicros, new Event.BatchEnded(), effects);
    writeAndCommit(coordinator, coordinator.execution());
    return completion();
  }
}
