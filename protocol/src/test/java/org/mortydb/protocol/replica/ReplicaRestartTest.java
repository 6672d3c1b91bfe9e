package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.INITIAL;
import static org.mortydb.protocol.testing.Make.abort;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.answered;
import static org.mortydb.protocol.testing.Make.client;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.committing;
import static org.mortydb.protocol.testing.Make.copy;
import static org.mortydb.protocol.testing.Make.copyReply;
import static org.mortydb.protocol.testing.Make.drop;
import static org.mortydb.protocol.testing.Make.execution;
import static org.mortydb.protocol.testing.Make.finalizing;
import static org.mortydb.protocol.testing.Make.get;
import static org.mortydb.protocol.testing.Make.got;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.prepared;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.sent;
import static org.mortydb.protocol.testing.Make.tentative;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.value;
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.voted;
import static org.mortydb.protocol.testing.Make.watermark;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Behind;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Fetch;
import org.mortydb.protocol.message.Message.Finalize;
import org.mortydb.protocol.message.Message.Inquire;
import org.mortydb.protocol.message.Message.Recover;
import org.mortydb.protocol.message.Message.RecoverReply;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Vote.Reason;
import org.mortydb.protocol.testing.EffectRecorder.Broadcast;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.EffectRecorder.HeldUntilDurable;
import org.mortydb.protocol.testing.EffectRecorder.Sent;

/** A replica that was restored from its log or a checkpoint (docs/protocol.md, section 8). */
class ReplicaRestartTest {
  private static final ReplicaOptions OPTIONS =
      new ReplicaOptions(500_000, 10_000_000, 50_000, 60_000_000, 4);
  private static final View VIEW = new View(1, 7);
  private static final long T = ReplicaDriver.START_MICROS;

  private final ReplicaDriver replica = started();

  private static ReplicaDriver started() {
    return new ReplicaDriver(replica(1), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND);
  }

  private ReplicaDriver restarted() {
    return replica.restarted(replica.log);
  }

  private static ReplicaDriver fromCheckpoint(ReplicaDriver replica) {
    return replica.restarted(checkpoint(replica, Replica.NO_LOG));
  }

  private static List<LogRecord> checkpoint(ReplicaDriver replica, int mark) {
    ArrayList<LogRecord> checkpoint = new ArrayList<>();
    replica.replica.copyRecords(mark, checkpoint::add);
    int slot = 0;
    while (slot >= 0) {
      slot = replica.replica.copyVersions(slot, 1, checkpoint::add);
    }
    return checkpoint;
  }

  /** Two values in one view could both be accepted: no process proposes in a view twice. */
  @Test
  void aCheckpointHasTheViewsOfItsOwnRecoveries() {
    ReplicaOptions options = ReplicaOptions.DEFAULTS;
    ReplicaDriver second = ReplicaDriver.of(1, 2);
    second.receive(prepare(T, 0).at(0, 1).message()); // homed elsewhere: no promise of its own
    View first = viewOfRecovery(second, options.inquireMicros());
    ReplicaDriver next = fromCheckpoint(second);
    assertThat(viewOfRecovery(next, options.inquireMicros()).isAbove(first)).isTrue();
  }

  /** A checkpoint leaves a vote out that was taken back; the execution may commit all the same. */
  @Test
  void anExecutionThatCommitsAfterItsVoteWasTakenBackIsInTheLog() {
    replica.receive(prepare(T, 0).writes("a", 1, "x").message());
    replica.receive(drop(T, 0));
    List<LogRecord> stored = new ArrayList<>(checkpoint(replica, Replica.NO_LOG));
    int kept = replica.log.size();
    replica.receive(replica(0), commit(T, 0));
    stored.addAll(replica.log.subList(kept, replica.log.size()));
    ExecutionId committed = new ExecutionId(txn(T), 0);
    assertThat(replica.replica.holds(committed)).isTrue();
    assertThat(replica.restarted(stored).replica.holds(committed)).isTrue();
  }

  private static View viewOfRecovery(ReplicaDriver of, long pace) {
    for (int i = 0; i < 4; i++) {
      for (Effect effect : of.tickAfter(pace)) {
        if (effect instanceof Broadcast(int ignored, Recover(TxnId txn, View view))) {
          assertThat(txn).isEqualTo(txn(T));
          return view;
        }
      }
    }
    throw new AssertionError("no recovery began");
  }

  /** What is in neither the checkpoint nor the log is forgotten, wherever the clock stood. */
  @ParameterizedTest
  @ValueSource(longs = {-900_000_000, -30_000_000, 0, 30_000_000, 900_000_000})
  void aCheckpointHasWhatTheLogThatIsKeptDoesNotTell(long jumpMicros) {
    long first = T + 1_000_000_000;
    replica.nowMicros = first;
    install(replica, first, "a", "x");
    replica.replica.mark(1);
    int kept = replica.log.size();
    long second = first + jumpMicros + 60_000;
    replica.nowMicros = second;
    install(replica, second, "b", "y");
    List<LogRecord> checkpoint = checkpoint(replica, 1);
    assertThat(checkpoint).noneMatch(logged -> isOf(logged, txn(second)));
    List<LogRecord> stored = new ArrayList<>(checkpoint);
    stored.addAll(replica.log.subList(kept, replica.log.size()));
    ReplicaDriver next = replica.restarted(stored);
    assertThat(next.replica.outcomeOf(txn(first))).isEqualTo(Outcome.commit(0, List.of(0)));
    assertThat(next.replica.outcomeOf(txn(second))).isEqualTo(Outcome.commit(0, List.of(0)));
  }

  private static boolean isOf(LogRecord logged, TxnId txn) {
    return logged instanceof LogRecord.Decided(TxnId id, Outcome ignored) && id.equals(txn);
  }

  private static void install(ReplicaDriver replica, long at, String key, String value) {
    replica.receive(prepare(at, 0).writes(key, 1, value).message());
    replica.receive(commit(at, 0));
  }

  /** Two values in one view could both be accepted. */
  @Test
  void neverProposesInAViewOfAnEarlierLife() {
    replica.receive(prepare(T, 0).writes("b", 1, "x").message());
    View first = beginsToRecover(replica);
    assertThat(replica.lastStep.indexOf(new HeldUntilDurable()))
        .isLessThan(replica.lastStep.indexOf(new Broadcast(0, new Recover(txn(T), first))));
    View second = beginsToRecover(restarted());
    assertThat(second.isAbove(first)).isTrue();
    ReplicaDriver blank = started();
    blank.replica.join(5, false);
    ReplicaDriver again = started();
    again.replica.join(6, false);
    assertThat(joinersView(blank)).isNotEqualTo(joinersView(again));
  }

  private static View beginsToRecover(ReplicaDriver driver) {
    for (int i = 0; i < 20; i++) {
      for (Effect effect : driver.tickAfter(OPTIONS.inquireMicros())) {
        if (effect instanceof Broadcast(int ignored, Recover(TxnId ignoredToo, View view))) {
          return view;
        }
      }
    }
    throw new AssertionError("no recovery was begun");
  }

  /** The view in which a replica that joins recovers what others have left open. */
  private static View joinersView(ReplicaDriver driver) {
    driver.tickAfter(0);
    TxnId asked =
        driver.lastStep.stream()
            .flatMap(
                effect ->
                    effect instanceof Sent(var ignored, Message.TruncatePrepare prepare)
                        ? Stream.of(prepare.watermark())
                        : null)
            .findFirst()
            .orElseThrow();
    List<Message.Standing> open = List.of(new Message.Standing(txn(T), null));
    driver.receive(replica(0), new Message.TruncateReply(asked, TxnId.INITIAL, open));
    driver.receive(replica(2), new Message.TruncateReply(asked, TxnId.INITIAL, open));
    return driver.lastStep.stream()
        .flatMap(
            effect ->
                effect instanceof Broadcast(int ignored, Recover(TxnId ignoredToo, View view))
                    ? Stream.of(view)
                    : null)
        .findFirst()
        .orElseThrow();
  }

  /** A copy of a peer's versions can end in the log before what it says of their writers. */
  @Nested
  class FromALogThatEndsAmidACopy {
    private final LogRecord copied = new LogRecord.Version(key("a"), version(T, 1), value("x"));

    private List<LogRecord> log(LogRecord... more) {
      replica.receive(prepare(T, 0).writes("a", 1, "x").message());
      ArrayList<LogRecord> log = new ArrayList<>(replica.log);
      log.add(copied);
      log.addAll(List.of(more));
      return log;
    }

    @Test
    void keepsItsVoteAndNoMore() {
      ReplicaDriver next = replica.restarted(log());
      assertThat(next.replica.newestCommitted(key("a"))).isNull();
      assertThat(next.replica.undecided()).containsExactly(txn(T));
      next.receive(commit(T, 0));
      assertThat(next.replica.newestCommitted(key("a")))
          .isEqualTo(committed("a", version(T, 1), "x"));
    }

    @Test
    void keepsItsVoteWhenNewerVersionsPushOutOldOnes() {
      ReplicaDriver next = replica.restarted(log());
      for (int i = 1; i <= 2 * OPTIONS.maxVersionsPerKey(); i++) {
        install(next, T + i, "a", "y" + i);
      }
      next.receive(commit(T, 0));
    }

    @Test
    void hasWhatWasCopiedWithTheOutcome() {
      LogRecord settled = new LogRecord.Settled(txn(T), new Outcome.Commit(0, List.of(0)));
      assertThat(replica.restarted(log(settled)).replica.newestCommitted(key("a")))
          .isEqualTo(committed("a", version(T, 1), "x"));
    }

    @Test
    void hasWhatWasCopiedWithTheWatermark() {
      LogRecord truncated = new LogRecord.Truncated(txn(T), TxnId.INITIAL);
      assertThat(replica.restarted(log(truncated)).replica.newestCommitted(key("a")))
          .isEqualTo(committed("a", version(T, 1), "x"));
    }

    /** The peer had discarded the version, because newer ones had replaced it. */
    @Test
    void doesNotCallAReadDirtyWhoseVersionTheCopyLacked() {
      LogRecord fenced = new LogRecord.Fenced(watermark(T));
      LogRecord settled = new LogRecord.Settled(txn(T), committing(0));
      ReplicaDriver next = replica.restarted(List.of(fenced, settled));
      assertThat(next.receive(prepare(T + 1, 0).reads("a", version(T, 1)).message()))
          .containsExactly(
              toCoordinator(
                  voted(
                      T + 1, 0, new Vote.Abandon(false, Reason.TRUNCATED, List.of(absent("a"))))));
    }
  }

  /** A copy may take longer than the log is kept. */
  @Test
  void aCheckpointAmidACopyHasTheVersionsThatWaitForTheirWriters() {
    replica.receive(prepare(T, 0).writes("a", 1, "x").message());
    replica.receive(replica(0), new Message.Behind(watermark(T), watermark(T)));
    replica.receive(
        replica(0),
        copyReply(
            TxnId.INITIAL,
            "",
            "m",
            watermark(T),
            TxnId.INITIAL,
            new Message.CopiedVersion(key("a"), version(T, 1), value("x"), TxnId.INITIAL)));
    replica.replica.mark(1);
    List<LogRecord> stored = new ArrayList<>(checkpoint(replica, 1));
    stored.add(new LogRecord.Truncated(watermark(T), TxnId.INITIAL));
    assertThat(replica.restarted(stored).replica.newestCommitted(key("a")))
        .isEqualTo(committed("a", version(T, 1), "x"));
  }

  @Nested
  class Remembers {

    @Test
    void voteToCommit() {
      Message vote = prepare(T, 0).reads("a", INITIAL).writes("b", 1, "x").message();
      replica.receive(vote);
      ReplicaDriver next = restarted();
      assertThat(next.replica.holds(execution(T, 0))).isTrue();
      assertThat(next.receive(vote)).containsExactly(toCoordinator(voted(T, 0, Vote.COMMIT)));
      assertThat(next.receive(prepare(T - 1, 0).writes("a", 1, "y").message()))
          .containsExactly(toCoordinator(voted(T - 1, 0, tentative(Reason.WRITE_MISSED))));
      assertThat(next.receive(get(T + 1, 0, "b")))
          .containsExactly(toCoordinator(got(T + 1, 0, 1, prepared("b", version(T, 1), "x"))));
    }

    @Test
    void voteOnCondition() {
      replica.receive(prepare(T, 0).writes("a", 1, "x").message());
      Message reader = prepare(T + 1, 0).reads("a", version(T, 1)).message();
      replica.receive(reader);
      for (ReplicaDriver next : List.of(restarted(), fromCheckpoint(replica))) {
        assertThat(next.replica.holds(execution(T + 1, 0))).isTrue();
        assertThat(next.receive(reader))
            .containsExactly(toCoordinator(voted(T + 1, 0, Vote.COMMIT_ON_CONDITION)));
        assertThat(next.receive(commit(T, 0)))
            .containsExactly(toCoordinator(voted(T + 1, 0, Vote.COMMIT)));
      }
    }

    @Test
    void thatTheConditionOfAVoteHolds() {
      replica.receive(prepare(T, 0).writes("a", 1, "x").message());
      Message reader = prepare(T + 1, 0).reads("a", version(T, 1)).message();
      replica.receive(reader);
      replica.receive(commit(T, 0));
      for (ReplicaDriver next : List.of(restarted(), fromCheckpoint(replica))) {
        assertThat(next.receive(reader)).contains(toCoordinator(voted(T + 1, 0, Vote.COMMIT)));
      }
    }

    @Test
    void thatTheConditionOfAVoteFailed() {
      replica.receive(prepare(T, 0).writes("a", 1, "x").message());
      Message reader = prepare(T + 1, 0).reads("a", version(T, 1)).message();
      replica.receive(reader);
      replica.receive(abort(T));
      for (ReplicaDriver next : List.of(restarted(), fromCheckpoint(replica))) {
        next.tickAfter(0);
        assertThat(next.replica.holds(execution(T + 1, 0))).isFalse();
      }
    }

    @Test
    void outcomeThatDecidesAConditionAndWasNotSeenBeforeTheVoteInACheckpoint() {
      replica.receive(prepare(T, 0).writes("a", 1, "x").message());
      replica.receive(prepare(T + 1, 0).reads("a", version(T, 1)).message());
      ArrayList<LogRecord> log = new ArrayList<>(replica.log);
      log.add(0, new LogRecord.Settled(txn(T), committing(0)));
      log.add(0, new LogRecord.Version(key("a"), version(T, 1), value("x")));
      ReplicaDriver next = replica.restarted(log);
      assertThat(next.tickAfter(0)).contains(toCoordinator(voted(T + 1, 0, Vote.COMMIT)));
    }

    @Test
    void voteThatWasTakenBack() {
      Message vote = prepare(T, 0).reads("a", INITIAL).message();
      replica.receive(vote);
      replica.receive(drop(T, 0));
      ReplicaDriver next = restarted();
      assertThat(next.replica.holds(execution(T, 0))).isFalse();
      assertThat(next.receive(prepare(T - 1, 0).writes("a", 1, "y").message()))
          .containsExactly(toCoordinator(voted(T - 1, 0, Vote.COMMIT)));
    }

    @Test
    void laterVoteInsteadOfTheEarlier() {
      replica.receive(prepare(T, 0).writes("a", 1, "x").message());
      replica.receive(prepare(T, 1).writes("b", 1, "y").message());
      ReplicaDriver next = restarted();
      assertThat(next.replica.holds(execution(T, 1))).isTrue();
      assertThat(next.receive(prepare(T, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(answered(T, 0, new PrepareAnswer.Superseded(1))));
      assertThat(next.replica.newestCommitted(key("a"))).isNull();
    }

    @Test
    void promise() {
      replica.receive(replica(2), new Recover(txn(T), VIEW));
      ReplicaDriver next = restarted();
      assertThat(next.receive(prepare(T, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(answered(T, 0, new PrepareAnswer.Fenced(VIEW))));
      View lower = new View(1, 6);
      assertThat(next.receive(replica(0), new Recover(txn(T), lower)))
          .containsExactly(
              sent(replica(0), new RecoverReply(txn(T), lower, new RecoverAnswer.Fenced(VIEW))));
    }

    @Test
    void acceptance() {
      replica.receive(replica(2), new Finalize(txn(T), VIEW, committing(0)));
      ReplicaDriver next = restarted();
      View higher = new View(2, 1);
      assertThat(next.receive(replica(0), new Recover(txn(T), higher)))
          .containsExactly(
              sent(
                  replica(0),
                  new RecoverReply(
                      txn(T),
                      higher,
                      new RecoverAnswer.Promised(
                          new RecoverAnswer.Accepted(VIEW, committing(0)),
                          RecoverAnswer.NO_EXECUTION,
                          false,
                          List.of()))));
    }

    /** The view of its own recovery is stored before the replica promises it to itself. */
    @Test
    void acceptanceInALowerViewThanThatOfItsOwnRecovery() {
      replica.receive(prepare(T, 0).writes("a", 1, "x").message());
      long pace = OPTIONS.inquireMicros();
      replica.tickAfter(pace);
      assertThat(replica.tickAfter(pace).toString()).contains("Recover[");
      replica.receive(client(T), new Finalize(txn(T), View.CLIENT, committing(0)));
      ReplicaDriver next = restarted();
      View higher = new View(9, 1);
      assertThat(next.receive(replica(0), new Recover(txn(T), higher)))
          .containsExactly(
              sent(
                  replica(0),
                  new RecoverReply(
                      txn(T),
                      higher,
                      new RecoverAnswer.Promised(
                          new RecoverAnswer.Accepted(View.CLIENT, committing(0)),
                          0,
                          true,
                          List.of(0)))));
    }

    @Test
    void outcome() {
      replica.receive(prepare(T, 0).writes("a", 1, "x").message());
      replica.receive(abort(T));
      ReplicaDriver next = restarted();
      assertThat(next.receive(prepare(T, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(answered(T, 0, new PrepareAnswer.Decided(Outcome.ABORT))));
      assertThat(next.replica.undecided()).isEmpty();
    }

    @Test
    void commitWithItsReadsAndWrites() {
      replica.receive(prepare(T, 0).reads("a", INITIAL).writes("b", 1, "x").message());
      replica.receive(commit(T, 0));
      ReplicaDriver next = restarted();
      assertThat(next.replica.newestCommitted(key("b")))
          .isEqualTo(committed("b", version(T, 1), "x"));
      assertThat(next.receive(prepare(T - 1, 0).writes("a", 1, "y").message()))
          .containsExactly(
              toCoordinator(
                  voted(T - 1, 0, new Vote.Abandon(false, Reason.READ_AS_ABSENT, List.of()))));
    }

    @Test
    void commitWhoseExecutionIsStillMissing() {
      replica.receive(commit(T, 0));
      ReplicaDriver next = restarted();
      assertThat(next.tickAfter(OPTIONS.inquireMicros()))
          .contains(sent(replica(2), new Fetch(execution(T, 0))));
      next.receive(replica(2), prepare(T, 0).writes("a", 1, "x").fetched());
      assertThat(next.replica.newestCommitted(key("a")))
          .isEqualTo(committed("a", version(T, 1), "x"));
    }

    @Test
    void commitWhoseExecutionWasFetched() {
      replica.receive(prepare(T, 0).writes("b", 1, "given up").message());
      replica.receive(commit(T, 1));
      replica.receive(replica(2), prepare(T, 1).writes("a", 1, "x").fetched());
      ReplicaDriver next = restarted();
      assertThat(next.replica.newestCommitted(key("a")))
          .isEqualTo(committed("a", version(T, 1), "x"));
      assertThat(next.replica.newestCommitted(key("b"))).isNull();
    }

    @Test
    void outcomeThatWasSettledByACopy() {
      ReplicaDriver next = replica.restarted(List.of(new LogRecord.Settled(txn(T), committing(0))));
      assertThat(next.replica.outcomeOf(txn(T))).isEqualTo(committing(0));
      assertThat(next.receive(client(T), new Inquire(txn(T))))
          .containsExactly(sent(client(T), new Decide(txn(T), committing(0))));
      assertThat(next.tickAfter(2 * OPTIONS.inquireMicros()))
          .doesNotContain(sent(replica(2), new Fetch(execution(T, 0))));
    }

    @Test
    void fence() {
      replica.fence(T);
      ReplicaDriver next = restarted();
      assertThat(next.receive(get(T, 0, "a")))
          .containsExactly(toCoordinator(new Refused(txn(T), Refusal.TRUNCATED, T)));
      assertThat(next.receive(prepare(T, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(voted(T, 0, tentative(Reason.TRUNCATED))));
    }

    @Test
    void watermarkAndWhatARoundDropped() {
      replica.receive(prepare(T, 0).writes("a", 1, "x").message());
      replica.truncate(T);
      ReplicaDriver next = restarted();
      assertThat(next.replica.census().watermarkMicros()).isEqualTo(T);
      assertThat(next.replica.holds(execution(T, 0))).isFalse();
      assertThat(next.receive(replica(2), new Inquire(txn(T))))
          .containsExactly(sent(replica(2), new Decide(txn(T), Outcome.ABORT)));
    }

    @Test
    void whatItHasForgotten() {
      install(replica, T, "a", "x");
      replica.nowMicros = T + 2 * OPTIONS.retentionMicros();
      long reached = T + OPTIONS.retentionMicros();
      replica.truncate(reached);
      replica.reachedEverywhere(T);
      replica.truncate(reached + 1);
      assertThat(replica.replica.outcomeOf(txn(T))).isNull();
      assertThat(restarted().receive(client(T), new Inquire(txn(T))))
          .containsExactly(sent(client(T), new Decide(txn(T), committing(0))));
      assertThat(fromCheckpoint(replica).receive(replica(2), new Inquire(txn(T))))
          .containsExactly(sent(replica(2), new Behind(txn(T), watermark(reached + 1))));
    }

    @Test
    void floorOfAKeyInACheckpoint() {
      for (int i = 1; i <= 5; i++) {
        install(replica, T + 10L * i, "a", "v" + i);
      }
      ReplicaDriver next = fromCheckpoint(replica);
      assertThat(next.receive(get(T + 25, 0, "a")))
          .containsExactly(toCoordinator(new Refused(txn(T + 25), Refusal.TRUNCATED, T)));
      assertThat(next.receive(get(T + 35, 0, "a")))
          .containsExactly(
              toCoordinator(got(T + 35, 0, 1, committed("a", version(T + 30, 1), "v3"))));
    }
  }

  /** The floor of a key that is written often is far above the watermark. */
  @Test
  void aReplicaWithAHotKeyCopiesOnlyWhatIsNewerThanItsWatermark() {
    ReplicaDriver replica = started();
    for (int i = 1; i <= 5; i++) {
      install(replica, T + 10L * i, "a", "v" + i);
    }
    replica.truncate(T + 5);
    for (ReplicaDriver one : List.of(replica, fromCheckpoint(replica))) {
      assertThat(one.receive(replica(2), new Behind(watermark(T + 100), watermark(T + 100))))
          .containsExactly(sent(replica(2), copy(watermark(T + 5))));
    }
  }

  // ---- all of it together ---------------------------------------------------------------------

  private static final List<Long> TIMES =
      List.of(T - 500, T - 400, T, T + 10, T + 20, T + 30, T + 40, T + 50, T + 60);

  private static final List<String> KEYS = List.of("a", "b", "c", "d", "e", "f", "g", "h", "i");

  /** Leads to every kind of record that a log has, but for those that copies and joining add. */
  private static ReplicaDriver everythingHappened() {
    ReplicaDriver replica = started();
    replica.receive(prepare(T - 500, 0).writes("h", 1, "dropped").message());
    install(replica, T - 400, "i", "below the watermark");
    replica.truncate(T - 100);
    install(replica, T, "a", "1");
    replica.receive(prepare(T + 10, 0).reads("a", version(T, 1)).writes("b", 1, "p").message());
    replica.receive(prepare(T + 20, 0).writes("c", 1, "given up").message());
    replica.receive(drop(T + 20, 0));
    replica.receive(prepare(T + 30, 0).writes("e", 1, "recovered").message());
    replica.receive(replica(2), new Recover(txn(T + 30), VIEW));
    replica.receive(finalizing(T + 40, Outcome.ABORT));
    replica.receive(prepare(T + 50, 0).writes("f", 1, "aborted").message());
    replica.receive(abort(T + 50));
    replica.receive(commit(T + 60, 0));
    replica.receive(replica(2), prepare(T + 60, 0).writes("g", 1, "fetched").fetched());
    replica.fence(T - 50);
    return replica;
  }

  private record Question(Endpoint from, Message message) {}

  private static List<Question> questions(List<Long> times) {
    ArrayList<Question> questions = new ArrayList<>();
    for (long t : times) {
      questions.add(new Question(client(t), prepare(t, 0).writes("z", 1, "z").message()));
      questions.add(new Question(client(t), finalizing(t, Outcome.ABORT)));
      questions.add(new Question(replica(0), new Inquire(txn(t))));
      questions.add(new Question(replica(0), new Recover(txn(t), new View(1, 6))));
      questions.add(new Question(replica(0), new Recover(txn(t), new View(3, 1))));
      questions.add(new Question(replica(0), new Fetch(execution(t, 0))));
    }
    for (String key : KEYS) {
      questions.add(new Question(client(T + 90), get(T + 90, 0, key)));
      questions.add(
          new Question(
              client(T + 90),
              prepare(T + 90, 0).reads(key, INITIAL).writes(key, 1, "late").message()));
      questions.add(
          new Question(client(T + 5), prepare(T + 5, 0).writes(key, 1, "early").message()));
    }
    questions.add(
        new Question(client(T + 90), prepare(T + 90, 0).reads("b", version(T + 10, 1)).message()));
    return questions;
  }

  @Test
  void restartedReplicaAnswersAsBefore() {
    ReplicaDriver before = everythingHappened();
    assertThat(before.restarted(before.log).replica.census()).isEqualTo(before.replica.census());
    for (Question question : questions(TIMES)) {
      ReplicaDriver same = everythingHappened();
      ReplicaDriver next = before.restarted(before.log);
      same.receive(question.from, question.message);
      next.receive(question.from, question.message);
      assertThat(next.lastStep).as(question.toString()).isEqualTo(same.lastStep);
    }
  }

  @Test
  void replicaFromACheckpointAnswersAsBefore() {
    // A checkpoint leaves votes out that were taken back: their executions are validated anew.
    ArrayList<Long> times = new ArrayList<>(TIMES);
    times.remove(T + 20);
    for (Question question : questions(times)) {
      ReplicaDriver same = everythingHappened();
      ReplicaDriver next = fromCheckpoint(everythingHappened());
      same.receive(question.from, question.message);
      next.receive(question.from, question.message);
      if (!question.message.toString().contains("key=c")) {
        assertThat(next.lastStep).as(question.toString()).isEqualTo(same.lastStep);
      }
    }
  }

  @Test
  void logAppliedTwiceDoesNoHarm() {
    ReplicaDriver before = everythingHappened();
    ArrayList<LogRecord> twice = new ArrayList<>(before.log);
    twice.addAll(before.log);
    for (Question question : questions(TIMES)) {
      ReplicaDriver once = before.restarted(before.log);
      ReplicaDriver next = before.restarted(twice);
      once.receive(question.from, question.message);
      next.receive(question.from, question.message);
      assertThat(next.lastStep).as(question.toString()).isEqualTo(once.lastStep);
    }
  }

  @Test
  void logThatWasCutClaimsWhatIsInItAndNoMore() {
    ReplicaDriver before = everythingHappened();
    for (int cut = 0; cut <= before.log.size(); cut++) {
      List<LogRecord> durable = before.log.subList(0, cut);
      ReplicaDriver next = before.restarted(durable);
      Claims claims = new Claims(durable);
      assertThat(next.replica.census().fenceMicros()).isEqualTo(claims.fence.timeMicros());
      assertThat(next.replica.census().watermarkMicros()).isEqualTo(claims.watermark.timeMicros());
      for (long t : TIMES) {
        assertThat(next.replica.holds(execution(t, 0)))
            .as("whether %s is held after %s", t, durable)
            .isEqualTo(claims.held.contains(execution(t, 0)));
        assertThat(next.replica.outcomeOf(txn(t)) != null)
            .as("whether %s is decided after %s", t, durable)
            .isEqualTo(claims.decided.contains(txn(t)));
      }
      assertThat(next.replica.undecided())
          .as("undecided after %s", durable)
          .containsExactlyInAnyOrderElementsOf(claims.open);
      next.tickAfter(0);
      for (Question question : questions(TIMES)) {
        next.receive(question.from, question.message); // nothing of it breaks an invariant
      }
    }
  }

  /** What follows from a log by the meaning of its records alone. */
  private static final class Claims {
    TxnId fence = TxnId.INITIAL;
    TxnId watermark = TxnId.INITIAL;
    final Set<ExecutionId> held = new HashSet<>();
    final Set<TxnId> decided = new HashSet<>();
    final Set<TxnId> open = new HashSet<>();

    Claims(List<LogRecord> log) {
      log.forEach(this::add);
    }

    private void add(LogRecord logged) {
      switch (logged) {
        case LogRecord.Prepared prepared -> {
          held.add(prepared.execution());
          open.add(prepared.execution().txn());
        }
        case LogRecord.Dropped(TxnId txn, int ignored) -> {
          held.removeIf(execution -> execution.txn().equals(txn));
          open.remove(txn);
        }
        case LogRecord.Promised ignored -> {}
        case LogRecord.HistoryFrom ignored -> {}
        case LogRecord.Registering ignored -> {}
        case LogRecord.Accepted accepted -> open.add(accepted.txn());
        case LogRecord.Decided(TxnId txn, Outcome outcome) -> {
          decided.add(txn);
          open.remove(txn);
          if (outcome instanceof Outcome.Abort) {
            held.removeIf(execution -> execution.txn().equals(txn));
          }
        }
        case LogRecord.Executed executed -> held.add(executed.execution());
        case LogRecord.Fenced fenced -> fence = fenced.fence();
        case LogRecord.Truncated(TxnId reached, TxnId ignored) -> {
          watermark = reached;
          held.removeIf(
              execution -> !execution.txn().isAfter(reached) && !decided.contains(execution.txn()));
          open.removeIf(txn -> !txn.isAfter(reached));
        }
        case LogRecord.Settled ignored -> throw new AssertionError(logged);
        case LogRecord.Version ignored -> throw new AssertionError(logged);
        case LogRecord.Floor ignored -> throw new AssertionError(logged);
        case LogRecord.Erased ignored -> throw new AssertionError(logged);
        case LogRecord.Locked ignored -> throw new AssertionError(logged);
        case LogRecord.MapsKnown ignored -> throw new AssertionError(logged);
        case LogRecord.Sealed ignored -> throw new AssertionError(logged);
        case LogRecord.Hosted ignored -> throw new AssertionError(logged);
        case LogRecord.Serving ignored -> throw new AssertionError(logged);
      }
    }
  }

  @Test
  void theLogHasEveryKindOfRecordThatAReplicaWritesByItself() {
    Set<Class<?>> kinds = new HashSet<>();
    everythingHappened().log.forEach(logged -> kinds.add(logged.getClass()));
    assertThat(kinds)
        .containsExactlyInAnyOrder(
            LogRecord.Prepared.class,
            LogRecord.Dropped.class,
            LogRecord.Promised.class,
            LogRecord.Accepted.class,
            LogRecord.Decided.class,
            LogRecord.Executed.class,
            LogRecord.Fenced.class,
            LogRecord.Truncated.class);
  }
}
