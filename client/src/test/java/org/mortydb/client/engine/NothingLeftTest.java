package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.mortydb.client.ClientSession;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.SessionGuarantee;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.fixture.Ended;
import org.mortydb.client.fixture.TestCluster;
import org.mortydb.client.fixture.TestCluster.Network;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.ReexecutionPolicy;

/** However transactions end, nothing of them is left in the client. */
class NothingLeftTest {
  /** More of them for a longer test: {@code -Dtransactions=100000}. */
  private static final int TRANSACTIONS = Integer.getInteger("transactions", 4_000);

  private static final KeySpace<Integer, Long> COUNTERS =
      KeySpace.of("counter", Codecs.INT32, Codecs.INT64);

  private final TestCluster cluster = new TestCluster(2);
  private final SplittableRandom random = new SplittableRandom(1);

  @Test
  void ofTransactionsThatEndInEveryWay() {
    Session session = new Session();
    CoordinatorOptions impatient =
        new CoordinatorOptions(
            10_000_000, 20_000, 30_000, 2_000, 0, ReexecutionPolicy.upTo(20).gathering());
    EngineOptions options = EngineOptions.DEFAULTS.withLimits(20, 10).withCoordinator(impatient);
    List<ClientEngine> engines = new ArrayList<>();
    int[] admission = new int[2];
    for (int i = 1; i <= 3; i++) {
      ClientEngine engine = cluster.client(i, options, session);
      engine.listen(
          new CompletionListener() {
            @Override
            public void completed(CompletedAttempt attempt) {}

            @Override
            public void admissionChanged(int limitBy, int waitingBy) {
              admission[0] += limitBy;
              admission[1] += waitingBy;
            }
          });
      engines.add(engine);
    }
    ClientSession chosen = new ClientSession(SessionGuarantee.values());
    List<Ended<String>> all = new ArrayList<>();
    double[] lost = {0};
    cluster.network(
        (from, to, message) ->
            random.nextDouble() < lost[0] ? Network.LOST : 500 + random.nextInt(2_000));
    for (int i = 0; i < TRANSACTIONS; i++) {
      if (i % 500 == 0) {
        lost[0] = 0.2 * (i / 500 % 4);
      }
      Ended<String> ended = new Ended<>();
      all.add(ended);
      ClientEngine engine = engines.get(random.nextInt(engines.size()));
      engine.execute("", options(chosen), body(), ended);
      if (random.nextInt(50) == 0) {
        engine.renumber();
      }
      cluster.run(random.nextInt(10) == 0 ? random.nextInt(50_000) : 0);
    }
    lost[0] = 0;
    cluster.run(10_000_000);
    assertThat(all).allSatisfy(ended -> assertThat(ended.calls()).isEqualTo(1));
    for (ClientEngine engine : engines) {
      assertThat(engine.inFlight()).isZero();
      assertThat(engine.queued()).isZero();
      assertThat(engine.coordinators()).isZero();
    }
    assertThat(session.forwarding().size()).isZero();
    assertThat(cluster.timers()).isZero();
    assertThat(cluster.errors()).isEmpty();
    assertThat(admission).containsExactly(3 * 20, 0);
    TreeMap<String, Integer> ways = new TreeMap<>();
    all.forEach(ended -> ways.merge(way(ended), 1, Integer::sum));
    assertThat(ways)
        .containsKeys(
            "Committed",
            "AbortedByApplication",
            "AbortedByConflict",
            "OutcomeUnknown",
            "IllegalArgumentException",
            "OverloadedException");
    engines.forEach(ClientEngine::close);
    assertThat(admission).containsExactly(0, 0);
  }

  @Test
  void ofTransactionsThatCloseEnds() {
    for (int round = 1; round <= 50; round++) {
      Session session = new Session();
      ClientEngine engine =
          cluster.client(100 + round, EngineOptions.DEFAULTS.withLimits(20, 10), session);
      ClientEngine other = cluster.client(200 + round, EngineOptions.DEFAULTS, session);
      List<Ended<String>> all = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        Ended<String> ended = new Ended<>();
        all.add(ended);
        ClientSession chosen = new ClientSession(SessionGuarantee.values());
        (i % 2 == 0 ? engine : other).execute("", options(chosen), body(), ended);
        cluster.run(random.nextInt(500));
      }
      engine.close();
      other.close();
      assertThat(all).allSatisfy(ended -> assertThat(ended.calls()).isEqualTo(1));
      assertThat(session.forwarding().size()).isZero();
      assertThat(cluster.timers()).isZero();
      assertThat(engine.coordinators() + other.coordinators()).isZero();
      assertThat(engine.inFlight() + other.inFlight()).isZero();
    }
    assertThat(cluster.errors()).isEmpty();
  }

  private static String way(Ended<String> ended) {
    return ended.failure() == null
        ? ended.result().getClass().getSimpleName()
        : ended.failure().getClass().getSimpleName();
  }

  private TransactionOptions options(ClientSession chosen) {
    TransactionOptions options =
        TransactionOptions.DEFAULTS
            .withDeadlineMicros(20_000 + random.nextInt(200_000))
            .withRetry(new RetryPolicy(1 + random.nextInt(5), 1_000, 20_000));
    return switch (random.nextInt(8)) {
      case 0 -> options.withoutValidatedAborts();
      case 1 -> options.inSession(chosen);
      case 2 -> options.forReading(ReadLevel.LOCAL);
      case 3 -> options.forReading(ReadLevel.NEWEST_SNAPSHOT);
      case 4 -> options.forReading();
      default -> options;
    };
  }

  /** Reads and writes a few of ten keys, and ends in some way. */
  private TransactionBody<String> body() {
    TypedKey<Long> one = COUNTERS.key(random.nextInt(10));
    TypedKey<Long> two = COUNTERS.key(random.nextInt(10));
    int way = random.nextInt(20);
    return (txn, ctx) ->
        txn.get(
            ctx,
            one,
            (c, a) ->
                txn.get(
                    c,
                    two,
                    (d, b) -> {
                      switch (way) {
                        case 0 -> txn.abort(d);
                        case 1 -> throw new IllegalArgumentException("wanted");
                        case 2 -> txn.commit(d);
                        case 3 -> {
                          txn.add(d, one, 1);
                          txn.scan(d, COUNTERS.all(), 20, (e, rows) -> txn.commit(e));
                        }
                        case 4 -> {
                          txn.put(d, one, 1L);
                          txn.get(d, COUNTERS.key(11), (e, v) -> txn.abort(e));
                        }
                        case 5 -> txn.commit(d, result -> {});
                        default -> {
                          txn.put(d, one, a == null ? 1 : a + 1);
                          txn.put(d, two, b == null ? 1 : b + 1);
                          txn.commit(d);
                        }
                      }
                    }));
  }
}
