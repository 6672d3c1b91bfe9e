package org.mortydb.client.direct;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.engine.ClientEngine;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.fixture.TestCluster;
import org.mortydb.client.fixture.TestCluster.Network;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.Message.Push;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;

/** Calls of a body's thread that arrive late, and results of earlier executions. */
class DirectDriverTest {
  private static final Key A = Key.of("a");
  private static final ReplicaId CLOSEST = new ReplicaId(0, 0);

  private final TestCluster cluster = new TestCluster(1);
  private final ClientEngine engine = cluster.client(1, EngineOptions.DEFAULTS);
  private final List<Mail<String>> mails = new ArrayList<>();
  private final DirectDriver<String> driver = new DirectDriver<>(mails::add);

  private void begin() {
    engine.perform(() -> engine.drive(TransactionOptions.DEFAULTS, driver));
  }

  private static ReplayLog.Batch read(int place) {
    return new ReplayLog.Batch(place, List.of(), List.of(A));
  }

  private static ReplayLog.Batch write(int place, String value) {
    return new ReplayLog.Batch(place, List.of(new ReplayLog.Write(A, Value.of(value))), List.of());
  }

  @Test
  void callsOfAnEarlierAttemptAreDropped() {
    begin();
    engine.perform(() -> driver.restart(1, 0));
    cluster.runUntil(
        () -> mails.getLast() instanceof Mail.Begun<String>(int number) && number == 2);
    engine.perform(() -> driver.read(1, 0, read(0)));
    assertThat(cluster.count(Get.class)).isZero();
    engine.perform(() -> driver.read(2, 0, read(0)));
    assertThat(cluster.count(Get.class)).isEqualTo(1);
  }

  @Test
  void theResultIsThatOfTheExecutionThatCommitted() {
    cluster.network((from, to, message) -> message instanceof PrepareReply ? Network.LOST : 1_000);
    begin();
    engine.perform(() -> driver.read(1, 0, read(0)));
    cluster.run(10_000);
    engine.perform(() -> driver.commit(1, 0, write(1, "first"), "first"));
    cluster.run(10_000);
    Get get =
        cluster.sent().stream()
            .map(TestCluster.Sent::message)
            .filter(Get.class::isInstance)
            .map(Get.class::cast)
            .findFirst()
            .orElseThrow();
    WriteId newer = new WriteId(new TxnId(get.txn().timeMicros() - 1, 9, 0), 1);
    cluster.deliver(
        engine,
        CLOSEST,
        new Push(get.txn(), get.request(), 1_000, newer, Value.of("pushed"), true));
    cluster.run(10_000);
    engine.perform(() -> driver.commit(1, 1, write(1, "second"), "second"));
    cluster.run(10_000);
    cluster.deliver(engine, CLOSEST, new Decide(get.txn(), Outcome.commit(0, List.of(0))));
    assertThat(mails.getLast())
        .isInstanceOfSatisfying(
            Mail.Completed.class,
            end ->
                assertThat(end.result())
                    .isInstanceOfSatisfying(
                        Result.Committed.class,
                        committed -> assertThat(committed.value()).isEqualTo("first")));
  }

  /** An earlier execution has asked to commit, and the one that counts has given up. */
  @Test
  void anAbortHasNoValue() {
    cluster.network((from, to, message) -> message instanceof PrepareReply ? Network.LOST : 1_000);
    begin();
    engine.perform(() -> driver.read(1, 0, read(0)));
    cluster.run(10_000);
    engine.perform(() -> driver.commit(1, 0, write(1, "first"), "first"));
    cluster.run(10_000);
    Get get =
        cluster.sent().stream()
            .map(TestCluster.Sent::message)
            .filter(Get.class::isInstance)
            .map(Get.class::cast)
            .findFirst()
            .orElseThrow();
    WriteId newer = new WriteId(new TxnId(get.txn().timeMicros() - 1, 9, 0), 1);
    cluster.deliver(
        engine,
        CLOSEST,
        new Push(get.txn(), get.request(), 1_000, newer, Value.of("pushed"), true));
    cluster.run(10_000);
    engine.perform(() -> driver.abort(1, 1));
    cluster.run(10_000);
    cluster.deliver(engine, CLOSEST, new Decide(get.txn(), Outcome.commit(2, List.of(0))));
    assertThat(mails.getLast())
        .isInstanceOfSatisfying(
            Mail.Completed.class,
            end ->
                assertThat(end.result())
                    .isInstanceOfSatisfying(
                        Result.AbortedByApplication.class,
                        aborted -> assertThat(aborted.value()).isNull()));
  }
}
