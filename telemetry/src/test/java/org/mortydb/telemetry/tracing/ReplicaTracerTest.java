package org.mortydb.telemetry.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import brave.Tracing;
import brave.handler.MutableSpan;
import brave.handler.SpanHandler;
import brave.propagation.TraceContext;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.ReplicaRules;

/** A replica votes on condition, step by step, in situations that are rare with real hosts. */
class ReplicaTracerTest {
  private static final ReplicaId SELF = new ReplicaId(0, 0);
  private static final List<Integer> PARTICIPANTS = List.of(0);
  private static final TxnId WRITER = new TxnId(1_000_040, 4, 0);
  private static final TxnId READER = new TxnId(1_000_050, 5, 0);
  private static final View VIEW = new View(1, 2);
  private static final View HIGHER = new View(2, 1);

  private final List<MutableSpan> spans = new ArrayList<>();
  private final Tracing tracing =
      Tracing.newBuilder()
          .localServiceName("test")
          .traceId128Bit(true)
          .addSpanHandler(
              new SpanHandler() {
                @Override
                public boolean end(TraceContext context, MutableSpan span, Cause cause) {
                  return spans.add(new MutableSpan(span));
                }
              })
          .build();
  private final ReplicaTracer tracer =
      new ReplicaTracer(new TraceSampler(1), new Spans(tracing.tracer()));
  private final Replica replica =
      new Replica(SELF, new Topology(1, 0), ReplicaOptions.DEFAULTS, ReplicaRules.SOUND);
  private long nowMicros = 1_000_100;

  /** Calls the tracer as a host does. */
  private final class Host implements Effects {
    @Override
    public void send(Endpoint to, Message message) {
      tracer.sent(SELF, to, message, nowMicros);
    }

    @Override
    public void broadcast(int partition, Message message) {
      tracer.broadcast(SELF, partition, message, nowMicros);
    }

    @Override
    public void armTimer(Timer timer, long delayMicros) {}

    @Override
    public void cancelTimer(Timer timer) {}

    @Override
    public boolean probing() {
      return true;
    }

    @Override
    public void probe(Probe probe) {
      tracer.probed(SELF, probe, nowMicros);
    }
  }

  private void receive(Endpoint from, Message message) {
    nowMicros += 10;
    tracer.received(SELF, from, message, nowMicros);
    replica.step(nowMicros, new Event.Received(from, message), new Host());
  }

  private void receive(Message message) {
    receive(new ClientId(message.txn().clientId()), message);
  }

  private void recover(int by, View view) {
    receive(new ReplicaId(0, by), new Message.Recover(READER, view));
  }

  private void decideWriter(Outcome outcome) {
    receive(new Message.Decide(WRITER, outcome));
  }

  private static Message prepare(TxnId txn, List<Read> reads, String writes) {
    List<Write> written = List.of(new Write(Key.of(writes), 1, Value.of(txn.toString())));
    return new Message.Prepare(new ExecutionId(txn, 0), reads, written, PARTICIPANTS);
  }

  /** The reader has read a version whose writer is about to commit. */
  @BeforeEach
  void voteOnCondition() {
    receive(prepare(WRITER, List.of(), "a"));
    receive(prepare(READER, List.of(new Read(Key.of("a"), new WriteId(WRITER, 1))), "b"));
  }

  @AfterEach
  void close() {
    tracing.close();
  }

  private List<MutableSpan> ofReader(String name) {
    return spans.stream()
        .filter(span -> span.traceId().equals(TraceIds.traceId(READER)))
        .filter(span -> name.equals(span.name()))
        .toList();
  }

  private MutableSpan one(String name) {
    List<MutableSpan> found = ofReader(name);
    assertThat(found).as("%s among %s", name, spans).hasSize(1);
    return found.getFirst();
  }

  @Test
  void theVoteIsToldAtOnceAndItsConditionWhenItHolds() {
    assertThat(one("validate").tags()).containsEntry("morty.vote", "commit on condition");
    assertThat(ofReader("condition")).isEmpty();
    long votedMicros = nowMicros;
    decideWriter(Outcome.commit(0, PARTICIPANTS));
    MutableSpan condition = one("condition");
    assertThat(condition.tags()).containsEntry("morty.condition", "held");
    assertThat(condition.startTimestamp()).isEqualTo(votedMicros);
    assertThat(condition.finishTimestamp()).isEqualTo(nowMicros);
    MutableSpan wait = one("wait for dependency");
    assertThat(wait.parentId()).isEqualTo(condition.id());
    assertThat(wait.tags())
        .containsEntry("morty.dependency", WRITER.toString())
        .containsEntry("morty.dependency.trace", TraceIds.traceId(WRITER));
    assertThat(wait.finishTimestamp()).isEqualTo(nowMicros);
  }

  @Test
  void aConditionFailsWithItsDependency() {
    decideWriter(Outcome.ABORT);
    assertThat(one("condition").tags()).containsEntry("morty.condition", "failed");
    assertThat(one("wait for dependency").finishTimestamp()).isEqualTo(nowMicros);
  }

  @Test
  void aPromiseIsWithheldUntilTheConditionIsDecided() {
    recover(1, VIEW);
    assertThat(ofReader("promise")).isEmpty();
    long askedMicros = nowMicros;
    decideWriter(Outcome.commit(0, PARTICIPANTS));
    MutableSpan promise = one("promise");
    assertThat(promise.startTimestamp()).isEqualTo(askedMicros);
    assertThat(promise.finishTimestamp()).isEqualTo(nowMicros);
    assertThat(promise.tags())
        .containsEntry("morty.withheld", "until the condition of the vote is decided")
        .containsEntry("morty.answer", "promised: holds execution 0, voted to commit it");
    assertThat(one("condition").tags()).containsEntry("morty.condition", "held");
  }

  @Test
  void aHigherRecoveryEndsAPromiseThatIsWithheld() {
    recover(1, VIEW);
    recover(2, HIGHER);
    assertThat(one("promise").tags()).containsEntry("morty.end", "fenced by 2.1");
    recover(1, VIEW);
    decideWriter(Outcome.commit(0, PARTICIPANTS));
    assertThat(ofReader("promise"))
        .extracting(span -> span.tag("morty.answer"))
        .containsExactly(null, "fenced by 2.1", "promised: holds execution 0, voted to commit it");
  }

  @Test
  void theOutcomeEndsAPromiseThatIsWithheld() {
    recover(1, VIEW);
    receive(new Message.Decide(READER, Outcome.commit(0, PARTICIPANTS)));
    assertThat(one("promise").tags()).containsEntry("morty.end", "decided: commit");
    assertThat(one("condition").tags()).containsEntry("morty.end", "decided: commit");
    assertThat(one("install").tags()).containsEntry("morty.outcome", "commit");
  }

  /** Otherwise a replica that was away would stretch traces to minutes. */
  @Test
  void whatAReplicaLearnsWhenItCatchesUpIsLeftOut() {
    TxnId missed = new TxnId(1_000_060, 6, 0);
    TxnId late = new TxnId(1_000_070, 7, 0);
    ReplicaId peer = new ReplicaId(0, 1);
    receive(peer, new Message.Decide(missed, Outcome.ABORT));
    nowMicros += 3_000_000;
    receive(peer, new Message.Decide(late, Outcome.ABORT));
    assertThat(spans)
        .filteredOn(span -> "install".equals(span.name()))
        .extracting(MutableSpan::traceId)
        .containsExactly(TraceIds.traceId(missed));
    decideWriter(Outcome.commit(0, PARTICIPANTS));
    assertThat(one("condition").tags()).containsEntry("morty.condition", "held");
    receive(new Message.Decide(READER, Outcome.commit(0, PARTICIPANTS)));
    assertThat(ofReader("install")).as("of what it has voted on").hasSize(1);
  }

  @Test
  void aReadSaysWhatItWasAnswered() {
    receive(new Message.Get(READER, 3, Key.of("a")));
    MutableSpan served = one("serve read");
    assertThat(served.tags())
        .containsEntry("morty.key", "a")
        .containsEntry("morty.version", new WriteId(WRITER, 1).toString())
        .containsEntry("morty.settled", "true");
    assertThat(served.parentId()).isEqualTo(TraceIds.readAsParent(READER, 3).spanIdString());
  }

  @Test
  void aScanAndItsPushesHangBelowItsRequest() {
    ClientId client = new ClientId(READER.clientId());
    KeyRange range = new KeyRange(Key.of("a"), Key.of("c"));
    tracer.received(SELF, client, new Message.Scan(READER, 3, range, 10), nowMicros);
    VersionedValue row =
        new VersionedValue(Key.of("a"), new WriteId(WRITER, 1), Value.of("v"), false);
    Message reply = new Message.ScanReply(READER, 3, List.of(row), Key.of("b"));
    tracer.sent(SELF, client, reply, nowMicros + 5);
    tracer.sent(SELF, client, new Message.PushRow(READER, 3, 1, row), nowMicros + 7);
    MutableSpan scan = one("serve scan");
    String request = TraceIds.readAsParent(READER, 3).spanIdString();
    assertThat(scan.parentId()).isEqualTo(request);
    assertThat(scan.finishTimestamp()).isEqualTo(nowMicros + 5);
    assertThat(scan.tags())
        .containsEntry("morty.range", "[a, c)")
        .containsEntry("morty.limit", "10")
        .containsEntry("morty.rows", "1")
        .containsEntry("morty.next", "b");
    MutableSpan push = one("push");
    assertThat(push.parentId()).isEqualTo(request);
    assertThat(push.tags())
        .containsEntry("morty.key", "a")
        .containsEntry("morty.version", new WriteId(WRITER, 1).toString())
        .containsEntry("morty.settled", "false");
  }

  @Test
  void aValidationNamesTheRangesThatWereScanned() {
    TxnId scanner = new TxnId(1_000_060, 5, 0);
    List<KeyRange> ranges = List.of(new KeyRange(Key.of("x"), null));
    Message prepare =
        new Message.Prepare(
            new ExecutionId(scanner, 0), List.of(), ranges, List.of(), PARTICIPANTS);
    receive(prepare);
    assertThat(spans)
        .filteredOn(span -> span.traceId().equals(TraceIds.traceId(scanner)))
        .filteredOn(span -> "validate".equals(span.name()))
        .singleElement()
        .satisfies(span -> assertThat(span.tags()).containsEntry("morty.ranges", "[x, end)"));
  }
}
