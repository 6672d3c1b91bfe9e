package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.INITIAL;
import static org.mortydb.protocol.testing.Make.abort;
import static org.mortydb.protocol.testing.Make.client;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.finalAbandon;
import static org.mortydb.protocol.testing.Make.get;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.put;
import static org.mortydb.protocol.testing.Make.range;
import static org.mortydb.protocol.testing.Make.register;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.sent;
import static org.mortydb.protocol.testing.Make.takeBack;
import static org.mortydb.protocol.testing.Make.tentative;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.uncommitted;
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.voted;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Inquire;
import org.mortydb.protocol.message.Message.RegistrationLogged;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Vote.Reason;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.EffectRecorder.HeldUntilDurable;
import org.mortydb.protocol.testing.EffectRecorder.Sent;

/** Read-only transactions at a replica (docs/protocol.md, section 3). */
class ReplicaRegisterTest {
  private static final ReplicaId SELF = new ReplicaId(0, 0);
  private static final Vote PAST = tentative(Reason.REGISTERED_READ);

  private static final long LEAD_MICROS = LoggedBound.leadMicros(ReplicaOptions.DEFAULTS);

  private final ReplicaDriver replica = new ReplicaDriver();

  private void install(long t, String key, String value) {
    replica.receive(prepare(t, 0).writes(key, 1, value).message());
    replica.receive(commit(t, 0));
  }

  private static Read read(String key, WriteId version) {
    return new Read(key(key), version);
  }

  /** The vote on a Register or Prepare, without what the replica tells itself. */
  private static List<Effect> votes(List<Effect> effects) {
    return effects.stream()
        .filter(effect -> !(effect instanceof Sent sent && sent.to().equals(SELF)))
        .toList();
  }

  private void assertVote(Message request, ExecutionId execution, Vote vote) {
    assertThat(votes(replica.receive(request)))
        .containsExactly(
            toCoordinator(voted(execution.txn().timeMicros(), execution.number(), vote)));
  }

  private void assertRegisters(long t, Read... reads) {
    Message.Register register = register(t, 0, reads);
    assertVote(register, register.execution(), Vote.COMMIT);
  }

  private void assertVote(long writer, String key, Vote vote) {
    Message.Prepare prepare = prepare(writer, 0).writes(key, 1, "w").message();
    assertVote(prepare, prepare.execution(), vote);
  }

  /** The log is durable so far. */
  private void forced() {
    replica.receive(SELF, new RegistrationLogged(bound(replica.log)));
  }

  private static TxnId bound(List<LogRecord> log) {
    return log.stream()
        .filter(LogRecord.Registering.class::isInstance)
        .map(logged -> ((LogRecord.Registering) logged).upTo())
        .reduce((a, b) -> b)
        .orElseThrow();
  }

  private boolean wasHeld() {
    return replica.lastStep.stream().anyMatch(HeldUntilDurable.class::isInstance);
  }

  @Test
  void noWriterBetweenTheVersionReadAndTheReaderGetsAVote() {
    install(20, "a", "x");
    assertRegisters(50, read("a", version(20, 1)), read("b", INITIAL));
    assertVote(30, "a", PAST);
    assertVote(31, "b", PAST);
    assertVote(60, "a", Vote.COMMIT);
    assertVote(10, "a", Vote.COMMIT); // nobody has missed it
  }

  @Test
  void nothingOfTheReaderIsKeptOrLoggedButABound() {
    int before = replica.log.size();
    replica.receive(get(50, 0, "a"));
    assertRegisters(50, read("a", INITIAL));
    assertThat(replica.replica.census().transactions()).isZero();
    assertThat(replica.replica.undecided()).isEmpty();
    assertThat(replica.log.subList(before, replica.log.size()))
        .containsExactly(new LogRecord.Registering(new TxnId(50 + LEAD_MICROS, Long.MAX_VALUE, 0)));
  }

  @Test
  void theReaderIsToldOfNothingMore() {
    replica.receive(get(50, 0, "a"));
    assertRegisters(50, read("a", INITIAL));
    assertThat(votes(replica.receive(put(40, 0, "a", 1, "x")))).isEmpty();
  }

  /** What it has shown the reader again is left after the vote. The client says that it is over. */
  @Test
  void aCommitWithoutParticipantsEndsWhatIsLeftOfTheReaderAndNotItsReads() {
    install(20, "a", "x");
    replica.receive(get(50, 0, "a"));
    assertRegisters(50, read("a", version(20, 1)));
    replica.receive(get(50, 1, "a"));
    assertThat(votes(replica.receive(put(44, 0, "a", 1, "y")))).hasSize(1); // it is shown
    Message over = new Message.Decide(txn(50), Outcome.commit(0, List.of()));
    assertThat(votes(replica.receive(client(50), over))).isEmpty();
    assertThat(inquiries()).isEmpty();
    assertThat(votes(replica.receive(put(45, 0, "a", 1, "y")))).isEmpty();
    assertVote(30, "a", PAST);
  }

  @Test
  void aMissedWriteIsAnsweredWithTheVersionToSee() {
    install(20, "a", "w");
    install(40, "a", "x");
    Message.Register missed = register(50, 0, read("a", version(20, 1)));
    assertVote(
        missed,
        missed.execution(),
        finalAbandon(Reason.MISSED_WRITE, committed("a", version(40, 1), "x")));
    replica.receive(put(45, 0, "b", 1, "y"));
    Message.Register unsettled = register(51, 0, read("b", INITIAL));
    assertVote(
        unsettled,
        unsettled.execution(),
        tentative(Reason.MISSED_WRITE, uncommitted("b", version(45, 1), "y")));
    assertVote(44, "b", Vote.COMMIT); // the read was not registered
  }

  @Test
  void theVoteWaitsUntilTheVersionReadHasCommitted() {
    replica.receive(prepare(40, 0).writes("a", 1, "x").message());
    assertThat(replica.receive(register(50, 0, read("a", version(40, 1))))).isEmpty();
    assertThat(votes(replica.receive(commit(40, 0))))
        .contains(toCoordinator(voted(50, 0, Vote.COMMIT)));
    assertVote(45, "a", PAST);
  }

  @Test
  void theVoteIsAnAbandonIfTheVersionReadNeverCommits() {
    replica.receive(prepare(40, 0).writes("a", 1, "x").message());
    replica.receive(register(50, 0, read("a", version(40, 1))));
    assertThat(votes(replica.receive(abort(40))))
        .hasSize(1)
        .first()
        .asString()
        .contains("DIRTY_READ");
    assertVote(45, "a", Vote.COMMIT);
  }

  /** What the replica asks about transactions that have stayed undecided long enough. */
  private List<Effect> inquiries() {
    return replica.tickAfter(ReplicaOptions.DEFAULTS.inquireMicros()).stream()
        .filter(effect -> effect instanceof Sent sent && sent.message() instanceof Inquire)
        .toList();
  }

  /** The reader may never ask this replica about an execution that has read the version. */
  @Test
  void anUnsettledVersionThatPreventsARegistrationIsInquiredAbout() {
    replica.receive(put(40, 0, "a", 1, "x"));
    replica.receive(put(41, 0, "b", 1, "y"));
    assertThat(inquiries()).isEmpty();
    replica.receive(register(50, 0, read("a", INITIAL)));
    assertThat(inquiries())
        .containsExactly(
            sent(client(40), new Inquire(txn(40))),
            sent(replica(1), new Inquire(txn(40))),
            sent(replica(2), new Inquire(txn(40))));
    replica.receive(replica(1), abort(40));
    assertRegisters(51, read("a", INITIAL));
  }

  /** Other replicas hold other versions, whose writers have aborted here. */
  @Test
  void anUnsettledVersionThatAReaderOfAnAbortedOneShouldSeeIsInquiredAbout() {
    replica.receive(put(40, 0, "a", 1, "x"));
    replica.receive(put(45, 0, "a", 1, "y"));
    replica.receive(abort(45));
    Message.Register dirty = register(50, 0, read("a", version(45, 1)));
    assertVote(
        dirty,
        dirty.execution(),
        finalAbandon(Reason.DIRTY_READ, uncommitted("a", version(40, 1), "x")));
    assertThat(inquiries()).contains(sent(client(40), new Inquire(txn(40))));
  }

  @Test
  void aScanIsRegisteredForKeysThatItDidNotFind() {
    Message.Register scan =
        new Message.Register(new ExecutionId(txn(50), 0), List.of(), List.of(range("a", "c")));
    assertVote(scan, scan.execution(), Vote.COMMIT);
    assertVote(40, "b", PAST);
    assertVote(41, "d", Vote.COMMIT);
  }

  /** The record of a registered reader is gone: nothing shows that the request is an old one. */
  @Test
  void aLateRequestOfAnOlderExecutionHidesNoScan() {
    Message.Register scan =
        new Message.Register(new ExecutionId(txn(50), 1), List.of(), List.of(range("a", "c")));
    assertVote(scan, scan.execution(), Vote.COMMIT);
    Message.Register older =
        new Message.Register(new ExecutionId(txn(50), 0), List.of(), List.of(range("d", "e")));
    assertVote(older, older.execution(), Vote.COMMIT);
    assertVote(40, "b", PAST);
    assertVote(41, "d", PAST);
  }

  @Test
  void aRegisteredReadOfAbsenceMissesAllWritesBelowIt() {
    assertRegisters(50, read("a", INITIAL));
    assertVote(20, "a", PAST);
    install(60, "a", "x");
    assertRegisters(70, read("a", version(60, 1)));
    assertVote(30, "a", PAST);
    assertVote(55, "a", Vote.COMMIT);
  }

  @Test
  void aRepeatedRequestGetsAnotherVote() {
    assertRegisters(50, read("a", INITIAL));
    assertRegisters(50, read("a", INITIAL));
  }

  @Test
  void whatCannotBeRightIsRefused() {
    assertThat(replica.receive(register(50, 0, read("a", version(50, 1)))))
        .first()
        .asString()
        .contains("INVALID");
  }

  // ---- reads taken back -----------------------------------------------------------------------

  @Test
  void aReadThatItsReaderHasGivenUpAbandonsNobody() {
    install(20, "a", "x");
    assertRegisters(50, read("a", version(20, 1)), read("b", INITIAL));
    assertVote(30, "a", PAST);
    assertThat(replica.receive(takeBack(50, 0, "a", "b"))).isEmpty();
    assertVote(31, "a", Vote.COMMIT);
    assertVote(32, "b", Vote.COMMIT);
  }

  /** Nobody would ever end the record: the reader has no outcome. */
  @Test
  void nothingIsKeptOfAReaderThatHasGivenUp() {
    assertRegisters(50, read("a", INITIAL));
    replica.receive(takeBack(50, 0, "a"));
    assertThat(replica.replica.census().transactions()).isZero();
  }

  @Test
  void theReadsOfOthersAndOfLaterExecutionsStay() {
    assertRegisters(50, read("a", INITIAL), read("b", INITIAL));
    assertRegisters(60, read("b", INITIAL));
    Message.Register next = register(50, 1, read("a", INITIAL));
    assertVote(next, next.execution(), Vote.COMMIT);
    replica.receive(takeBack(50, 0, "a", "b"));
    assertVote(40, "a", PAST); // by the next execution
    assertVote(41, "b", PAST); // by the other reader
    replica.receive(takeBack(60, 0, "b"));
    assertVote(42, "b", Vote.COMMIT);
    replica.receive(takeBack(50, 1, "a"));
    assertVote(43, "a", Vote.COMMIT);
  }

  @Test
  void aReadTakenBackUncoversTheOnesBefore() {
    assertRegisters(50, read("a", INITIAL));
    assertRegisters(60, read("a", INITIAL));
    replica.receive(takeBack(60, 0, "a"));
    assertVote(55, "a", Vote.COMMIT);
    assertVote(45, "a", PAST);
  }

  @Test
  void onlySoManyReadsOfAKeyCanBeTakenBackAndTheOthersStay() {
    install(20, "a", "x");
    for (int i = 0; i <= RegisteredReads.MOST_RECENT; i++) {
      assertRegisters(1_000 + i, read("a", version(20, 1)));
    }
    for (int i = 0; i <= RegisteredReads.MOST_RECENT; i++) {
      replica.receive(takeBack(1_000 + i, 0, "a"));
    }
    assertVote(999, "a", PAST); // the first reader
    assertVote(1_001, "a", Vote.COMMIT);
  }

  @Test
  void aScanThatWasGivenUpAbandonsNobody() {
    Message.Register scan =
        new Message.Register(new ExecutionId(txn(50), 1), List.of(), List.of(range("a", "c")));
    assertVote(scan, scan.execution(), Vote.COMMIT);
    replica.receive(takeBack(50, 0));
    assertVote(40, "b", PAST);
    replica.receive(takeBack(50, 1));
    assertVote(41, "b", Vote.COMMIT);
  }

  @Test
  void aRegistrationThatWaitsIsGivenUp() {
    replica.receive(prepare(40, 0).writes("a", 1, "x").message());
    replica.receive(register(50, 0, read("a", version(40, 1))));
    replica.receive(takeBack(50, 0, "a"));
    assertThat(votes(replica.receive(commit(40, 0)))).isEmpty();
    assertVote(45, "a", Vote.COMMIT);
  }

  /** The writer's client may have counted it: f+1 of them are final. */
  @Test
  void aVoteThatFollowedFromTheReadStands() {
    assertRegisters(50, read("a", INITIAL));
    Message.Prepare writer = prepare(40, 0).writes("a", 1, "w").message();
    assertVote(writer, writer.execution(), PAST);
    replica.receive(takeBack(50, 0, "a"));
    assertVote(writer, writer.execution(), PAST);
    assertForgets(replica.restarted(replica.log));
  }

  // ---- the disk -------------------------------------------------------------------------------

  @Test
  void theFirstAnswerWaitsForTheBoundAndTheNextDoNot() {
    assertRegisters(50, read("a", INITIAL));
    assertThat(wasHeld()).isTrue();
    forced();
    assertRegisters(60, read("a", INITIAL));
    assertThat(wasHeld()).isFalse();
  }

  @Test
  void theBoundIsRaisedAheadOfTheReaders() {
    assertRegisters(50, read("a", INITIAL));
    forced();
    replica.nowMicros += LEAD_MICROS;
    assertRegisters(50 + LEAD_MICROS / 2 + 1, read("a", INITIAL));
    List<Effect> step = replica.lastStep;
    assertThat(step.indexOf(new HeldUntilDurable()))
        .as("the reader is answered before anything is held")
        .isGreaterThan(0);
    assertThat(step.getFirst()).isInstanceOf(Sent.class);
    assertThat(bound(replica.log).timeMicros()).isGreaterThan(50 + LEAD_MICROS);
  }

  @Test
  void aConfirmationThatWasLostIsAskedForAgain() {
    assertRegisters(50, read("a", INITIAL));
    assertThat(replica.tickAfter(1_000))
        .contains(new Sent(SELF, new RegistrationLogged(bound(replica.log))));
    forced();
    assertThat(replica.tickAfter(1_000))
        .noneMatch(effect -> effect instanceof Sent sent && sent.to().equals(SELF));
  }

  @Test
  void aWriterHearsOfARegisteredReadOnceNoRestartForgetsIt() {
    assertRegisters(50, read("a", INITIAL));
    assertVote(40, "a", PAST);
    assertThat(wasHeld()).isTrue();
    forced();
    assertVote(41, "a", PAST);
    assertThat(wasHeld()).isFalse();
  }

  @Test
  void afterARestartNoWriterUpToTheBoundGetsAVote() {
    assertRegisters(50, read("a", INITIAL));
    assertForgets(replica.restarted(replica.log));
    List<LogRecord> checkpoint = new ArrayList<>();
    replica.replica.copyRecords(Replica.NO_LOG, checkpoint::add);
    assertForgets(replica.restarted(checkpoint));
  }

  private static void assertForgets(ReplicaDriver restarted) {
    Vote maybe = tentative(Reason.TRUNCATED);
    assertThat(restarted.receive(prepare(40, 0).writes("z", 1, "w").message()))
        .containsExactly(toCoordinator(voted(40, 0, maybe)));
    long above = 51 + LEAD_MICROS;
    restarted.nowMicros += LEAD_MICROS;
    assertThat(restarted.receive(prepare(above, 0).writes("z", 1, "w").message()))
        .containsExactly(toCoordinator(voted(above, 0, Vote.COMMIT)));
  }
}
