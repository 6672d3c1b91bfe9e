package org.mortydb.bench.jmh;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
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
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A replica's validation and version chains, on warm keys.
 *
 * <p>Time stands still, so chains keep their length. One transaction prepares one execution after
 * another. Each supersedes the previous one, so nothing accumulates, and the figures include the
 * removal of the older execution.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class ReplicaBenchmark {
  private static final long NOW_MICROS = 1_000_000_000L;
  private static final long CLIENT = 7;
  private static final int READS = 4;
  private static final int WRITES = 2;
  private static final int KEYS = 1_000;

  /** Committed versions of every key. */
  @Param({"1", "1000"})
  public int chain;

  private final ClientId client = new ClientId(CLIENT);
  private final CountingEffects effects = new CountingEffects();
  private final List<Integer> participants = List.of(0);
  private Replica replica = newReplica();
  private Key[] keys = new Key[0];
  private List<Read> newestReads = List.of();
  private List<Read> staleReads = List.of();
  private List<Write> writes = List.of();
  private TxnId reader = TxnId.INITIAL;
  private TxnId middleReader = TxnId.INITIAL;
  private TxnId middleWriter = TxnId.INITIAL;
  private int execution;
  private int request;
  private long newcomer;

  private static Replica newReplica() {
    ReplicaOptions options =
        new ReplicaOptions(NOW_MICROS, NOW_MICROS, 50_000, NOW_MICROS, 1_000_000);
    return new Replica(new ReplicaId(0, 0), new Topology(1, 0), options, ReplicaRules.SOUND);
  }

  /** Fills the chains. */
  @Setup(Level.Iteration)
  public void fill() {
    replica = newReplica();
    replica.step(NOW_MICROS, new Event.TimerFired(Timer.TICK), effects);
    keys = new Key[KEYS];
    for (int i = 0; i < KEYS; i++) {
      keys[i] = Key.of("key" + i);
    }
    Value value = Value.wrap(new byte[100]);
    TxnId newest = TxnId.INITIAL;
    TxnId secondNewest = TxnId.INITIAL;
    for (int version = 1; version <= chain; version++) {
      TxnId writer = new TxnId(NOW_MICROS + version * 10L, CLIENT, 0);
      List<Write> all = new ArrayList<>();
      for (Key key : keys) {
        all.add(new Write(key, 1, value));
      }
      receive(new Message.Prepare(new ExecutionId(writer, 0), List.of(), all, participants));
      receive(new Message.Decide(writer, Outcome.commit(0, participants)));
      secondNewest = newest;
      newest = writer;
    }
    reader = new TxnId(NOW_MICROS + chain * 10L + 5, CLIENT, 0);
    middleReader = new TxnId(NOW_MICROS + chain / 2 * 10L + 5, CLIENT, 0);
    middleWriter = new TxnId(NOW_MICROS + chain / 2 * 10L + 6, CLIENT, 0);
    newestReads = new ArrayList<>();
    staleReads = new ArrayList<>();
    writes = new ArrayList<>();
    for (int i = 0; i < READS; i++) {
      newestReads.add(new Read(keys[i], versionOf(newest)));
      staleReads.add(new Read(keys[i], versionOf(secondNewest)));
    }
    for (int i = 0; i < WRITES; i++) {
      writes.add(new Write(keys[i], 1, value));
    }
    execution = 0;
    newcomer = 0;
  }

  private static WriteId versionOf(TxnId writer) {
    return writer.equals(TxnId.INITIAL) ? WriteId.INITIAL : new WriteId(writer, 1);
  }

  private void receive(Message message) {
    replica.step(NOW_MICROS, new Event.Received(client, message), effects);
  }

  private @Nullable Message prepare(List<Read> reads) {
    receive(new Message.Prepare(new ExecutionId(reader, execution++), reads, writes, participants));
    return effects.lastMessage;
  }

  /** Four reads and two writes without a conflict: a vote to commit. */
  @Benchmark
  public @Nullable Message validateUncontended() {
    return prepare(newestReads);
  }

  /** Four stale reads: a vote to abandon, with fresh values. */
  @Benchmark
  public @Nullable Message validateStaleReads() {
    return prepare(staleReads);
  }

  /** A read in the middle of a chain, always for the same transaction. */
  @Benchmark
  public @Nullable Message getFromMiddleOfChain() {
    receive(new Message.Get(middleReader, request++, keys[READS]));
    return effects.lastMessage;
  }

  /** Inserts an uncommitted version into the middle of a chain, and removes it. */
  @Benchmark
  public long insertIntoAndRemoveFromMiddleOfChain() {
    int number = (int) (newcomer++ & Integer.MAX_VALUE) * 2;
    receive(
        new Message.Put(
            middleWriter, number, new Write(keys[READS + 1], number + 1, Value.ABSENT)));
    receive(new Message.Retract(middleWriter, number + 1, List.of(keys[READS + 1])));
    return effects.messages;
  }
}
