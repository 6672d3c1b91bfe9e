package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.mortydb.client.ClientClosedException;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.NotAuthorizedException;
import org.mortydb.client.OverloadedException;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.Result;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TransactionRefusedException;
import org.mortydb.client.TypedKey;
import org.mortydb.client.engine.CompletionListener.CompletedAttempt;
import org.mortydb.client.fixture.Ended;
import org.mortydb.client.fixture.TestCluster;
import org.mortydb.client.fixture.TestCluster.Network;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.ReexecutionPolicy;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.message.Message.Inquire;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.Message.Push;
import org.mortydb.protocol.message.Message.Put;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystem;

/** Attempts, deadlines, limits and ends. */
class ClientEngineTest {
  private static final KeySpace<String, String> TEXT =
      KeySpace.of("text", Codecs.STRING, Codecs.STRING);
  private static final TypedKey<String> A = TEXT.key("a");

  private static final TransactionBody<String> READ =
      (txn, ctx) -> txn.get(ctx, A, (c, v) -> txn.commit(c.with("" + v)));
  private static final TransactionBody<String> WRITE =
      (txn, ctx) -> {
        txn.put(ctx, A, "written");
        txn.commit(ctx);
      };

  private final TestCluster cluster = new TestCluster(1);

  private ClientEngine engine(EngineOptions options) {
    return cluster.client(1, options);
  }

  private static Ended<String> begin(ClientEngine engine, TransactionBody<String> body) {
    Ended<String> ended = new Ended<>();
    engine.execute("", body, ended);
    return ended;
  }

  private static Ended<String> begin(
      ClientEngine engine, TransactionOptions options, TransactionBody<String> body) {
    Ended<String> ended = new Ended<>();
    engine.execute("", options, body, ended);
    return ended;
  }

  @Test
  void timestampsGrowEvenWhileTheClockStands() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS);
    List<Ended<String>> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(begin(engine, (txn, ctx) -> txn.commit(ctx)));
    }
    List<Long> times = all.stream().map(ended -> ended.result().info().txn().timeMicros()).toList();
    assertThat(times)
        .isEqualTo(LongStream.range(0, 100).mapToObj(i -> TestCluster.START_MICROS + i).toList());
  }

  @Test
  void timestampsFollowAClockThatWasAheadOnce() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS);
    begin(engine, (txn, ctx) -> txn.commit(ctx));
    cluster.clock(() -> TestCluster.START_MICROS + 3_600_000_000L);
    begin(engine, (txn, ctx) -> txn.commit(ctx));
    cluster.clock(() -> TestCluster.START_MICROS + 500);
    Ended<String> later = begin(engine, (txn, ctx) -> txn.commit(ctx));
    assertThat(later.result().info().txn().timeMicros()).isEqualTo(TestCluster.START_MICROS + 500);
  }

  @Test
  void aLostConflictIsTriedAgainUnderANewId() {
    // Without re-execution every stale read is a lost conflict.
    CoordinatorOptions noReexecution =
        new CoordinatorOptions(10_000_000, 2_000_000, 1_000_000, 2_000, 0, ReexecutionPolicy.NEVER);
    ClientEngine engine = engine(EngineOptions.DEFAULTS.withCoordinator(noReexecution));
    ClientEngine other = cluster.client(2, EngineOptions.DEFAULTS);
    List<CompletedAttempt> attempts = new ArrayList<>();
    engine.listen(attempts::add);
    TypedKey<String> slow = TEXT.key("slow");
    cluster.network(
        (from, to, message) ->
            message instanceof Get get && get.key().equals(slow.key()) ? 10_000 : 1_000);
    Ended<String> writer =
        begin(
            other,
            (txn, ctx) ->
                txn.get(
                    ctx,
                    slow,
                    (c, v) -> {
                      txn.put(c, A, "new");
                      txn.commit(c);
                    }));
    cluster.run(500);
    Ended<String> reader =
        begin(
            engine,
            (txn, ctx) ->
                txn.get(ctx, A, (c, a) -> txn.get(c, slow, (d, v) -> txn.commit(d.with("" + a)))));
    cluster.runUntil(() -> reader.isOver() && writer.isOver());
    assertThat(reader.committed()).isEqualTo("new");
    assertThat(reader.result().info().attempts()).isEqualTo(2);
    assertThat(attempts).hasSize(2);
    assertThat(attempts.get(0).completion())
        .isInstanceOfSatisfying(
            Completion.Aborted.class,
            aborted -> assertThat(aborted.reason()).isEqualTo(AbortReason.REEXECUTION_LIMIT));
    assertThat(attempts.get(0).commitMicros()).isEqualTo(-1);
    assertThat(attempts.get(1).completion()).isInstanceOf(Completion.Committed.class);
    assertThat(attempts.get(1).attempt()).isEqualTo(2);
    assertThat(attempts.get(1).callMicros()).isEqualTo(attempts.get(0).callMicros());
    assertThat(attempts.get(1).beginMicros()).isGreaterThanOrEqualTo(attempts.get(0).endMicros());
    assertThat(attempts.get(1).commitMicros())
        .isBetween(attempts.get(1).beginMicros(), attempts.get(1).endMicros());
    assertThat(attempts.get(1).completion().txn())
        .isGreaterThan(attempts.get(0).completion().txn());
  }

  /** Answers every read with a refusal by the replicas' clock. */
  private void refuseReads(ClientEngine engine, Refusal reason) {
    cluster.network(
        (from, to, message) -> {
          if (message instanceof Get && to instanceof ReplicaId && from instanceof ClientId) {
            cluster.at(
                1_000, () -> cluster.deliver(engine, to, new Refused(message.txn(), reason, 1)));
            return Network.LOST;
          }
          return 1_000;
        });
  }

  @Test
  void attemptsAreBounded() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS);
    refuseReads(engine, Refusal.TRUNCATED);
    Ended<String> ended =
        begin(
            engine, TransactionOptions.DEFAULTS.withRetry(new RetryPolicy(5, 1_000, 8_000)), READ);
    cluster.runUntil(ended::isOver);
    assertThat(ended.result())
        .isInstanceOfSatisfying(
            Result.AbortedByConflict.class,
            aborted -> {
              assertThat(aborted.reason()).isEqualTo(AbortReason.TRUNCATED);
              assertThat(aborted.attempts()).isEqualTo(5);
            });
    assertThat(engine.inFlight()).isZero();
  }

  /** With long slots, a region's ids are far before the clock at the end of each cycle. */
  @Test
  void anAttemptWhoseIdFromASlotWasTooOldIsFollowedByOneWithTheTimeOfTheClock() {
    RegionSlots slots = new RegionSlots(0, 5, 1_000_000, 300_000, false);
    ClientEngine engine = engine(EngineOptions.DEFAULTS.withSlots(slots));
    while (slots.place(cluster.nowMicros(), 1_000_000) > cluster.nowMicros() - 3_000_000) {
      cluster.run(100_000);
    }
    cluster.network(
        (from, to, message) -> {
          long fence = cluster.nowMicros() - 1_100_000;
          if (message instanceof Get get && get.txn().timeMicros() <= fence) {
            Refused refused = new Refused(get.txn(), Refusal.TRUNCATED, 1);
            cluster.at(1_000, () -> cluster.deliver(engine, to, refused));
            return Network.LOST;
          }
          return 1_000;
        });
    Ended<String> ended =
        begin(
            engine, TransactionOptions.DEFAULTS.withRetry(new RetryPolicy(2, 1_000, 1_000)), READ);
    cluster.runUntil(ended::isOver);
    assertThat(ended.result())
        .isInstanceOfSatisfying(
            Result.Committed.class,
            committed -> assertThat(committed.info().attempts()).isEqualTo(2));
  }

  @Test
  void theDeadlineHoldsOverAllAttempts() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS);
    refuseReads(engine, Refusal.TRUNCATED);
    Ended<String> ended =
        begin(engine, new TransactionOptions(50_000, new RetryPolicy(1_000, 1_000, 1_000)), READ);
    cluster.runUntil(ended::isOver);
    assertThat(ended.result()).isInstanceOf(Result.AbortedByConflict.class);
    assertThat(ended.result().info().attempts()).isBetween(5, 30);
    assertThat(ended.result().info().latencyMicros()).isBetween(40_000L, 51_000L);
  }

  @Test
  void noAttemptBeginsAfterTheDeadline() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS);
    refuseReads(engine, Refusal.TRUNCATED);
    RetryPolicy rare = new RetryPolicy(1_000, 60_000_000, 60_000_000);
    Ended<String> ended = begin(engine, new TransactionOptions(50_000, rare), READ);
    cluster.runUntil(ended::isOver);
    assertThat(ended.result()).isInstanceOf(Result.AbortedByConflict.class);
    assertThat(ended.result().info().latencyMicros()).isLessThanOrEqualTo(50_000);
  }

  @Test
  void aRefusalForTheContentIsAnErrorAndNotTriedAgain() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS);
    refuseReads(engine, Refusal.WRONG_PARTITION);
    Ended<String> ended = begin(engine, READ);
    cluster.runUntil(ended::isOver);
    assertThat(ended.failure())
        .isInstanceOf(TransactionRefusedException.class)
        .hasMessageContaining("partition layout");
    assertThat(cluster.count(Get.class)).isEqualTo(1);
  }

  @Test
  void aRefusalForLackOfRightsIsAnErrorOfItsOwnAndNotTriedAgain() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS);
    refuseReads(engine, Refusal.NOT_AUTHORIZED);
    Ended<String> ended = begin(engine, READ);
    cluster.runUntil(ended::isOver);
    assertThat(ended.failure())
        .isInstanceOf(NotAuthorizedException.class)
        .hasMessageContaining("this client lacks the right 'write'")
        .hasMessageContaining("server.authorization");
    assertThat(cluster.count(Get.class)).isEqualTo(1);
  }

  @Test
  void aChangeOfTheMapThatIsRefusedNamesTheRightThatItNeeds() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS);
    refuseReads(engine, Refusal.NOT_AUTHORIZED);
    Ended<String> ended = new Ended<>();
    engine.executeUnder(0, "", READ, ended);
    cluster.runUntil(ended::isOver);
    assertThat(ended.failure())
        .isInstanceOf(NotAuthorizedException.class)
        .hasMessageContaining("this client lacks the right 'admin'");
  }

  @Test
  void nobodyAnswersARead() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS);
    cluster.network((from, to, message) -> Network.LOST);
    Ended<String> ended =
        begin(engine, TransactionOptions.DEFAULTS.withDeadlineMicros(3_000_000), READ);
    cluster.runUntil(ended::isOver);
    assertThat(ended.result())
        .isInstanceOfSatisfying(
            Result.AbortedByConflict.class,
            aborted -> assertThat(aborted.reason()).isEqualTo(AbortReason.DEADLINE));
    assertThat(ended.result().info().latencyMicros()).isEqualTo(3_000_000);
    // Asked again, and not the same replica again.
    assertThat(
            cluster.sent().stream()
                .filter(sent -> sent.message() instanceof Get)
                .map(sent -> sent.to())
                .distinct())
        .hasSizeGreaterThan(1);
  }

  @Test
  void nobodyAnswersACommit() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS);
    cluster.network((from, to, message) -> to instanceof ClientId ? Network.LOST : 1_000);
    Ended<String> ended =
        begin(engine, TransactionOptions.DEFAULTS.withDeadlineMicros(3_000_000), WRITE);
    cluster.runUntil(ended::isOver);
    assertThat(ended.result())
        .isInstanceOfSatisfying(
            Result.OutcomeUnknown.class,
            unknown -> assertThat(unknown.txn().clientId()).isEqualTo(1));
    assertThat(ended.result().info().attempts()).isEqualTo(1);
    assertThat(engine.inFlight()).isZero();
  }

  @Test
  void aReplicaThatMissedTheOutcomeIsTold() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS);
    ReplicaId deaf = new ReplicaId(0, 2);
    cluster.network(
        (from, to, message) ->
            message instanceof Decide && to.equals(deaf) && cluster.nowMicros() < 1_000_500_000L
                ? Network.LOST
                : 1_000);
    Ended<String> ended = begin(engine, WRITE);
    cluster.runUntil(ended::isOver);
    ended.committed();
    assertThat(engine.coordinators()).isZero();
    int before = cluster.count(Inquire.class);
    cluster.run(3_000_000);
    assertThat(cluster.count(Inquire.class)).isGreaterThan(before);
    assertThat(
            cluster.sent().stream()
                .filter(
                    sent ->
                        sent.message() instanceof Decide
                            && sent.to().equals(deaf)
                            && sent.from() instanceof ClientId
                            && sent.atMicros() > 1_000_500_000L))
        .isNotEmpty();
  }

  /** Slots lead one engine ahead of the clock, which the other one follows. */
  @Test
  void anEngineFollowsTheCommitsOfAnotherOneInItsSession() {
    Session session = new Session();
    EngineOptions ahead =
        EngineOptions.DEFAULTS.withSlots(new RegionSlots(0, 3, 100_000, 10_000_000, true));
    ClientEngine one = cluster.client(71, ahead, session);
    ClientEngine other = cluster.client(72, EngineOptions.DEFAULTS, session);
    Ended<String> written = begin(one, WRITE);
    cluster.runUntil(written::isOver);
    TxnId writer = written.result().info().txn();
    assertThat(writer.timeMicros()).isGreaterThan(cluster.nowMicros() + 10_000);
    Ended<String> next = begin(other, WRITE);
    cluster.runUntil(next::isOver);
    assertThat(next.result().info().txn().timeMicros()).isEqualTo(writer.timeMicros() + 1);
  }

  @Test
  void outcomesAreRememberedWithinBounds() {
    ClientEngine engine =
        engine(
            new EngineOptions(
                Morty.SYSTEM,
                TransactionOptions.DEFAULTS.withoutValidatedAborts(),
                CoordinatorOptions.DEFAULTS,
                10,
                10,
                3,
                RegionSlots.NONE,
                Admission.OFF,
                PastLimits.UNKNOWN,
                ServerDurability.UNKNOWN));
    List<TxnId> txns = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Ended<String> ended = begin(engine, i == 3 ? (txn, ctx) -> abortAfterWrite(txn, ctx) : WRITE);
      cluster.runUntil(ended::isOver);
      txns.add(ended.result().info().txn());
    }
    List<Message> answers = new ArrayList<>();
    for (TxnId txn : txns) {
      int before = cluster.sent().size();
      cluster.deliver(engine, new ReplicaId(0, 1), new Inquire(txn));
      cluster.sent().stream().skip(before).forEach(sent -> answers.add(sent.message()));
    }
    // Nothing is said of those whose outcome is forgotten: only open ones may not be recovered.
    assertThat(answers)
        .containsExactly(
            new Decide(txns.get(2), Outcome.commit(0, List.of(0))),
            new Decide(txns.get(3), Outcome.ABORT),
            new Decide(txns.get(4), Outcome.commit(0, List.of(0))));
    // Another client's transaction is none of ours.
    int before = cluster.sent().size();
    TxnId foreign = new TxnId(txns.getLast().timeMicros(), 77, 0);
    cluster.deliver(engine, new ReplicaId(0, 1), new Inquire(foreign));
    assertThat(cluster.sent()).hasSize(before);
    // Nor is one of our time with another home, which only somebody else can have named.
    TxnId elsewhere = new TxnId(txns.getLast().timeMicros(), txns.getLast().clientId(), 1);
    cluster.deliver(engine, new ReplicaId(0, 1), new Inquire(elsewhere));
    assertThat(cluster.sent()).hasSize(before);
  }

  /** A replica that only an earlier execution has asked is not told, and may ask (section 3). */
  @Test
  void readOnlyTransactionsThatHaveExecutedAgainAreRemembered() {
    ClientEngine writer = cluster.client(71, EngineOptions.DEFAULTS, new Session());
    ClientEngine reader = cluster.client(72, EngineOptions.DEFAULTS, new Session());
    TypedKey<String> b = TEXT.key("b");
    cluster.network(
        (from, to, message) ->
            message instanceof Prepare || message instanceof Put
                ? 10_000
                : message instanceof Get get && get.key().equals(b.key()) ? 30_000 : 1_000);
    begin(writer, WRITE);
    cluster.run(100);
    Ended<String> read =
        begin(
            reader,
            (txn, ctx) -> txn.get(ctx, A, (c1, a) -> txn.get(c1, b, (c2, v) -> txn.commit(c2))));
    cluster.runUntil(read::isOver);
    assertThat(read.result().info().reexecutions()).isEqualTo(1);
    cluster.run(1_000_000);
    TxnId txn = read.result().info().txn();
    int before = cluster.sent().size();
    cluster.deliver(reader, new ReplicaId(0, 1), new Inquire(txn));
    assertThat(cluster.sent().stream().skip(before).map(sent -> sent.message()))
        .containsExactly(new Decide(txn, Outcome.commit(1, List.of())));
  }

  private static void abortAfterWrite(
      org.mortydb.client.Transaction<String> txn, org.mortydb.client.Context<String> ctx) {
    txn.put(ctx, A, "never");
    txn.get(ctx, TEXT.key("b"), (c, v) -> txn.abort(c));
  }

  private <M extends Message> M firstSent(Class<M> type) {
    return cluster.sent().stream()
        .map(TestCluster.Sent::message)
        .filter(type::isInstance)
        .map(type::cast)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aRecoveryMayCommitAnOlderExecution() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS);
    cluster.network((from, to, message) -> message instanceof PrepareReply ? Network.LOST : 1_000);
    List<String> committed = new ArrayList<>();
    Ended<String> ended =
        begin(
            engine,
            (txn, ctx) ->
                txn.get(
                    ctx,
                    A,
                    (c, v) -> {
                      txn.put(c, TEXT.key("b"), "" + v);
                      txn.commit(c.with("saw " + v), result -> committed.add("it saw " + v));
                    }));
    cluster.run(10_000);
    Get get = firstSent(Get.class);
    Prepare prepare = firstSent(Prepare.class);
    assertThat(prepare.execution().number()).isZero();
    WriteId newer = new WriteId(new TxnId(get.txn().timeMicros() - 1, 9, 0), 1);
    cluster.deliver(
        engine,
        new ReplicaId(0, 0),
        new Push(get.txn(), get.request(), 1_000, newer, Value.of("pushed"), true));
    cluster.run(10_000);
    assertThat(cluster.count(Prepare.class)).isEqualTo(6);
    assertThat(ended.isOver()).isFalse();
    cluster.deliver(
        engine,
        new ReplicaId(0, 0),
        new Decide(get.txn(), Outcome.commit(0, prepare.participants())));
    assertThat(ended.committed()).isEqualTo("saw null");
    assertThat(ended.result().info().reexecutions()).isEqualTo(1);
    assertThat(committed).containsExactly("it saw null");
  }

  @Test
  void pushesThatArriveTogetherMakeForOneReexecution() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS);
    TypedKey<String> b = TEXT.key("b");
    TypedKey<String> unanswered = TEXT.key("c");
    cluster.network(
        (from, to, message) ->
            message instanceof Get get && get.key().equals(unanswered.key())
                ? Network.LOST
                : 1_000);
    List<String> seen = new ArrayList<>();
    begin(
        engine,
        (txn, ctx) ->
            txn.get(
                ctx,
                A,
                (c1, a) -> {
                  seen.add("a=" + a);
                  txn.get(
                      c1,
                      b,
                      (c2, v) -> {
                        seen.add("b=" + v);
                        txn.get(c2, unanswered, (c3, never) -> txn.commit(c3));
                      });
                }));
    cluster.run(10_000);
    TxnId txn = firstSent(Get.class).txn();
    WriteId newer = new WriteId(new TxnId(txn.timeMicros() - 1, 9, 0), 1);
    ReplicaId closest = new ReplicaId(0, 0);
    cluster.deliver(engine, closest, new Push(txn, 1, 1_000, newer, Value.of("b2"), true));
    cluster.deliver(engine, closest, new Push(txn, 0, 1_000, newer, Value.of("a2"), true));
    assertThat(seen).containsExactly("a=null", "b=null");
    cluster.run(1);
    assertThat(seen).containsExactly("a=null", "b=null", "a=a2", "b=b2");
  }

  /** A chain has to be seen while its transactions wait, and must be forgotten with them. */
  @Test
  void anOpenAttemptContendsFromItsFirstReexecutionToItsEnd() {
    RegionSlots slots = new RegionSlots(0, 3, 0, 300_000, false);
    EngineOptions options = EngineOptions.DEFAULTS.withSlots(slots);
    Session session = new Session();
    Contention contention = session.clock(slots).contention();
    ClientEngine engine = cluster.client(1, options, session);
    cluster.network((from, to, message) -> message instanceof Get ? 1_000 : Network.LOST);
    begin(engine, READ);
    cluster.run(10_000);
    assertThat(shareFrom(contention, 0)).isZero();
    Get get = firstSent(Get.class);
    for (int i = 1; i <= 2; i++) {
      WriteId newer = new WriteId(new TxnId(get.txn().timeMicros() - 9 + i, 9, 0), 1);
      Push push = new Push(get.txn(), get.request(), 1_000 + i, newer, Value.of("v" + i), true);
      cluster.deliver(engine, new ReplicaId(0, 0), push);
      cluster.run(1_000);
    }
    assertThat(shareFrom(contention, 10_000_000)).isGreaterThan(0.99);
    engine.close();
    begin(cluster.client(2, options, session), READ);
    assertThat(shareFrom(contention, 20_000_000)).isLessThan(0.01);
  }

  /** Slots are chosen by how much longer attempts take that contend. */
  @Test
  void commitsWithoutContentionSayHowLongAttemptsTake() {
    RegionSlots slots = new RegionSlots(0, 3, 0, 300_000, false);
    EngineOptions options = EngineOptions.DEFAULTS.withSlots(slots);
    Session session = new Session();
    Contention contention = session.clock(slots).contention();
    ClientEngine engine = cluster.client(1, options, session);
    cluster.network((from, to, message) -> 1_000);
    long begun = cluster.nowMicros();
    Ended<String> calm = begin(engine, write("calm"));
    cluster.runUntil(calm::isOver);
    long took = cluster.nowMicros() - begun;
    contention.sample(cluster.nowMicros(), 1_000, 1_000_000);
    assertThat(contention.calmMicros()).isBetween(2_000.0, (double) took);
  }

  /**
   * A chain that has grown without slots would hold up those with ids in slots for as long as it
   * takes (docs/protocol.md, section 12, Other ids).
   */
  @Test
  void attemptsThatWaitBeginAgainWhenSlotsGetLonger() {
    RegionSlots slots = new RegionSlots(1, 3, 0, 300_000, false);
    EngineOptions options = EngineOptions.DEFAULTS.withSlots(slots);
    Session session = new Session();
    ClientEngine engine = cluster.client(1, options, session);
    List<CompletedAttempt> attempts = new ArrayList<>();
    engine.listen(attempts::add);
    cluster.farthest(10_000);
    cluster.network((from, to, message) -> message instanceof Prepare ? Network.LOST : 1_000);
    Ended<String> waiting = begin(engine, write("waiting"));
    Ended<String> once =
        begin(engine, TransactionOptions.DEFAULTS.withRetry(RetryPolicy.NEVER), write("once"));
    cluster.run(40_000);
    Ended<String> young = begin(engine, write("young"));
    long before = cluster.nowMicros();
    useSlots(session.clock(slots), before);
    cluster.network((from, to, message) -> 1_000);
    Ended<String> next = begin(engine, write("next"));
    cluster.runUntil(() -> waiting.isOver() && once.isOver() && young.isOver() && next.isOver());
    assertThat(attempts.stream().map(CompletedAttempt::completion))
        .filteredOn(Completion.Aborted.class::isInstance)
        .extracting(aborted -> ((Completion.Aborted) aborted).reason())
        .containsExactly(AbortReason.RENUMBERED);
    assertThat(waiting.result().info().attempts()).isEqualTo(2);
    assertThat(waiting.result().info().txn().timeMicros()).isGreaterThan(before);
    for (Ended<String> other : List.of(once, young, next)) {
      assertThat(other.result().info().attempts()).isEqualTo(1);
    }
  }

  private static TransactionBody<String> write(String key) {
    return (txn, ctx) -> {
      txn.put(ctx, TEXT.key(key), "written");
      txn.commit(ctx);
    };
  }

  /** Lets a clock see contention until it uses slots. */
  private static void useSlots(SlotClock clock, long fromMicros) {
    for (int i = 0; i < 20; i++) {
      clock.contention().began();
      clock.contention().contends(0);
    }
    for (long passed = 0; clock.lengthMicros() == 0; passed += 1_000) {
      clock.read(fromMicros + passed, 10_000, 0);
    }
  }

  /** Otherwise reads that are over at once would hide a chain, and slots would end. */
  @Test
  void attemptsThatReadThePastAreNotCounted() {
    RegionSlots slots = new RegionSlots(0, 3, 0, 300_000, false);
    Session session = new Session();
    Contention contention = session.clock(slots).contention();
    ClientEngine engine = cluster.client(1, EngineOptions.DEFAULTS.withSlots(slots), session);
    cluster.network((from, to, message) -> Network.LOST);
    engine.execute(
        "", TransactionOptions.DEFAULTS.forReading(ReadLevel.LOCAL), READ, new Ended<>());
    assertThat(engine.inFlight()).isEqualTo(1);
    shareFrom(contention, 0);
    assertThat(contention.meanMicros()).isZero();
    engine.close();
    shareFrom(contention, 10_000_000);
    assertThat(contention.meanMicros()).isZero();
  }

  /** The share after so many samples that what was before no longer counts. */
  private static double shareFrom(Contention contention, long nowMicros) {
    for (int i = 0; i < 100; i++) {
      contention.sample(nowMicros + i * 1_000L, 1_000, 10_000);
    }
    return contention.share();
  }

  @Test
  void whatIsBeyondTheLimitsWaitsOrIsRefused() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS.withLimits(2, 3));
    List<Ended<String>> all = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      all.add(begin(engine, READ));
    }
    assertThat(engine.inFlight()).isEqualTo(2);
    assertThat(engine.queued()).isEqualTo(3);
    assertThat(all.get(5).failure())
        .isInstanceOf(OverloadedException.class)
        .hasMessageContaining("2 transactions in flight")
        .hasMessageContaining("3 queued");
    cluster.runUntil(() -> all.stream().allMatch(Ended::isOver));
    for (int i = 0; i < 5; i++) {
      assertThat(all.get(i).committed()).isEqualTo("null");
    }
    assertThat(engine.inFlight()).isZero();
    assertThat(engine.queued()).isZero();
  }

  @Test
  void theQueueIsPartOfTheDeadline() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS.withLimits(1, 3));
    cluster.network((from, to, message) -> Network.LOST);
    begin(engine, TransactionOptions.DEFAULTS.withDeadlineMicros(4_000_000), READ);
    Ended<String> waiting =
        begin(engine, TransactionOptions.DEFAULTS.withDeadlineMicros(3_000_000), READ);
    cluster.runUntil(waiting::isOver);
    assertThat(waiting.failure())
        .isInstanceOf(OverloadedException.class)
        .hasMessageContaining("3000000 microseconds in the queue");
  }

  @Test
  void closeEndsEverything() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS.withLimits(2, 10));
    cluster.network((from, to, message) -> message instanceof PrepareReply ? Network.LOST : 1_000);
    Ended<String> committing = begin(engine, WRITE);
    Ended<String> reading = begin(engine, READ);
    Ended<String> waiting = begin(engine, READ);
    cluster.run(1_500);
    engine.close();
    assertThat(committing.result()).isInstanceOf(Result.OutcomeUnknown.class);
    assertThat(reading.failure()).isInstanceOf(ClientClosedException.class);
    assertThat(waiting.failure()).isInstanceOf(ClientClosedException.class);
    assertThat(begin(engine, READ).failure()).isInstanceOf(ClientClosedException.class);
    assertThat(engine.inFlight()).isZero();
    int sent = cluster.count(Prepare.class);
    cluster.run(30_000_000);
    assertThat(cluster.count(Prepare.class)).isEqualTo(sent);
    assertThat(committing.calls() + reading.calls() + waiting.calls()).isEqualTo(3);
  }

  @Test
  void closeEndsTheWaitBetweenAttempts() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS);
    refuseReads(engine, Refusal.TRUNCATED);
    Ended<String> ended =
        begin(
            engine,
            TransactionOptions.DEFAULTS.withRetry(new RetryPolicy(3, 5_000_000, 5_000_000)),
            READ);
    cluster.run(100_000);
    assertThat(engine.coordinators()).isZero();
    assertThat(engine.inFlight()).isEqualTo(1);
    engine.close();
    assertThat(ended.failure()).isInstanceOf(ClientClosedException.class);
    assertThat(engine.inFlight()).isZero();
  }

  @Test
  void resultHandlersBeginTheNextTransaction() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS);
    int[] left = {10_000};
    engine.execute(
        "",
        (txn, ctx) -> txn.commit(ctx),
        new ResultHandler<String>() {
          @Override
          public void completed(Result<String> result) {
            if (--left[0] > 0) {
              engine.execute("", (txn, ctx) -> txn.commit(ctx), this);
            }
          }

          @Override
          public void failed(Throwable cause) {
            throw new AssertionError(cause);
          }
        });
    assertThat(left[0]).isZero();
    assertThat(cluster.errors()).isEmpty();
  }

  @Test
  void aListenerThatThrowsKeepsNobodyFromTheResult() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS.withLimits(1, 10));
    engine.listen(
        new CompletionListener() {
          private boolean told;

          @Override
          public void completed(CompletedAttempt attempt) {
            throw new IllegalStateException("of an end");
          }

          @Override
          public void admissionChanged(int limitBy, int waitingBy) {
            if (told) {
              throw new IllegalStateException("of admission");
            }
            told = true;
          }
        });
    Ended<String> first = begin(engine, WRITE);
    Ended<String> second = begin(engine, WRITE);
    cluster.runUntil(() -> first.isOver() && second.isOver());
    assertThat(first.result().isCommitted()).isTrue();
    assertThat(second.result().isCommitted()).isTrue();
    assertThat(engine.inFlight()).isZero();
    assertThat(cluster.errors())
        .extracting(Throwable::getMessage)
        .contains("of an end", "of admission");
  }

  @Test
  void aSystemThatMakesNoCoordinatorFailsTheTransaction() {
    TransactionSystem broken =
        new TransactionSystem() {
          @Override
          public String name() {
            return "broken";
          }

          @Override
          public CoordinatorMachine coordinator(
              AttemptSpec attempt, Topology topology, CoordinatorOptions options) {
            throw new IllegalStateException("no coordinator");
          }

          @Override
          public StateMachine<Effects> replica(
              ReplicaId self, Topology topology, ReplicaOptions options) {
            throw new AssertionError();
          }
        };
    ClientEngine engine = engine(EngineOptions.DEFAULTS.withSystem(broken));
    assertThat(begin(engine, READ).failure()).hasMessage("no coordinator");
    assertThat(engine.inFlight()).isZero();
  }

  @Test
  void theDeadlineInTheQueueHoldsAlthoughTheClockIsSetBack() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS.withLimits(1, 10));
    cluster.network((from, to, message) -> Network.LOST);
    begin(engine, READ);
    Ended<String> waiting =
        begin(engine, TransactionOptions.DEFAULTS.withDeadlineMicros(3_000_000), READ);
    cluster.run(1_000_000);
    cluster.setClientClocks(-3_600_000_000L);
    Ended<String> patient =
        begin(engine, TransactionOptions.DEFAULTS.withDeadlineMicros(8_000_000), READ);
    cluster.run(2_100_000);
    assertThat(waiting.failure()).isInstanceOf(OverloadedException.class);
    assertThat(patient.isOver()).isFalse();
    cluster.run(6_000_000);
    assertThat(patient.failure()).isInstanceOf(OverloadedException.class);
  }

  @Test
  void aClockThatIsSetForwardTakesNoTimeFromRetries() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS);
    refuseReads(engine, Refusal.TRUNCATED);
    Ended<String> ended =
        begin(
            engine, TransactionOptions.DEFAULTS.withRetry(new RetryPolicy(3, 1_000, 1_000)), READ);
    cluster.setClientClocks(3_600_000_000L);
    cluster.runUntil(ended::isOver);
    assertThat(ended.result().info().attempts()).isEqualTo(3);
    assertThat(ended.result().info().latencyMicros()).isLessThan(10_000_000);
  }

  /** Nobody may hear of the commit before the clock has passed it, and that takes an hour. */
  @Test
  void theDeadlineEndsACommitWaitWhoseClockIsSetBack() {
    ClientEngine engine =
        engine(
            EngineOptions.DEFAULTS.withCoordinator(
                CoordinatorOptions.DEFAULTS.withClockUncertaintyMicros(50_000)));
    Ended<String> ended = begin(engine, WRITE);
    cluster.run(20_000);
    assertThat(cluster.count(Decide.class)).isPositive();
    cluster.setClientClocks(-3_600_000_000L);
    cluster.run(13_000_000);
    assertThat(ended.result()).isInstanceOf(Result.OutcomeUnknown.class);
    assertThat(engine.coordinators()).isZero();
    assertThat(cluster.timers()).isZero();
  }

  @Test
  void theDeadlineDoesNotEndACommitWaitThatIsAboutToEnd() {
    ClientEngine engine =
        engine(
            EngineOptions.DEFAULTS.withCoordinator(
                CoordinatorOptions.DEFAULTS.withClockUncertaintyMicros(50_000)));
    Ended<String> ended =
        begin(engine, TransactionOptions.DEFAULTS.withDeadlineMicros(30_000), WRITE);
    cluster.runUntil(ended::isOver);
    assertThat(ended.result().isCommitted()).isTrue();
    assertThat(engine.coordinators()).isZero();
    assertThat(cluster.timers()).isZero();
  }

  /** Otherwise those that have read its writes wait until it is recovered. */
  @Test
  void closeTellsReplicasOfTheEndAlsoWhileAStaleReadWaitsForTheEndOfItsBatch() {
    ClientEngine engine = engine(EngineOptions.DEFAULTS);
    TypedKey<String> slow = TEXT.key("slow");
    cluster.network(
        (from, to, message) ->
            message instanceof Get get && get.key().equals(slow.key()) ? Network.LOST : 1_000);
    Ended<String> ended =
        begin(
            engine,
            (txn, ctx) ->
                txn.get(
                    ctx,
                    A,
                    (c, a) -> {
                      txn.put(c, A, "next");
                      txn.get(c, slow, (d, v) -> txn.commit(d));
                    }));
    cluster.run(10_000);
    assertThat(cluster.count(Put.class)).isPositive();
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
        new ReplicaId(0, 0),
        new Push(get.txn(), get.request(), 1_000, newer, Value.of("pushed"), true));
    engine.close();
    assertThat(ended.failure()).isInstanceOf(ClientClosedException.class);
    assertThat(ended.calls()).isEqualTo(1);
    assertThat(cluster.sent().stream().map(TestCluster.Sent::message))
        .contains(new Decide(get.txn(), Outcome.ABORT));
    assertThat(cluster.timers()).isZero();
  }
}
