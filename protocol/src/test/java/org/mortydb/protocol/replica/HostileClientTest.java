package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.model.WriteId.INITIAL;
import static org.mortydb.protocol.testing.Make.abort;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.answered;
import static org.mortydb.protocol.testing.Make.client;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.committing;
import static org.mortydb.protocol.testing.Make.drop;
import static org.mortydb.protocol.testing.Make.execution;
import static org.mortydb.protocol.testing.Make.finalAbandon;
import static org.mortydb.protocol.testing.Make.finalizing;
import static org.mortydb.protocol.testing.Make.get;
import static org.mortydb.protocol.testing.Make.keyIn;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.put;
import static org.mortydb.protocol.testing.Make.range;
import static org.mortydb.protocol.testing.Make.register;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.retract;
import static org.mortydb.protocol.testing.Make.scan;
import static org.mortydb.protocol.testing.Make.sent;
import static org.mortydb.protocol.testing.Make.tentative;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.value;
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.voted;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Fetch;
import org.mortydb.protocol.message.Message.Inquire;
import org.mortydb.protocol.message.Message.NotHeld;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.PrepareAnswer.Superseded;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.testing.Make.Prepares;

/** What a replica does not believe a client (docs/protocol.md, sections 3 and 4). */
class HostileClientTest {
  private static final long RETENTION = ReplicaOptions.DEFAULTS.retentionMicros();

  /** A replica of partition 0 of two. */
  private final ReplicaDriver replica = ReplicaDriver.of(0, 2);

  private void assertRefused(Message message, Refusal reason) {
    ClientId client = new ClientId(message.txn().clientId());
    assertThat(replica.claim(message))
        .containsExactly(sent(client, new Refused(message.txn(), reason, replica.nowMicros)));
    assertThat(replica.log).isEmpty();
    assertThat(replica.replica.census().transactions()).isZero();
  }

  /** Partitions that a transaction cannot have. */
  @Nested
  class Layout {

    private Message.Prepare homedAt(int home, Integer... participants) {
      ExecutionId execution = new ExecutionId(new TxnId(30, 30, home), 0);
      return new Message.Prepare(execution, List.of(), List.of(), List.of(participants));
    }

    @Test
    void homeThatDoesNotExistIsRefused() {
      assertRefused(homedAt(6, 0, 6), Refusal.WRONG_PARTITION);
      TxnId elsewhere = new TxnId(30, 30, 6);
      assertRefused(new Message.Get(elsewhere, 1, keyHere()), Refusal.WRONG_PARTITION);
      assertRefused(new Message.Decide(elsewhere, Outcome.ABORT), Refusal.WRONG_PARTITION);
      assertRefused(
          new Message.Finalize(elsewhere, View.CLIENT, Outcome.ABORT), Refusal.WRONG_PARTITION);
    }

    @Test
    void participantsThatDoNotExistAreRefused() {
      assertRefused(homedAt(0, 0, 2), Refusal.WRONG_PARTITION);
      assertRefused(homedAt(0, 0, Limits.MAX_PARTITIONS), Refusal.WRONG_PARTITION);
    }

    @Test
    void participantsWithoutTheHomePartitionOrThisOneAreRefused() {
      assertRefused(homedAt(1, 0), Refusal.WRONG_PARTITION);
      assertRefused(homedAt(1, 1), Refusal.WRONG_PARTITION);
      assertRefused(homedAt(0), Refusal.WRONG_PARTITION);
    }

    @Test
    void participantsThatDoNotAscendAreRefused() {
      assertRefused(homedAt(0, 1, 0), Refusal.WRONG_PARTITION);
      assertRefused(homedAt(0, 0, 0), Refusal.WRONG_PARTITION);
    }

    @Test
    void outcomesWithSuchParticipantsAreRefused() {
      assertRefused(commit(30, 0, 0, 7), Refusal.WRONG_PARTITION);
      assertRefused(finalizing(30, committing(0, 1, 0)), Refusal.WRONG_PARTITION);
    }

    /** Here is the home partition of the transaction, so nobody else can know its outcome. */
    @Test
    void anOutcomeWithAnotherHomeIsNotTakenFromAClient() {
      ReplicaDriver here = ReplicaDriver.of(0, 2);
      here.receive(prepare(30, 0).reads(keyIn(0, 2, 0).toString(), INITIAL).message());
      TxnId known = here.replica.undecided().iterator().next();
      TxnId elsewhere = new TxnId(known.timeMicros(), known.clientId(), 1);
      here.claim(new Message.Decide(elsewhere, Outcome.commit(0, List.of(1))));
      assertThat(here.replica.undecided()).containsExactly(known);
    }

    /** A peer has accepted it on the word of others: it must end here, too. */
    @Test
    void anOutcomeWithoutTheHomePartitionIsTakenFromAPeer() {
      ReplicaDriver here = ReplicaDriver.of(0, 2);
      here.receive(prepare(30, 0).reads(keyIn(0, 2, 0).toString(), INITIAL).message());
      here.receive(replica(1), commit(30, 0, 1));
      assertThat(here.replica.undecided()).isEmpty();
      assertThat(here.replica.outcomeOf(txn(30))).isEqualTo(committing(0, 1));
    }

    @Test
    void proposalToAnotherPartitionThanTheHomeIsRefused() {
      assertRefused(
          new Message.Finalize(new TxnId(30, 30, 1), View.CLIENT, Outcome.ABORT),
          Refusal.WRONG_PARTITION);
    }
  }

  /**
   * One time of one client with two home partitions. These are two transactions: whoever names the
   * home of an honest one wrongly must not have its outcome agreed on a second time.
   */
  @Nested
  class Homes {
    private final String here = keyIn(1, 2, 0).toString();
    private final ReplicaDriver one = ReplicaDriver.of(1, 2);
    private final TxnId honest = txn(30);
    private final TxnId named = new TxnId(honest.timeMicros(), honest.clientId(), 1);

    /** A reader claims a version of a transaction that has not been here yet. */
    private void readFromNamed() {
      one.receive(prepare(40, 0).reads(here, new WriteId(named, 1)).at(0, 1).message());
    }

    private Message prepareHonest() {
      return prepare(30, 0).writes(here, 1, "v").at(0, 1).message();
    }

    @Test
    void homeThatAReaderNamesIsNotTheOneOfTheWriter() {
      readFromNamed();
      assertThat(one.claim(prepareHonest())).contains(toCoordinator(voted(30, 0, Vote.COMMIT)));
      one.receive(replica(1), new Message.Decide(named, Outcome.ABORT));
      assertThat(one.replica.outcomeOf(honest)).isNull();
      one.receive(replica(1), commit(30, 0, 0, 1));
      assertThat(one.replica.newestCommitted(keyIn(1, 2, 0)))
          .isEqualTo(new VersionedValue(keyIn(1, 2, 0), version(30, 1), value("v"), true));
      assertThat(one.replica.contradictions()).isZero();
    }

    @Test
    void recoveryAtAHomeThatAReaderNamesFencesNoWriter() {
      View view = new View(1, 7);
      assertThat(one.receive(replica(2), new Message.Recover(named, view)))
          .containsExactly(
              sent(
                  replica(2),
                  new Message.RecoverReply(
                      named,
                      view,
                      new RecoverAnswer.Promised(
                          null, RecoverAnswer.NO_EXECUTION, false, List.of()))));
      assertThat(one.claim(prepareHonest())).contains(toCoordinator(voted(30, 0, Vote.COMMIT)));
    }

    @Test
    void ownTransactionOfAClientWithTwoHomesIsTwo() {
      one.claim(prepareHonest());
      one.claim(
          new Message.Prepare(
              new ExecutionId(named, 0),
              List.of(),
              List.of(new Write(keyIn(1, 2, 0), 1, value("w"))),
              List.of(1)));
      assertThat(one.replica.undecided()).containsExactly(named, honest);
      one.claim(new Message.Decide(named, Outcome.ABORT));
      assertThat(one.replica.undecided()).containsExactly(honest);
      one.claim(commit(30, 0, 0, 1));
      assertThat(one.replica.outcomeOf(named)).isEqualTo(Outcome.ABORT);
      assertThat(one.replica.outcomeOf(honest)).isEqualTo(committing(0, 0, 1));
      one.nowMicros += RETENTION;
      one.truncate(1_000);
      assertThat(one.replica.census().watermarkMicros()).isEqualTo(1_000);
      assertThat(one.restarted(one.log).replica.outcomeOf(honest)).isEqualTo(committing(0, 0, 1));
    }
  }

  /** Numbers that a client does not use. */
  @Nested
  class Numbers {

    @Test
    void viewOfARecoveryIsRefused() {
      for (View view : List.of(new View(1, 0), new View(Limits.MAX_NUMBER, -1), new View(0, 7))) {
        assertRefused(new Message.Finalize(txn(30), view, Outcome.ABORT), Refusal.INVALID);
      }
    }

    @Test
    void dropOfTheHighestExecutionLogsNoNumberBeyondIt() {
      replica.claim(drop(30, Limits.MAX_NUMBER));
      replica.claim(prepare(40, Limits.MAX_NUMBER).message());
      replica.claim(drop(40, Limits.MAX_NUMBER));
      assertThat(replica.log)
          .filteredOn(LogRecord.Dropped.class::isInstance)
          .extracting(record -> ((LogRecord.Dropped) record).execution())
          .allMatch(number -> number <= Limits.MAX_NUMBER);
    }

    @Test
    void versionThatIsNotBelowItsReaderIsRefused() {
      long future = replica.nowMicros + 365L * 86_400_000_000L;
      for (WriteId read : List.of(version(future, 1), version(31, 1), version(30, 1))) {
        assertRefused(reading(read), Refusal.INVALID);
      }
      assertRefused(reading(new WriteId(new TxnId(20, 20, 2), 1)), Refusal.INVALID);
    }

    @Test
    void readOfAVersionThatDoesNotExistHidesNoReader() {
      CommittedReads reads = new CommittedReads();
      reads.add(txn(10), txn(100));
      reads.add(txn(50), txn(55));
      assertThat(reads.isReadPast(txn(60))).isTrue();
    }

    @Test
    void transactionAtTheEndOfTimeStopsNoCopy() {
      RecordTable records = new RecordTable(RowLimits.DEFAULTS);
      records.add(new TxnRecord(txn(Limits.MAX_TIME_MICROS)));
      assertThat(records.after(TxnId.INITIAL, 1).timeMicros()).isEqualTo(Limits.MAX_TIME_MICROS);
    }

    private Message reading(WriteId read) {
      return new Message.Prepare(
          execution(30, 0), List.of(new Read(keyHere(), read)), List.of(), List.of(0));
    }

    @Test
    void abortsFarAheadOfTheClockFillNoMemory() {
      long ahead = replica.nowMicros + ReplicaOptions.DEFAULTS.allowedSkewMicros();
      for (int i = 1; i <= 2 * Limits.MAX_AHEAD; i++) {
        replica.stepUnchecked(received(finalizing(ahead + i * 1_000_000L, Outcome.ABORT)));
      }
      assertThat(replica.replica.census().transactions()).isEqualTo(Limits.MAX_AHEAD);
    }
  }

  /** Sets that are valid, but too long for a message. */
  @Nested
  class Sizes {

    /** A read of one of the longest keys, in a bucket of this partition. */
    private static Read longRead(int number) {
      String key = "{" + keyHere() + "}" + number;
      return new Read(Key.of(key + "k".repeat(Limits.MAX_KEY_BYTES - key.length())), INITIAL);
    }

    /** It fits in a frame of a client, and not in an answer to the peers that lack it. */
    @Test
    void executionThatNoPeerCouldFetchIsRefused() {
      List<Read> reads = IntStream.range(0, 4_000).mapToObj(Sizes::longRead).toList();
      assertRefused(
          new Message.Prepare(execution(30, 0), reads, List.of(), List.of(0)), Refusal.OVERSIZED);
      Message most =
          new Message.Prepare(execution(30, 0), reads.subList(0, 3_800), List.of(), List.of(0));
      assertThat(replica.claim(most)).containsExactly(toCoordinator(voted(30, 0, Vote.COMMIT)));
    }
  }

  /** Values of which one key cannot have both. */
  @Nested
  class Values {
    private final String key = keyHere().toString();

    /** The second one would replace a committed value, also at each restart. */
    @Test
    void twoWritesOfOneKeyAreRefused() {
      for (int second : new int[] {1, 2}) {
        Message few = prepare(30, 0).writes(key, 1, "x").writes(key, second, "y").message();
        assertRefused(few, Refusal.INVALID);
        Prepares many = prepare(30, 0).writes(key, 1, "x");
        for (int i = 1; i <= 20; i++) {
          many.writes(keyIn(0, 2, i).toString(), 1, "x");
        }
        assertRefused(many.writes(key, second, "y").message(), Refusal.INVALID);
      }
    }

    private ReplicaDriver withCopied(WriteId version) {
      return replica.restarted(List.of(new LogRecord.Version(keyHere(), version, value("copied"))));
    }

    /** Late, or on purpose: this replica knows of the commit by the copy alone. */
    @Test
    void retractionLeavesACopiedVersion() {
      ReplicaDriver next = withCopied(version(30, 1));
      next.claim(retract(30, 5, key));
      assertThat(next.replica.newestCommitted(keyHere()))
          .isEqualTo(committed(key, version(30, 1), "copied"));
    }

    /** A peer has another outcome, which the client has told it alone. */
    @Test
    void anotherValueThanACopiedOneStopsNoReplica() {
      WriteId copied = version(30, 2);
      ReplicaDriver next = withCopied(copied);
      next.claim(prepare(30, 0).writes(key, 1, "own").message());
      next.claim(commit(30, 0));
      assertThat(next.replica.outcomeOf(txn(30))).isEqualTo(committing(0));
      assertThat(next.replica.newestCommitted(keyHere()))
          .isEqualTo(committed(key, copied, "copied"));
    }
  }

  /** Very many messages of one kind take a replica no longer each than a few. */
  @Nested
  @Timeout(10)
  class Floods {
    private static final int MANY = 100_000;

    /** This has taken 30 s. */
    @Test
    void ofScansOfOneTransaction() {
      ReplicaDriver one = new ReplicaDriver();
      for (int request = 0; request < MANY; request++) {
        one.stepUnchecked(received(scan(30, request, range("a", "b"), 1)));
      }
      one.stepUnchecked(received(abort(30)));
      assertThat(one.effects()).hasSize(MANY);
      one.stepUnchecked(received(put(20, 0, "aa", 1, "x")));
      assertThat(one.effects()).as("no subscription is left").isEmpty();
    }

    /** This has taken 32 s. */
    @Test
    void ofReadersOfOneKey() {
      ReplicaDriver one = new ReplicaDriver();
      for (int i = 0; i < MANY; i++) {
        one.stepUnchecked(received(get(30 + i, 1, "a")));
      }
      assertThat(one.effects()).hasSize(MANY);
    }

    /** Each looked for the subscription among all of the reader, and among all of the key. */
    @Test
    void ofGetsOfOneKeyUnderNewNumbers() {
      ReplicaDriver one = new ReplicaDriver();
      one.stepUnchecked(received(get(30, 0, "a")));
      for (int i = 1; i < MANY; i++) {
        one.stepUnchecked(received(get(30, i, "b" + i)));
        one.stepUnchecked(received(get(30 + i, 1, "a")));
      }
      one.effects();
      for (int i = 0; i < MANY; i++) {
        one.stepUnchecked(received(get(30, MANY + i, "a")));
      }
      assertThat(one.effects()).hasSize(MANY);
      one.stepUnchecked(received(get(30, MANY, "a")));
      assertThat(one.effects()).as("to an earlier number").isEmpty();
    }
  }

  /** The replica may have millions of keys, and the message is short. */
  @Test
  void aScanOfAllKeysThatListsNoneIsValidatedAsFarAsAVoteTellsWhatItMissed() {
    ReplicaDriver one =
        new ReplicaDriver(new ReplicaOptions(500_000, 10_000_000, 50_000, 60_000, 2));
    long t = one.nowMicros;
    String half = "x".repeat(Limits.MAX_FRESH_BYTES / 2);
    one.receive(prepare(t, 0).writes("a", 1, half).writes("b", 1, half).message());
    one.receive(commit(t, 0));
    for (int i = 1; i <= 3; i++) { // the reader below is too old for this key
      one.receive(prepare(t + 10 + i, 0).writes("c", 1, "x").message());
      one.receive(commit(t + 10 + i, 0));
    }
    ExecutionId reader = new ExecutionId(txn(t + 5), 0);
    one.claim(new Message.Register(reader, List.of(), List.of(KeyRange.ALL)));
    assertThat(one.last(PrepareReply.class).answer())
        .isInstanceOfSatisfying(
            PrepareAnswer.Voted.class,
            voted ->
                assertThat(voted.vote())
                    .isInstanceOfSatisfying(
                        Vote.Abandon.class,
                        abandon -> {
                          assertThat(abandon.fresh()).hasSize(2);
                          assertThat(abandon.reason()).isEqualTo(Vote.Reason.MISSED_WRITE);
                        }));
  }

  /**
   * A scan of all keys under an id ahead of the clock, which makes the writers below retry: for the
   * allowed skew at most, whatever the client claims of it (docs/reference/security.md).
   */
  @Nested
  class ScansAheadOfTheClock {
    private static final long SKEW = ReplicaOptions.DEFAULTS.allowedSkewMicros();

    private final ReplicaDriver all = new ReplicaDriver();
    private final long ahead = all.nowMicros + SKEW;

    private Message.Register scanAt(long micros) {
      return new Message.Register(
          new ExecutionId(txn(micros), 0), List.of(), List.of(KeyRange.ALL));
    }

    /** The vote on a writer that comes after the scan. */
    private Vote voteOnWriterAt(long micros) {
      all.receive(prepare(micros, 0).writes("b", 1, "x").message());
      return all.last(PrepareReply.class).answer() instanceof PrepareAnswer.Voted(Vote vote)
          ? vote
          : null;
    }

    private void assertHindersForTheSkewAlone() {
      assertThat(voteOnWriterAt(ahead - 1)).isInstanceOf(Vote.Abandon.class);
      all.nowMicros += SKEW;
      assertThat(voteOnWriterAt(ahead - 2)).isInstanceOf(Vote.Abandon.class);
      assertThat(voteOnWriterAt(ahead + 1)).isEqualTo(Vote.COMMIT);
    }

    @Test
    void areNotRegisteredBeyondTheAllowedSkew() {
      assertThat(all.claim(scanAt(ahead + 1)))
          .containsExactly(toCoordinator(voted(ahead + 1, 0, tentative(Vote.Reason.CLOCK_AHEAD))));
      assertThat(voteOnWriterAt(ahead)).isEqualTo(Vote.COMMIT);
    }

    @Test
    void thatAreRegisteredHinderForTheSkewAlone() {
      assertThat(all.claim(scanAt(ahead))).contains(toCoordinator(voted(ahead, 0, Vote.COMMIT)));
      assertHindersForTheSkewAlone();
    }

    @Test
    void whoseCommitIsClaimedHinderForTheSkewAlone() {
      all.claim(prepare(ahead, 0).scans("a", "z").message());
      all.claim(commit(ahead, 0));
      assertThat(all.replica.outcomeOf(txn(ahead))).isEqualTo(committing(0));
      assertHindersForTheSkewAlone();
    }
  }

  /** Outcomes that only the client knows. */
  @Nested
  class Claims {

    @Test
    void commitOfWhatWasNeverPreparedLeavesNothingAndIsAskedAbout() {
      assertThat(replica.claim(commit(30, 0)))
          .containsExactly(
              sent(replica(1), new Inquire(txn(30))), sent(replica(2), new Inquire(txn(30))));
      assertThat(replica.log).isEmpty();
      assertThat(replica.replica.census().transactions()).isZero();
    }

    @Test
    void commitOfAnotherExecutionThanThePreparedOneIsAskedAbout() {
      replica.claim(prepare(30, 0).message());
      assertThat(replica.claim(commit(30, 1))).contains(sent(replica(1), new Inquire(txn(30))));
      assertThat(replica.claim(commit(30, 0, 0, 1)))
          .contains(sent(replica(1), new Inquire(txn(30))));
      assertThat(replica.replica.outcomeOf(txn(30))).isNull();
    }

    @Test
    void commitOfThePreparedExecutionIsTaken() {
      replica.claim(prepare(30, 0).message());
      assertThat(replica.claim(commit(30, 0))).isEmpty();
      assertThat(replica.replica.outcomeOf(txn(30))).isEqualTo(committing(0));
    }

    @Test
    void commitThatTheReplicaHasAcceptedIsTaken() {
      replica.claim(finalizing(30, committing(0)));
      replica.claim(commit(30, 0));
      assertThat(replica.replica.outcomeOf(txn(30))).isEqualTo(committing(0));
    }

    @Test
    void outcomeAgainstTheAcceptedOneIsNotTaken() {
      replica.claim(prepare(30, 0).message());
      replica.claim(finalizing(30, committing(0)));
      replica.claim(abort(30));
      assertThat(replica.replica.outcomeOf(txn(30))).isNull();
    }

    @Test
    void commitThenAbortStopsNothing() {
      replica.claim(prepare(30, 0).message());
      replica.claim(commit(30, 0));
      replica.claim(abort(30));
      replica.receive(replica(1), abort(30));
      assertThat(replica.replica.outcomeOf(txn(30))).isEqualTo(committing(0));
      assertThat(replica.replica.contradictions()).isEqualTo(2);
    }

    /** Its own writes then differ between replicas: docs/reference/security.md says so. */
    @Test
    void ofTwoOutcomesEachReplicaKeepsTheOneThatItWasTold() {
      ReplicaDriver other = ReplicaDriver.of(0, 2);
      for (ReplicaDriver one : List.of(replica, other)) {
        one.claim(prepare(30, 0).writes(keyHere().toString(), 1, "x").message());
      }
      replica.claim(commit(30, 0));
      other.claim(abort(30));
      assertThat(replica.replica.outcomeOf(txn(30))).isEqualTo(committing(0));
      assertThat(other.replica.outcomeOf(txn(30))).isEqualTo(Outcome.ABORT);
    }

    /** Nor can replicas agree on what read them: docs/reference/security.md says so. */
    @Test
    void ofTwoOutcomesTheVotesOnAReaderFollow() {
      String key = keyHere().toString();
      ReplicaDriver other = ReplicaDriver.of(0, 2);
      for (ReplicaDriver one : List.of(replica, other)) {
        one.claim(prepare(30, 0).writes(key, 1, "x").message());
        assertThat(one.receive(prepare(40, 0).reads(key, version(30, 1)).message()))
            .contains(toCoordinator(voted(40, 0, Vote.COMMIT_ON_CONDITION)));
      }
      assertThat(replica.claim(commit(30, 0))).contains(toCoordinator(voted(40, 0, Vote.COMMIT)));
      assertThat(other.claim(abort(30)))
          .contains(toCoordinator(voted(40, 0, finalAbandon(Vote.Reason.DIRTY_READ, absent(key)))));
    }

    @Test
    void abortOfTheUnknownLeavesNothing() {
      assertThat(replica.claim(abort(30))).isEmpty();
      assertThat(replica.log).isEmpty();
      assertThat(replica.replica.census().transactions()).isZero();
    }

    @Test
    void whatTheReplicaCannotCheckIsRecoveredInTheEnd() {
      replica.claim(put(30, 0, keyHere().toString(), 1, "x"));
      replica.claim(commit(30, 0));
      replica.tickAfter(2 * ReplicaOptions.DEFAULTS.inquireMicros());
      assertThat(replica.tickAfter(2 * ReplicaOptions.DEFAULTS.inquireMicros()))
          .extracting(Object::toString)
          .anyMatch(effect -> effect.contains("Recover["));
    }
  }

  /** The commit of an execution that no replica holds. */
  @Nested
  class Phantoms {
    private final NotHeld lack = new NotHeld(execution(30, 7));

    @Test
    void stopsNoWatermarkOnceAllPeersHaveSaidThatTheyLackIt() {
      replica.receive(replica(1), commit(30, 7));
      replica.receive(replica(1), lack);
      replica.nowMicros += RETENTION;
      replica.truncate(1_000);
      assertThat(replica.replica.census().watermarkMicros()).isZero();
      replica.receive(replica(2), lack);
      replica.tickAfter(50_000);
      assertThat(replica.replica.census().watermarkMicros()).isEqualTo(1_000);
      assertThat(replica.replica.contradictions()).isEqualTo(1);
    }

    @Test
    void stopsNoWatermarkWhenOnePeerIsDown() {
      replica.receive(replica(1), commit(30, 7));
      for (int i = 0; i < 4; i++) {
        replica.receive(replica(2), lack);
        replica.tickAfter(ReplicaOptions.DEFAULTS.inquireMicros());
      }
      replica.receive(replica(2), lack);
      replica.nowMicros += RETENTION;
      replica.truncate(1_000);
      assertThat(replica.replica.census().watermarkMicros()).isEqualTo(1_000);
    }

    @Test
    void peerThatHoldsItIsHeardFirst() {
      replica.receive(replica(1), commit(30, 7));
      replica.receive(replica(2), lack);
      replica.receive(replica(1), prepare(30, 7).fetched());
      assertThat(replica.replica.holds(execution(30, 7))).isTrue();
      replica.receive(replica(1), lack);
      assertThat(replica.replica.contradictions()).isZero();
    }

    @Test
    void isCalledOneByAReplicaWithoutIt() {
      assertThat(replica.receive(replica(1), new Fetch(execution(30, 7))))
          .containsExactly(sent(replica(1), lack));
      replica.claim(prepare(30, 6).reads(keyHere().toString(), INITIAL).message());
      assertThat(replica.receive(replica(1), new Fetch(execution(30, 7))))
          .containsExactly(sent(replica(1), lack));
    }

    @Test
    void restartDoesNotFetchItAgain() {
      replica.receive(replica(1), commit(30, 7));
      replica.receive(replica(1), lack);
      replica.receive(replica(2), lack);
      ReplicaDriver next = replica.restarted(replica.log);
      assertThat(next.tickAfter(2 * ReplicaOptions.DEFAULTS.inquireMicros()))
          .extracting(Object::toString)
          .noneMatch(effect -> effect.contains("Fetch["));
    }
  }

  /**
   * A Register after a Prepare, which no client sends that follows the protocol. A restart takes
   * the votes from the log in their order, so none may follow that is lower than one taken back.
   */
  @Nested
  class RegisteredLate {
    private final String key = keyHere().toString();

    private void assertSuperseded(ReplicaDriver by, int seen, Message request) {
      int execution = ((Message.Prepare) request).execution().number();
      assertThat(by.claim(request))
          .containsExactly(toCoordinator(answered(30, execution, new Superseded(seen))));
    }

    @Test
    void lowerExecutionGetsNoVoteAfterwards() {
      replica.claim(prepare(30, 0).message());
      replica.claim(register(30, 5));
      assertSuperseded(replica, 5, prepare(30, 1).reads(key, INITIAL).message());
      assertSuperseded(replica, 5, prepare(30, 0).message());
    }

    @Test
    void voteThatARestartHasFoundTakenBackStaysSo() {
      replica.claim(prepare(30, 0).message());
      replica.claim(drop(30, 4));
      List<LogRecord> all = replica.log;
      for (List<LogRecord> retained : List.of(all, all.subList(all.size() - 1, all.size()))) {
        ReplicaDriver next = replica.restarted(retained);
        next.claim(register(30, 6));
        assertSuperseded(next, 6, prepare(30, 1).reads(key, INITIAL).message());
      }
    }

    @Test
    void everyVoteGivenAfterwardsIsRestored() {
      for (int number : new int[] {0, 1, 5, 6}) {
        ReplicaDriver one = ReplicaDriver.of(0, 2);
        one.claim(prepare(30, 0).message());
        one.claim(register(30, 5));
        one.claim(prepare(30, number).reads(key, INITIAL).message());
        ReplicaDriver next = one.restarted(one.log);
        assertThat(next.replica.undecided()).isEqualTo(one.replica.undecided());
      }
    }

    /** Otherwise a read that nobody can take back would keep its key in memory for good. */
    @Test
    void requestOfTheSameNumberLeavesNoPreparedRead() {
      replica.claim(prepare(30, 0).message());
      replica.claim(register(30, 5));
      replica.claim(prepare(30, 1).reads(key, INITIAL).message());
      ReplicaDriver next = replica.restarted(replica.log);
      next.claim(register(30, 5)); // a late repeat
      assertThat(next.replica.undecided()).isEmpty();
    }
  }

  private static Key keyHere() {
    return keyIn(0, 2, 0);
  }

  private static Event received(Message message) {
    return new Event.Received(client(message.txn().clientId()), message);
  }
}
