package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.mortydb.client.ClientClosedException;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.OverloadedException;
import org.mortydb.client.Result;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.engine.CompletionListener.CompletedAttempt;
import org.mortydb.client.fixture.Ended;
import org.mortydb.client.fixture.TestCluster;
import org.mortydb.client.fixture.TestCluster.Network;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.model.TxnId;

/** The queue of transactions that wait to be admitted. */
class AdmissionTest {
  private static final TypedKey<String> A =
      KeySpace.of("text", Codecs.STRING, Codecs.STRING).key("a");

  private static final TransactionBody<String> READ =
      (txn, ctx) -> txn.get(ctx, A, (c, v) -> txn.commit(c));

  /** Four round trips, and a commit. */
  private static final TransactionBody<String> LONG =
      (txn, ctx) ->
          txn.get(
              ctx,
              A,
              (c1, v1) ->
                  txn.get(
                      c1,
                      key("b"),
                      (c2, v2) ->
                          txn.get(
                              c2,
                              key("c"),
                              (c3, v3) -> {
                                txn.put(c3, key("d"), "long");
                                txn.commit(c3);
                              })));

  private final TestCluster cluster = new TestCluster(1);
  private final ClientEngine engine =
      cluster.client(1, EngineOptions.DEFAULTS.withAdmission(Admission.of(2)));

  private static TypedKey<String> key(String name) {
    return KeySpace.of("text", Codecs.STRING, Codecs.STRING).key(name);
  }

  private Ended<String> begin(TransactionBody<String> body) {
    return begin(TransactionOptions.DEFAULTS, body);
  }

  private Ended<String> begin(TransactionOptions options, TransactionBody<String> body) {
    Ended<String> ended = new Ended<>();
    engine.execute("", options, body, ended);
    return ended;
  }

  @Test
  void idsAreDrawnAtAdmissionInTheOrderOfTheCalls() {
    List<Ended<String>> all = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      all.add(begin(i % 2 == 0 ? LONG : READ));
    }
    assertThat(engine.inFlight()).isEqualTo(2);
    assertThat(engine.queued()).isEqualTo(4);
    cluster.runUntil(() -> all.stream().allMatch(Ended::isOver));
    List<Long> ids = all.stream().map(e -> e.result().info().txn().timeMicros()).toList();
    assertThat(ids).isSorted();
    assertThat(ids.get(2)).as("not the time of its call").isGreaterThan(ids.get(1) + 1_000);
  }

  @Test
  void oneThatEndsDoesNotLetItsCallerOvertake() {
    List<Integer> ends = new ArrayList<>();
    // Callers 0 and 1 begin the next one whenever one has ended, before the others are admitted.
    for (int i = 0; i < 5; i++) {
      repeat(i, i < 2 ? 10 : 1, ends);
    }
    cluster.runUntil(() -> ends.size() == 23);
    assertThat(ends.subList(0, 5)).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
    assertThat(cluster.errors()).isEmpty();
  }

  private void repeat(int caller, int times, List<Integer> ends) {
    engine.execute(
        "",
        READ,
        new ResultHandler<String>() {
          @Override
          public void completed(Result<String> result) {
            ends.add(caller);
            if (times > 1) {
              repeat(caller, times - 1, ends);
            }
          }

          @Override
          public void failed(Throwable cause) {
            throw new AssertionError(cause);
          }
        });
  }

  @Test
  void theDeadlinePassesInTheQueueThoughNothingEnds() {
    cluster.network((from, to, message) -> Network.LOST);
    begin(READ);
    begin(READ);
    Ended<String> last = begin(TransactionOptions.DEFAULTS.withDeadlineMicros(3_000_000), READ);
    Ended<String> first = begin(TransactionOptions.DEFAULTS.withDeadlineMicros(1_000_000), READ);
    cluster.run(999_000);
    assertThat(first.isOver()).isFalse();
    cluster.run(2_000);
    assertThat(first.failure())
        .isInstanceOf(OverloadedException.class)
        .hasMessageContaining("deadline of 1000000 microseconds in the queue")
        .hasMessageContaining("admits 2 at a time");
    assertThat(last.isOver()).isFalse();
    assertThat(engine.queued()).isEqualTo(1);
    cluster.run(2_000_000);
    assertThat(last.failure()).isInstanceOf(OverloadedException.class);
    assertThat(engine.queued()).isZero();
    assertThat(engine.inFlight()).isEqualTo(2);
  }

  @Test
  void aFullQueueNamesItsBoundAndTheWayOut() {
    ClientEngine small =
        cluster.client(2, EngineOptions.DEFAULTS.withAdmission(Admission.of(1)).withLimits(9, 1));
    List<Ended<String>> all = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Ended<String> ended = new Ended<>();
      small.execute("", READ, ended);
      all.add(ended);
    }
    assertThat(all.get(2).failure())
        .isInstanceOf(OverloadedException.class)
        .hasMessageContaining("1 transactions in flight and 1 queued")
        .hasMessageEndingWith("or raise EngineOptions.maxQueued");
  }

  @Test
  void aRetryKeepsItsPlace() {
    AtomicReference<TxnId> first = new AtomicReference<>();
    cluster.network(
        (from, to, message) -> {
          if (message instanceof Get) {
            first.compareAndSet(null, message.txn());
          }
          if (message instanceof Get get && get.txn().equals(first.get())) {
            Refused refused = new Refused(get.txn(), Refusal.TRUNCATED, 1);
            cluster.at(10, () -> cluster.deliver(engine, to, refused));
            return Network.LOST;
          }
          return 1_000;
        });
    RetryPolicy retry = new RetryPolicy(5, 500, 500);
    Ended<String> retried = begin(TransactionOptions.DEFAULTS.withRetry(retry), READ);
    List<Ended<String>> others = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      others.add(begin(READ));
    }
    cluster.runUntil(retried::isOver);
    assertThat(retried.result().info().attempts()).isEqualTo(2);
    assertThat(others.stream().filter(Ended::isOver).count()).isLessThan(5);
  }

  @Test
  void closeFailsThoseThatWaitAndLeavesNoTimer() {
    cluster.network((from, to, message) -> Network.LOST);
    List<Ended<String>> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      all.add(begin(READ));
    }
    engine.close();
    for (Ended<String> ended : all) {
      assertThat(ended.failure()).isInstanceOf(ClientClosedException.class);
    }
    assertThat(engine.queued()).isZero();
    cluster.run(30_000_000);
    assertThat(all).allMatch(ended -> ended.calls() == 1);
  }

  @Test
  void theListenerHearsTheLimitAndTheQueue() {
    int[] sums = new int[2];
    int[] most = new int[1];
    CompletionListener counting =
        new CompletionListener() {
          @Override
          public void completed(CompletedAttempt attempt) {}

          @Override
          public void admissionChanged(int limitBy, int waitingBy) {
            sums[0] += limitBy;
            sums[1] += waitingBy;
            most[0] = Math.max(most[0], sums[1]);
          }
        };
    engine.listen(counting.andThen(attempt -> {}));
    assertThat(sums[0]).isEqualTo(2);
    List<Ended<String>> all = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      all.add(begin(READ));
    }
    cluster.runUntil(() -> all.stream().allMatch(Ended::isOver));
    assertThat(most[0]).isEqualTo(5);
    assertThat(sums[1]).isZero();
    engine.close();
    assertThat(sums[0]).isZero();
  }
}
