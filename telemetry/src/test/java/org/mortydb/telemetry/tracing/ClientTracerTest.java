package org.mortydb.telemetry.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import brave.Tracing;
import brave.handler.MutableSpan;
import brave.handler.SpanHandler;
import brave.propagation.TraceContext;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.WriteId;

/** A client scans two partitions, and a push adds a row. */
class ClientTracerTest {
  private static final ClientId SELF = new ClientId(5);
  private static final TxnId TXN = new TxnId(1_000_050, 5, 0);
  private static final ReplicaId NEAR = new ReplicaId(0, 1);
  private static final ReplicaId FAR = new ReplicaId(1, 1);
  private static final KeyRange RANGE = new KeyRange(Key.of("a"), null);
  private static final WriteId OLD = new WriteId(new TxnId(10, 3, 0), 1);
  private static final WriteId NEW = new WriteId(new TxnId(20, 4, 0), 1);

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
  private final ClientTracer tracer =
      new ClientTracer(
          new TraceSampler(1), new Spans(tracing.tracer()), new Layout(3, replica -> "s"));

  @AfterEach
  void close() {
    tracing.close();
  }

  private List<MutableSpan> named(String name) {
    return spans.stream().filter(span -> name.equals(span.name())).toList();
  }

  @Test
  void aScanHasASpanForEachPartitionAndARowMayBeTheCauseOfAReexecution() {
    tracer.sent(SELF, NEAR, new Message.Scan(TXN, 0, RANGE, 10), 1_000_100);
    tracer.sent(SELF, FAR, new Message.Scan(TXN, 1, RANGE, 10), 1_000_100);
    VersionedValue seen = new VersionedValue(Key.of("b"), OLD, Value.of("v"), true);
    Message reply = new Message.ScanReply(TXN, 0, List.of(seen), Key.of("c"));
    tracer.received(SELF, NEAR, reply, 1_000_200);
    VersionedValue newer = new VersionedValue(Key.of("b"), NEW, Value.of("w"), true);
    tracer.received(SELF, NEAR, new Message.PushRow(TXN, 0, 1, newer), 1_000_300);
    ExecutionId second = new ExecutionId(TXN, 1);
    tracer.probed(SELF, new Probe.Reexecuted(second, Key.of("b"), NEW), 1_000_310);
    tracer.completed(SELF, new Completion.Aborted(TXN, AbortReason.DEADLINE), 1, 1_000_400);

    assertThat(named("scan")).hasSize(2);
    MutableSpan answered = named("scan").getFirst();
    assertThat(answered.id()).isEqualTo(TraceIds.readAsParent(TXN, 0).spanIdString());
    assertThat(answered.finishTimestamp()).isEqualTo(1_000_200);
    assertThat(answered.tags())
        .containsEntry("morty.replica", NEAR.toString())
        .containsEntry("morty.range", RANGE.toString())
        .containsEntry("morty.limit", "10")
        .containsEntry("morty.rows", "1")
        .containsEntry("morty.next", "c");
    MutableSpan unanswered = named("scan").getLast();
    assertThat(unanswered.tags())
        .containsEntry("morty.replica", FAR.toString())
        .containsEntry("morty.end", "no answer before the outcome");
    assertThat(named("re-execution"))
        .singleElement()
        .satisfies(
            execution ->
                assertThat(execution.tags())
                    .containsEntry("morty.cause.key", "b")
                    .containsEntry("morty.cause.read", OLD.toString())
                    .containsEntry("morty.cause.version", NEW.toString())
                    .containsEntry("morty.cause.from", "push of p0r1 (s)"));
  }
}
