package org.mortydb.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.ReplicaRules;
import org.mortydb.protocol.system.Morty;
import org.mortydb.sim.host.Observer;

/** One replica ends and serves again with the records that are left of its log. */
class MemoryCheckTest {
  private static final ReplicaId SELF = new ReplicaId(0, 0);
  private static final ReplicaId PEER = new ReplicaId(0, 1);
  private static final TxnId TXN = new TxnId(7, 1, 0);
  private static final ExecutionId EXECUTION = new ExecutionId(TXN, 0);
  private static final LogRecord PREPARED =
      new LogRecord.Prepared(EXECUTION, List.of(), List.of(), List.of(0), false);
  private static final LogRecord DROPPED = new LogRecord.Dropped(TXN, 1);
  private static final LogRecord COMMITTED =
      new LogRecord.Decided(TXN, Outcome.commit(0, List.of(0)));
  private static final LogRecord FETCHED =
      new LogRecord.Executed(EXECUTION, List.of(), List.of(), List.of(0));
  private static final LogRecord REGISTERING = new LogRecord.Registering(new TxnId(9, 0, 0));
  private static final LogRecord SERVING = new LogRecord.Serving(true);
  private static final Message VOTE =
      new Message.PrepareReply(EXECUTION, new PrepareAnswer.Voted(Vote.COMMIT));

  private static final Message PROMISE =
      new Message.FinalizeReply(TXN, View.CLIENT, new FinalizeAnswer.Accepted());

  private final Watch watch =
      new Watch(Morty.SYSTEM, 1, 1, ClusterMap.first(1, 1), new Marks(), Observer.NONE, () -> 0);
  private final MemoryCheck check = new MemoryCheck(watch, _ -> 1);

  private static Replica replica(LogRecord... logged) {
    Replica replica =
        new Replica(SELF, new Topology(1, 1), ReplicaOptions.DEFAULTS, ReplicaRules.SOUND);
    for (LogRecord each : logged) {
      replica.restore(0, each);
    }
    return replica;
  }

  private void votes() {
    check.onOutput(SELF, VOTE);
    check.onSend(SELF, VOTE);
  }

  @Test
  void aVoteMustBeRemembered() {
    check.onAppend(SELF, PREPARED);
    votes();
    check.crashed(SELF, replica(PREPARED));
    check.joined(SELF, replica(PREPARED));
    assertThat(watch.violations()).isEmpty();
    check.joined(SELF, replica());
    assertThat(watch.violations()).hasSize(1);
  }

  @Test
  void aRegistrationNeedsOnlyItsBound() {
    votes();
    check.crashed(SELF, replica(REGISTERING));
    check.joined(SELF, replica(REGISTERING));
    assertThat(watch.violations()).isEmpty();
    check.joined(SELF, replica());
    assertThat(watch.violations()).hasSize(1);
  }

  /** The vote on the registration leaves after the execution is prepared, and before its record. */
  @Test
  void aRegistrationIsNoVoteOnTheSameExecutionThatAClientHasPrepared() {
    check.onOutput(SELF, VOTE);
    check.onAppend(SELF, PREPARED);
    check.onSend(SELF, VOTE);
    check.crashed(SELF, replica(REGISTERING, PREPARED));
    check.joined(SELF, replica(REGISTERING));
    assertThat(watch.violations()).isEmpty();
  }

  /** Another life prepares the same execution, and its vote tells of no registered reads. */
  @Test
  void aRegistrationMayBeForgottenIfNobodyHasHeardOfIt() {
    check.onOutput(SELF, VOTE);
    check.crashed(SELF, replica());
    check.restarted(SELF, replica());
    check.onAppend(SELF, PREPARED);
    votes();
    check.crashed(SELF, replica(PREPARED));
    check.restarted(SELF, replica(PREPARED));
    assertThat(watch.violations()).isEmpty();
    check.restarted(SELF, replica());
    assertThat(watch.violations()).hasSize(1);
  }

  /** Another life registers the reads of the same execution, and its vote needs no record. */
  @Test
  void anExecutionMayBeForgottenIfNobodyHasHeardTheVote() {
    check.onAppend(SELF, PREPARED);
    check.onOutput(SELF, VOTE);
    check.crashed(SELF, replica(PREPARED));
    check.restarted(SELF, replica());
    votes();
    check.crashed(SELF, replica(REGISTERING));
    check.restarted(SELF, replica(REGISTERING));
    assertThat(watch.violations()).isEmpty();
    check.restarted(SELF, replica());
    assertThat(watch.violations()).hasSize(1);
  }

  @Test
  void anExecutionWithAVoteMustBeRemembered() {
    check.onAppend(SELF, PREPARED);
    votes();
    check.crashed(SELF, replica(PREPARED, COMMITTED));
    check.joined(SELF, replica(PREPARED, COMMITTED));
    assertThat(watch.violations()).isEmpty();
    check.joined(SELF, replica(COMMITTED));
    assertThat(watch.violations()).hasSize(1);
  }

  /** It was committed and fetched all the same, but the record of that is lost. */
  @Test
  void anExecutionWhoseVoteWasTakenBackMayBeForgotten() {
    check.onAppend(SELF, PREPARED);
    check.onAppend(SELF, DROPPED);
    votes();
    check.crashed(SELF, replica(COMMITTED, FETCHED));
    check.joined(SELF, replica(COMMITTED));
    assertThat(watch.violations()).isEmpty();
  }

  private static final Key KEY = Key.of("a");
  private static final WriteId NEWER = new WriteId(new TxnId(8, 1, 0), 1);
  private static final LogRecord VERSION = new LogRecord.Version(KEY, NEWER, Value.of("newer"));

  private static TxnId watermark(long timeMicros) {
    return new TxnId(timeMicros, Long.MAX_VALUE, 0);
  }

  private void commits(TxnId txn) {
    commits(txn, Value.of("any"));
  }

  private void commits(TxnId txn, Value value) {
    ExecutionId execution = new ExecutionId(txn, 0);
    Write write = new Write(KEY, 1, value);
    watch
        .prepared()
        .add(new Message.Prepare(execution, List.of(), List.of(), List.of(write), List.of(0)));
    check.committed(txn, new Outcome.Commit(0, List.of(0)));
  }

  /** Two transactions write a key. A peer at or above both sends a part with the newer version. */
  private void isSentTheNewerVersion() {
    commits(TXN);
    commits(NEWER.writer());
    check.onSend(SELF, new Message.Copy(TxnId.INITIAL, KeyRange.ALL.from(), TxnId.INITIAL));
    check.onCopy(
        SELF,
        new Message.CopyReply(
            TxnId.INITIAL,
            KeyRange.ALL.from(),
            KEY,
            1,
            2,
            watermark(8),
            TxnId.INITIAL,
            List.of(new Message.CopiedVersion(KEY, NEWER, Value.of("newer"), TxnId.INITIAL))));
  }

  /** Another peer is copied, which is below both. */
  private void copiesAnotherPeer(LogRecord... logged) {
    check.onSend(SELF, new Message.Copy(watermark(1), KeyRange.ALL.from(), TxnId.INITIAL));
    check.onSend(SELF, new Message.CopyOutcomes(watermark(1)));
    check.caughtUp(SELF, replica(logged));
  }

  @Test
  void aCopyThatIsGivenUpLeavesAVersionWithoutTheOneBelow() {
    isSentTheNewerVersion();
    check.onAppend(SELF, VERSION);
    copiesAnotherPeer(VERSION);
    assertThat(watch.violations()).hasSize(1);
  }

  @Test
  void readersBelowTheFenceMissNoVersion() {
    isSentTheNewerVersion();
    check.onAppend(SELF, VERSION);
    copiesAnotherPeer(new LogRecord.Fenced(watermark(8)), VERSION);
    assertThat(watch.violations()).isEmpty();
  }

  @Test
  void readersBelowTheFloorOfAKeyMissNoVersion() {
    isSentTheNewerVersion();
    check.onAppend(SELF, VERSION);
    copiesAnotherPeer(new LogRecord.Floor(KEY, NEWER.writer()), VERSION);
    assertThat(watch.violations()).isEmpty();
  }

  /** The other peer has the newer version, too, and lists it as the newest. */
  @Test
  void aPartThatTheReplicaRefusesLeavesNoVersion() {
    isSentTheNewerVersion();
    copiesAnotherPeer(VERSION);
    assertThat(watch.violations()).isEmpty();
  }

  /** The last assumption of docs/protocol.md, section 9. */
  @Test
  void aPromiseThatNoPeerKnowsOfMayBeForgottenInAJoin() {
    check.onSend(SELF, PROMISE);
    check.crashed(SELF, replica());
    check.onRoundAnswered(PEER, SELF, TxnId.INITIAL);
    check.onSend(PEER, PROMISE);
    check.onRoundAnswered(PEER, SELF, TxnId.INITIAL);
    check.joined(SELF, replica(SERVING));
    check.crashed(SELF, replica(SERVING));
    check.restarted(SELF, replica(SERVING));
    assertThat(watch.violations()).isEmpty();
  }

  @Test
  void aPromiseThatAPeerKnowsOfMustBeRememberedInAJoin() {
    check.onSend(SELF, PROMISE);
    check.crashed(SELF, replica());
    check.onSend(PEER, PROMISE);
    check.onRoundAnswered(PEER, SELF, TxnId.INITIAL);
    check.joined(SELF, replica(SERVING));
    assertThat(watch.violations()).hasSize(1);
  }

  @Test
  void aPromiseMustBeRememberedInARestart() {
    check.onSend(SELF, new Message.FinalizeReply(TXN, View.CLIENT, new FinalizeAnswer.Accepted()));
    check.crashed(SELF, replica(SERVING));
    check.restarted(SELF, replica(SERVING));
    assertThat(watch.violations()).hasSize(1);
  }

  private static final LogRecord REACHED = new LogRecord.Truncated(watermark(7), watermark(7));
  private static final LogRecord FENCED = new LogRecord.Fenced(watermark(9));
  private static final LogRecord ERASED = new LogRecord.Erased(NEWER.writer(), List.of(KEY));

  /**
   * A copy of all keys of a peer at 9 does not list a key, because it was deleted at 8. This
   * replica has erased it, and ends before it has logged that it has reached 9.
   */
  @Test
  void aCopyMayEraseAKeyBeforeItsWatermarkIsReached() {
    commits(TXN);
    commits(NEWER.writer(), Value.ABSENT);
    check.restarted(SELF, replica(SERVING, FENCED, ERASED, REACHED));
    assertThat(watch.violations()).isEmpty();
  }

  @Test
  void aKeyThatNobodyHasDeletedMustNotBeErased() {
    commits(TXN);
    commits(NEWER.writer());
    check.restarted(SELF, replica(SERVING, FENCED, ERASED, REACHED));
    assertThat(watch.violations()).hasSize(1);
  }

  @Test
  void aKeyThatIsDeletedLaterMustNotBeErased() {
    commits(TXN);
    commits(new TxnId(9, 1, 0), Value.ABSENT);
    check.restarted(SELF, replica(SERVING, FENCED, ERASED, REACHED));
    assertThat(watch.violations()).hasSize(1);
  }
}
