package org.mortydb.baselines.twophase;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.baselines.message.LeaderMessage.Append;
import org.mortydb.baselines.message.LeaderMessage.AppendReply;
import org.mortydb.baselines.message.LeaderMessage.Ballot;
import org.mortydb.baselines.message.LeaderMessage.Blocked;
import org.mortydb.baselines.message.LeaderMessage.GiveWay;
import org.mortydb.baselines.message.LeaderMessage.PrepareCommit;
import org.mortydb.baselines.message.LeaderMessage.Rollback;
import org.mortydb.baselines.message.LeaderMessage.SnapshotRead;
import org.mortydb.baselines.message.LeaderMessage.TransactionRead;
import org.mortydb.baselines.message.LeaderMessage.Verdict;
import org.mortydb.baselines.message.LeaderMessage.VerdictAck;
import org.mortydb.baselines.message.LeaderMessage.VersionReply;
import org.mortydb.baselines.message.LogEntry;
import org.mortydb.baselines.spanner.Locking;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.replica.ReplicaOptions;

/** The leader of partition 0 of two, message by message. */
class TwoPhaseTest implements Effects {
  private static final Topology TOPOLOGY = new Topology(1, 0, 0);
  private static final ReplicaId SELF = new ReplicaId(0, 0);
  private static final ReplicaId FOLLOWER = new ReplicaId(0, 1);
  private static final ReplicaId OTHER = new ReplicaId(1, TOPOLOGY.leader(1));
  private static final ClientId CLIENT = new ClientId(7);
  private static final Key HERE = keyOf(0);
  private static final long START = 1_000_000_000;
  private static final ReplicaOptions OPTIONS =
      new ReplicaOptions(500_000, 15_000_000, 50_000, 1_000_000, 16);

  private GroupReplica leader = leader(OPTIONS);
  private final List<Message> toClient = new ArrayList<>();
  private final List<Message> toOther = new ArrayList<>();
  private final List<LogEntry> log = new ArrayList<>();
  private long logged;
  private long now = START;

  private static GroupReplica leader(ReplicaOptions options) {
    return new GroupReplica(SELF, TOPOLOGY, options, BaselineRules.SOUND, Locking.FACTORY);
  }

  private static Key keyOf(int partition) {
    for (int i = 0; ; i++) {
      Key key = Key.of("k" + i);
      if (TOPOLOGY.partitionOf(key) == partition) {
        return key;
      }
    }
  }

  @Override
  public void send(Endpoint to, Message message) {
    if (to.equals(CLIENT)) {
      toClient.add(message);
    } else if (to.equals(OTHER)) {
      toOther.add(message);
    } else if (to.equals(FOLLOWER) && message instanceof Append append) {
      for (int i = 0; i < append.entries().size(); i++) {
        if (append.firstIndex() + i > logged) {
          log.add(append.entries().get(i));
          logged++;
        }
      }
    }
  }

  @Override
  public void broadcast(int partition, Message message) {
    throw new AssertionError("a leader knows whom it tells");
  }

  @Override
  public void armTimer(Timer timer, long delayMicros) {}

  @Override
  public void cancelTimer(Timer timer) {}

  private void receive(Endpoint from, Message message) {
    leader.step(now, new Event.Received(from, message), this);
  }

  private void tickAt(long micros) {
    now = micros;
    leader.step(now, new Event.TimerFired(Timer.TICK), this);
  }

  /** The follower acknowledges all entries that it has received. */
  private void acknowledgeLog() {
    receive(FOLLOWER, new AppendReply(logged, 0));
  }

  private static TxnId txn(long age) {
    return new TxnId(START + age, CLIENT.id(), 0);
  }

  private void read(TxnId txn) {
    receive(CLIENT, new TransactionRead(txn, txn.timeMicros(), 0, HERE));
  }

  private void prepare(TxnId txn, int coordinator, List<Integer> participants, Read... reads) {
    List<Write> writes = List.of(new Write(HERE, 1, Value.of("by " + txn)));
    receive(
        CLIENT,
        new PrepareCommit(
            txn, txn.timeMicros(), coordinator, false, List.of(reads), writes, participants));
  }

  private <T> List<T> clientGot(Class<T> type) {
    List<T> got = toClient.stream().filter(type::isInstance).map(type::cast).toList();
    toClient.clear();
    return got;
  }

  private <T> List<T> otherGot(Class<T> type) {
    List<T> got = toOther.stream().filter(type::isInstance).map(type::cast).toList();
    toOther.clear();
    return got;
  }

  @Test
  void aCommitOfOnePartitionIsOneEntry() {
    TxnId t = txn(1);
    prepare(t, 0, List.of(0));
    assertThat(clientGot(Verdict.class)).isEmpty();
    assertThat(log).hasSize(1).first().isInstanceOf(LogEntry.Committed.class);
    acknowledgeLog();
    Verdict verdict = clientGot(Verdict.class).getFirst();
    assertThat(verdict.isCommit()).isTrue();
    assertThat(verdict.commitMicros() % 2).isZero();
    assertThat(leader.newest(HERE).commitMicros()).isEqualTo(verdict.commitMicros());
    prepare(t, 0, List.of(0));
    assertThat(clientGot(Verdict.class)).containsExactly(verdict);
    assertThat(log).hasSize(1);
    assertThat(leader.openTransactions()).isZero();
  }

  @Test
  void aParticipantVotesWhenAMajorityHoldsItsRecord() {
    TxnId t = txn(1);
    prepare(t, 1, List.of(0, 1));
    assertThat(otherGot(Ballot.class)).isEmpty();
    acknowledgeLog();
    Ballot ballot = otherGot(Ballot.class).getFirst();
    receive(CLIENT, new Rollback(t));
    assertThat(clientGot(Verdict.class)).as("it may not abort by itself any more").isEmpty();
    receive(OTHER, new Verdict(t, ballot.prepareMicros() + 10));
    assertThat(leader.newest(HERE).commitMicros()).isEqualTo(ballot.prepareMicros() + 10);
    assertThat(otherGot(VerdictAck.class)).isEmpty();
    acknowledgeLog();
    assertThat(otherGot(VerdictAck.class)).hasSize(1);
    receive(OTHER, new Verdict(t, ballot.prepareMicros() + 10));
    assertThat(otherGot(VerdictAck.class)).hasSize(1);
    assertThat(log).hasSize(2);
  }

  @Test
  void theCoordinatorWaitsForAllAndTellsUntilAllHaveAcknowledged() {
    TxnId t = txn(1);
    receive(OTHER, new Ballot(t, START + 5_000));
    assertThat(log).isEmpty();
    prepare(t, 0, List.of(0, 1));
    acknowledgeLog();
    Verdict verdict = clientGot(Verdict.class).getFirst();
    assertThat(verdict.commitMicros()).isGreaterThanOrEqualTo(START + 5_000);
    assertThat(otherGot(Verdict.class)).containsExactly(verdict);
    tickAt(START + 600_000);
    assertThat(otherGot(Verdict.class)).containsExactly(verdict);
    receive(OTHER, new VerdictAck(t));
    tickAt(START + 1_200_000);
    assertThat(otherGot(Verdict.class)).isEmpty();
    assertThat(leader.openTransactions()).isZero();
  }

  @Test
  void theCommitIsAboveEveryPrepareInWhateverOrderTheBallotsCome() {
    Topology three = new Topology(1, 0, 0, 0);
    leader = new GroupReplica(SELF, three, OPTIONS, BaselineRules.SOUND, Locking.FACTORY);
    TxnId t = txn(1);
    prepare(t, 0, List.of(0, 1, 2));
    receive(new ReplicaId(2, three.leader(2)), new Ballot(t, START + 9_000));
    receive(OTHER, new Ballot(t, START + 5_000));
    acknowledgeLog();
    assertThat(clientGot(Verdict.class).getFirst().commitMicros())
        .isGreaterThanOrEqualTo(START + 9_000);
  }

  @Test
  void aCommitIsRememberedUntilAllHaveAcknowledgedIt() {
    TxnId t = txn(1);
    prepare(t, 0, List.of(0, 1));
    receive(OTHER, new Ballot(t, START + 5_000));
    acknowledgeLog();
    Verdict verdict = clientGot(Verdict.class).getFirst();
    tickAt(START + 20_000_000);
    toOther.clear();
    receive(OTHER, new Ballot(t, START + 5_000));
    assertThat(otherGot(Verdict.class)).containsExactly(verdict);
    receive(OTHER, new VerdictAck(t));
    tickAt(START + 40_000_000);
    toOther.clear();
    receive(OTHER, new Ballot(t, START + 5_000));
    assertThat(otherGot(Verdict.class)).containsExactly(new Verdict(t, 0));
  }

  private void add(TxnId txn, int coordinator, List<Integer> participants, long n) {
    List<Write> writes = List.of(new Write(HERE, 1, Merge.add(n)));
    receive(
        CLIENT,
        new PrepareCommit(
            txn, txn.timeMicros(), coordinator, false, List.of(), writes, participants));
  }

  @Test
  void sumsArePreparedTogetherAndCommitInAnyOrder() {
    add(txn(1), 1, List.of(0, 1), 5);
    add(txn(2), 1, List.of(0, 1), 70);
    acknowledgeLog();
    List<Ballot> ballots = otherGot(Ballot.class);
    assertThat(ballots).hasSize(2);
    receive(OTHER, new Verdict(txn(2), ballots.getLast().prepareMicros() + 10));
    receive(OTHER, new Verdict(txn(1), ballots.getFirst().prepareMicros()));
    assertThat(leader.newest(HERE).value()).isEqualTo(Merge.apply(Value.ABSENT, Merge.add(75)));
    assertThat(leader.newest(HERE).id().writer()).isEqualTo(txn(2));
    leader.checkInvariants();
  }

  /** Else the other sum could commit below it, and it would not have read that. */
  @Test
  void aSumOfWhoHasReadItsKeyIsPreparedAlone() {
    TxnId reader = txn(1);
    read(reader);
    List<Read> reads = List.of(new Read(HERE, WriteId.INITIAL));
    List<Write> writes = List.of(new Write(HERE, 1, Merge.add(5)));
    receive(
        CLIENT,
        new PrepareCommit(reader, reader.timeMicros(), 1, false, reads, writes, List.of(0, 1)));
    acknowledgeLog();
    long prepareMicros = otherGot(Ballot.class).getFirst().prepareMicros();
    add(txn(2), 0, List.of(0), 70);
    acknowledgeLog();
    assertThat(clientGot(Verdict.class)).isEmpty();
    receive(OTHER, new Verdict(reader, prepareMicros + 100));
    acknowledgeLog();
    assertThat(clientGot(Verdict.class).getFirst().commitMicros())
        .isGreaterThan(prepareMicros + 100);
  }

  @Test
  void aSumThatDoesNotFitIsRefusedAndAborts() {
    add(txn(1), 1, List.of(0, 1), Long.MAX_VALUE - 5);
    add(txn(2), 0, List.of(0), 6);
    assertThat(clientGot(Message.class))
        .containsExactly(
            new Message.Refused(txn(2), Message.Refusal.INVALID, now), new Verdict(txn(2), 0));
    add(txn(3), 1, List.of(0, 1), 5);
    assertThat(clientGot(Message.class)).isEmpty();
    leader.checkInvariants();
  }

  @Test
  void aBallotOfAnAbortAborts() {
    TxnId t = txn(1);
    prepare(t, 0, List.of(0, 1));
    receive(OTHER, new Ballot(t, 0));
    assertThat(clientGot(Verdict.class)).containsExactly(new Verdict(t, 0));
    receive(OTHER, new Ballot(t, START + 5_000));
    assertThat(otherGot(Verdict.class)).contains(new Verdict(t, 0));
    assertThat(log).isEmpty();
  }

  /**
   * Else the first would keep its locks until it asks again, as the Prepare is still on its way.
   */
  @Test
  void aParticipantThatHasVotedLearnsOfAnAbortThatPrecedesTheRequestToPrepare() {
    Topology three = new Topology(1, 0, 0, 0);
    leader = new GroupReplica(SELF, three, OPTIONS, BaselineRules.SOUND, Locking.FACTORY);
    TxnId t = txn(1);
    receive(OTHER, new Ballot(t, START + 5_000));
    receive(new ReplicaId(2, three.leader(2)), new Ballot(t, 0));
    assertThat(otherGot(Verdict.class)).containsExactly(new Verdict(t, 0));
    prepare(t, 0, List.of(0, 1, 2));
    assertThat(clientGot(Verdict.class)).contains(new Verdict(t, 0));
    assertThat(otherGot(Verdict.class)).as("it knows").isEmpty();
    assertThat(log).isEmpty();
  }

  /** It may wait for locks, and neither vote nor be told by the client. */
  @Test
  void aParticipantThatHasNotReportedLearnsOfAnAbortFromTheRequestThatNamesIt() {
    Topology three = new Topology(1, 0, 0, 0);
    leader = new GroupReplica(SELF, three, OPTIONS, BaselineRules.SOUND, Locking.FACTORY);
    TxnId t = txn(1);
    receive(new ReplicaId(2, three.leader(2)), new Ballot(t, 0));
    assertThat(otherGot(Verdict.class)).isEmpty();
    prepare(t, 0, List.of(0, 1, 2));
    assertThat(otherGot(Verdict.class)).containsExactly(new Verdict(t, 0));
    prepare(t, 0, List.of(0, 1, 2));
    assertThat(otherGot(Verdict.class)).as("once").isEmpty();
  }

  /** The wounded transaction's locks elsewhere are in the hands of the coordinator group. */
  @Test
  void aTransactionThatIsWoundedBeforeItsRequestIsReportedToTheCoordinator() {
    TxnId young = txn(5);
    read(young);
    prepare(txn(1), 0, List.of(0));
    assertThat(clientGot(Verdict.class)).contains(new Verdict(young, 0));
    assertThat(otherGot(Ballot.class)).isEmpty();
    prepare(young, 1, List.of(0, 1), new Read(HERE, WriteId.INITIAL));
    assertThat(otherGot(Ballot.class)).containsExactly(new Ballot(young, 0));
  }

  @Test
  void whoLearnsOfAnAbortFromTheCoordinatorNeedNotReportIt() {
    receive(OTHER, new Verdict(txn(1), 0));
    prepare(txn(1), 1, List.of(0, 1));
    assertThat(otherGot(Ballot.class)).isEmpty();
  }

  @Test
  void aParticipantIsNotToldOfItsOwnAbort() {
    prepare(txn(1), 0, List.of(0, 1));
    receive(OTHER, new Ballot(txn(1), 0));
    assertThat(otherGot(Verdict.class)).isEmpty();
  }

  @Test
  void aParticipantThatIsBlockedLearnsOfAnAbortThatPrecedesTheRequestToPrepare() {
    TxnId young = txn(5);
    receive(OTHER, new Blocked(young));
    receive(OTHER, new GiveWay(young));
    assertThat(otherGot(Verdict.class)).containsExactly(new Verdict(young, 0));
  }

  @Test
  void whatComesAfterARollbackFindsNoHold() {
    TxnId t = txn(1);
    receive(CLIENT, new Rollback(t));
    assertThat(clientGot(Verdict.class)).containsExactly(new Verdict(t, 0));
    read(t);
    prepare(t, 0, List.of(0));
    assertThat(clientGot(Verdict.class)).hasSize(2);
    assertThat(log).isEmpty();
    read(txn(2));
    prepare(txn(2), 0, List.of(0), new Read(HERE, WriteId.INITIAL));
    acknowledgeLog();
    assertThat(clientGot(Verdict.class).getFirst().isCommit()).isTrue();
  }

  @Test
  void theLocksOfASilentClientAreReleased() {
    read(txn(1));
    prepare(txn(2), 0, List.of(0));
    assertThat(log).as("the younger waits").isEmpty();
    tickAt(START + 3_900_000);
    prepare(txn(2), 0, List.of(0)); // its client is not silent
    tickAt(START + 4_100_000);
    acknowledgeLog();
    assertThat(clientGot(Verdict.class))
        .contains(new Verdict(txn(1), 0))
        .anyMatch(verdict -> verdict.isCommit() && verdict.txn().equals(txn(2)));
  }

  @Test
  void whoIsBlockedAndInTheWayGivesWay() {
    TxnId young = txn(5);
    prepare(young, 0, List.of(0, 1));
    receive(OTHER, new GiveWay(young));
    assertThat(clientGot(Verdict.class)).as("in the way, but not blocked").isEmpty();
    receive(OTHER, new Blocked(young));
    assertThat(clientGot(Verdict.class)).containsExactly(new Verdict(young, 0));
    assertThat(otherGot(Verdict.class)).containsExactly(new Verdict(young, 0));
  }

  @Test
  void aPreparedTransactionThatKeepsAnOlderOneWaitingIsReported() {
    TxnId young = txn(5);
    prepare(young, 1, List.of(0, 1));
    read(txn(1));
    assertThat(otherGot(GiveWay.class)).containsExactly(new GiveWay(young));
    receive(OTHER, new Verdict(young, 0));
    assertThat(clientGot(VersionReply.class)).hasSize(1);
  }

  @Test
  void aSnapshotWaitsForWhatMayCommitBelowItAndForNothingElse() {
    prepare(txn(1), 1, List.of(0, 1));
    acknowledgeLog();
    long prepareMicros = otherGot(Ballot.class).getFirst().prepareMicros();
    receive(CLIENT, new SnapshotRead(txn(2), 0, HERE, prepareMicros - 1));
    assertThat(clientGot(VersionReply.class)).hasSize(1);
    receive(CLIENT, new SnapshotRead(txn(3), 0, HERE, prepareMicros + 101));
    assertThat(clientGot(VersionReply.class)).isEmpty();
    receive(OTHER, new Verdict(txn(1), prepareMicros + 100));
    VersionReply reply = clientGot(VersionReply.class).getFirst();
    assertThat(reply.version()).isEqualTo(new WriteId(txn(1), 1));
    // Nothing can commit below a snapshot that was served.
    prepare(txn(4), 0, List.of(0));
    acknowledgeLog();
    assertThat(clientGot(Verdict.class).getFirst().commitMicros())
        .isGreaterThan(prepareMicros + 101);
  }

  @Test
  void commitWait() {
    leader = leader(OPTIONS.withClockUncertaintyMicros(1_000));
    prepare(txn(1), 0, List.of(0));
    acknowledgeLog();
    assertThat(clientGot(Verdict.class)).isEmpty();
    assertThat(leader.newest(HERE).id()).isEqualTo(WriteId.INITIAL);
    now += 2_010;
    leader.step(now, new Event.TimerFired(Timer.COMMIT_WAIT), this);
    Verdict verdict = clientGot(Verdict.class).getFirst();
    assertThat(verdict.commitMicros()).isBetween(START + 1_000, now - 1_000);
  }

  @Test
  void whatIsForgottenIsRefused() {
    TxnId old = txn(1);
    prepare(old, 0, List.of(0));
    acknowledgeLog();
    clientGot(Verdict.class);
    tickAt(START + 14_000_000);
    prepare(old, 0, List.of(0));
    assertThat(clientGot(Verdict.class)).hasSize(1);
    tickAt(START + 15_100_000);
    prepare(old, 0, List.of(0));
    assertThat(clientGot(Refused.class)).containsExactly(new Refused(old, Refusal.TRUNCATED, now));
    assertThat(log).hasSize(1);
  }

  @Test
  void whatMayHaveCommittedAndIsForgottenIsNotCalledAborted() {
    TxnId old = txn(1);
    prepare(old, 0, List.of(0));
    acknowledgeLog();
    assertThat(clientGot(Verdict.class).getFirst().isCommit()).isTrue();
    tickAt(START + 15_100_000);
    receive(CLIENT, new Rollback(old));
    assertThat(clientGot(Message.class)).containsExactly(new Refused(old, Refusal.TRUNCATED, now));
  }

  @Test
  void anIdFromTheFutureDoesNotFenceOffThePresent() {
    TxnId ahead = txn(3_600_000_000L);
    read(ahead);
    receive(CLIENT, new Rollback(ahead));
    assertThat(clientGot(Message.class))
        .containsExactly(new Refused(ahead, Refusal.CLOCK_AHEAD, START), new Verdict(ahead, 0));
    tickAt(START + 20_000_000);
    prepare(txn(20_000_000), 0, List.of(0));
    acknowledgeLog();
    assertThat(clientGot(Verdict.class).getFirst().isCommit()).isTrue();
    // The leader still knows that the transaction is over, and its Prepare may still arrive.
    now = START + 3_600_000_000L;
    prepare(ahead, 0, List.of(0));
    assertThat(clientGot(Verdict.class)).containsExactly(new Verdict(ahead, 0));
  }

  @Test
  void undecidedIsWhatHindersOthers() {
    read(txn(1));
    prepare(txn(2), 0, List.of(0));
    assertThat(leader.undecided()).containsExactly(txn(1), txn(2));
    leader.checkInvariants();
    receive(CLIENT, new Rollback(txn(1)));
    acknowledgeLog();
    leader.checkInvariants();
    assertThat(leader.undecided()).isEmpty();
    assertThat(leader.newestCommitted(HERE))
        .isEqualTo(
            new VersionedValue(HERE, new WriteId(txn(2), 1), Value.of("by " + txn(2)), true));
  }

  @Test
  void whoReadsWhatIsReadToBeWrittenWaitsInsteadOfBeingWounded() {
    read(txn(1));
    prepare(txn(1), 0, List.of(0), new Read(HERE, WriteId.INITIAL));
    acknowledgeLog();
    clientGot(Message.class);
    read(txn(2));
    read(txn(3));
    assertThat(clientGot(Message.class))
        .as("of two that would upgrade one would have to abort")
        .containsExactly(new VersionReply(txn(2), 0, new WriteId(txn(1), 1), valueOf(txn(1))));
    prepare(txn(2), 0, List.of(0), new Read(HERE, new WriteId(txn(1), 1)));
    acknowledgeLog();
    assertThat(clientGot(VersionReply.class))
        .containsExactly(new VersionReply(txn(3), 0, new WriteId(txn(2), 1), valueOf(txn(2))));
  }

  private static Value valueOf(TxnId writer) {
    return Value.of("by " + writer);
  }
}
