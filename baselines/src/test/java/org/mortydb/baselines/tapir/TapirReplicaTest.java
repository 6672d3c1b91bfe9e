package org.mortydb.baselines.tapir;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.baselines.machine.Recorder;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.ReplicaRules;

class TapirReplicaTest {
  private static final long RETENTION = 10_000;
  private static final long INQUIRE = 1_000;
  private static final long SKEW = 500;
  private static final Topology TOPOLOGY = new Topology(1, 0);
  private static final Endpoint CLIENT = new ClientId(7);
  private static final Endpoint PEER = new ReplicaId(0, 1);
  private static final Key X = Key.of("x");
  private static final TxnId A = new TxnId(1_000, 1, 0);
  private static final TxnId B = new TxnId(1_000, 2, 0);

  private final TapirReplica replica =
      new TapirReplica(
          new ReplicaId(0, 0),
          TOPOLOGY,
          new ReplicaOptions(SKEW, RETENTION, 50, INQUIRE, 100),
          ReplicaRules.SOUND);
  private final Recorder out = new Recorder(TOPOLOGY);
  private long now = 1_000;

  @Test
  void readsAreAnsweredWithTheNewestCommittedVersion() {
    assertThat(read()).isEqualTo(new TapirMessage.GetReply(A, 3, WriteId.INITIAL, Value.ABSENT));
    prepareWrite(B, 1_100);
    assertThat(read().version()).isEqualTo(WriteId.INITIAL);
    receive(new TapirMessage.Commit(B, stamp(B, 1_100)));
    assertThat(read())
        .isEqualTo(new TapirMessage.GetReply(A, 3, new WriteId(stamp(B, 1_100), 1), Value.of("v")));
  }

  @Test
  void aProposalIsAnsweredTheSameWayAgain() {
    assertThat(prepareWrite(A, 1_100)).isEqualTo(PrepareResult.OK);
    assertThat(prepareRead(B, 1_200)).isEqualTo(PrepareResult.ABSTAIN);
    receive(new TapirMessage.Abort(A));
    assertThat(prepareRead(B, 1_200)).isEqualTo(PrepareResult.ABSTAIN);
    assertThat(prepareRead(B, 1_201)).isEqualTo(PrepareResult.OK);
  }

  @Test
  void aLaterProposalReplacesAnEarlierOne() {
    assertThat(prepareWrite(A, 1_100)).isEqualTo(PrepareResult.OK);
    assertThat(prepareWrite(A, 1_300)).isEqualTo(PrepareResult.OK);
    assertThat(prepareRead(B, 1_200)).isEqualTo(PrepareResult.OK);
    receive(prepare(A, 1_100, List.of(), List.of(write())));
    assertThat(out.take()).as("an overtaken proposal is not answered").isEmpty();
  }

  @Test
  void whatAMajorityPreparedIsPreparedHereTooOnceFinal() {
    prepareWrite(A, 1_100);
    assertThat(prepareRead(B, 1_200)).isEqualTo(PrepareResult.ABSTAIN);
    receive(new TapirMessage.Finalize(B, stamp(B, 1_200)));
    assertThat(out.take(TapirMessage.FinalizeReply.class)).hasSize(1);
    assertThat(replica.undecided()).containsExactly(A, B);
    TxnId writer = new TxnId(1_000, 3, 0);
    assertThat(prepareWrite(writer, 1_150)).isEqualTo(new PrepareResult.Retry(1_200));
  }

  @Test
  void aFinalizeOfWhatNeverArrivedOrIsOvertakenIsNotAnswered() {
    receive(new TapirMessage.Finalize(A, stamp(A, 1_100)));
    prepareWrite(A, 1_200);
    receive(new TapirMessage.Finalize(A, stamp(A, 1_100)));
    assertThat(out.take()).isEmpty();
  }

  @Test
  void aProposalThatComesAfterItsAbortIsIgnored() {
    receive(new TapirMessage.Abort(A));
    assertThat(out.take(TapirMessage.OutcomeReply.class))
        .containsExactly(new TapirMessage.OutcomeReply(A, true));
    receive(prepare(A, 1_100, List.of(), List.of(write())));
    assertThat(out.take()).isEmpty();
    assertThat(replica.undecided()).isEmpty();
  }

  @Test
  void aCommitWithoutSetsAsksForThem() {
    TxnId stamp = stamp(A, 1_100);
    receive(new TapirMessage.Commit(A, stamp));
    assertThat(out.take(TapirMessage.OutcomeReply.class))
        .containsExactly(new TapirMessage.OutcomeReply(A, false));
    receive(new TapirMessage.Install(A, stamp, List.of(), List.of(write())));
    receive(new TapirMessage.Install(A, stamp, List.of(), List.of(write())));
    receive(new TapirMessage.Commit(A, stamp));
    assertThat(out.take(TapirMessage.OutcomeReply.class))
        .containsOnly(new TapirMessage.OutcomeReply(A, true));
    assertThat(read().version()).isEqualTo(new WriteId(stamp, 1));
  }

  @Test
  void aCommitAtALaterStampThanTheOneKnownIsInstalledThere() {
    prepareWrite(A, 1_100);
    receive(new TapirMessage.Commit(A, stamp(A, 1_300)));
    assertThat(read().version()).isEqualTo(new WriteId(stamp(A, 1_300), 1));
    assertThat(replica.undecided()).isEmpty();
  }

  @Test
  void peersAreAskedAboutWhatStaysPrepared() {
    prepareWrite(A, 1_100);
    now += INQUIRE - 1;
    tick();
    assertThat(out.take()).isEmpty();
    now += 1;
    tick();
    assertThat(out.take())
        .containsExactly(
            new Recorder.Sent(new ReplicaId(0, 1), new TapirMessage.Inquire(A)),
            new Recorder.Sent(new ReplicaId(0, 2), new TapirMessage.Inquire(A)));
    receive(PEER, new TapirMessage.Commit(A, stamp(A, 1_100)));
    now += 2 * INQUIRE;
    out.take();
    tick();
    assertThat(out.take()).isEmpty();
  }

  @Test
  void peersAreToldHowATransactionEnded() {
    prepareWrite(A, 1_100);
    receive(PEER, new TapirMessage.Inquire(A));
    assertThat(out.take()).isEmpty();
    receive(new TapirMessage.Commit(A, stamp(A, 1_100)));
    receive(new TapirMessage.Abort(B));
    out.take();
    receive(PEER, new TapirMessage.Inquire(A));
    receive(PEER, new TapirMessage.Inquire(B));
    assertThat(out.take())
        .containsExactly(
            new Recorder.Sent(PEER, new TapirMessage.Commit(A, stamp(A, 1_100))),
            new Recorder.Sent(PEER, new TapirMessage.Abort(B)));
  }

  @Test
  void whatIsOverIsForgottenAndCannotComeBack() {
    prepareWrite(A, 1_100);
    prepareRead(B, 1_200);
    receive(new TapirMessage.Commit(A, stamp(A, 1_100)));
    TxnId open = new TxnId(1_001, 4, 0);
    prepareRead(open, 1_050);
    now += RETENTION + SKEW;
    tick();
    assertThat(replica.records()).isEqualTo(1);
    assertThat(replica.undecided()).containsExactly(open);
    out.take();
    receive(prepare(A, now, List.of(), List.of(write())));
    assertThat(out.take(Message.Refused.class))
        .containsExactly(new Message.Refused(A, Refusal.TRUNCATED, now));
    receive(new TapirMessage.Abort(open));
    now += RETENTION;
    tick();
    assertThat(replica.records()).isZero();
    assertThat(read().version()).isEqualTo(new WriteId(stamp(A, 1_100), 1));
  }

  @Test
  void aProposalBeyondTheAllowedSkewIsRefused() {
    receive(prepare(A, now + SKEW + 1, List.of(), List.of(write())));
    assertThat(out.take(Message.Refused.class))
        .containsExactly(new Message.Refused(A, Refusal.CLOCK_AHEAD, now));
    assertThat(prepareWrite(A, now + SKEW)).isEqualTo(PrepareResult.OK);
  }

  @Test
  void keysOfOtherPartitionsAreRefused() {
    Topology two = new Topology(1, 0, 0);
    TapirReplica first =
        new TapirReplica(new ReplicaId(0, 0), two, ReplicaOptions.DEFAULTS, ReplicaRules.SOUND);
    Key elsewhere = Recorder.key(two, 1);
    for (TapirMessage message :
        List.of(
            new TapirMessage.Get(A, 0, elsewhere),
            new TapirMessage.Prepare(
                A, stamp(A, now), List.of(new Read(elsewhere, WriteId.INITIAL)), List.of()),
            new TapirMessage.Prepare(
                A, stamp(A, now), List.of(), List.of(new Write(elsewhere, 1, Value.ABSENT))))) {
      first.step(now, new Event.Received(CLIENT, message), out);
      assertThat(out.take(Message.Refused.class))
          .containsExactly(new Message.Refused(A, Refusal.WRONG_PARTITION, now));
    }
  }

  private TapirMessage.GetReply read() {
    out.take();
    receive(new TapirMessage.Get(A, 3, X));
    return out.take(TapirMessage.GetReply.class).getFirst();
  }

  private PrepareResult prepareWrite(TxnId txn, long time) {
    return answer(prepare(txn, time, List.of(), List.of(write())));
  }

  private PrepareResult prepareRead(TxnId txn, long time) {
    return answer(prepare(txn, time, List.of(new Read(X, WriteId.INITIAL)), List.of()));
  }

  private PrepareResult answer(TapirMessage.Prepare prepare) {
    out.take();
    receive(prepare);
    TapirMessage.PrepareReply reply = out.take(TapirMessage.PrepareReply.class).getFirst();
    assertThat(reply.txn()).isEqualTo(prepare.txn());
    assertThat(reply.stamp()).isEqualTo(prepare.stamp());
    replica.checkInvariants();
    return reply.result();
  }

  private static TapirMessage.Prepare prepare(
      TxnId txn, long time, List<Read> reads, List<Write> writes) {
    return new TapirMessage.Prepare(txn, stamp(txn, time), reads, writes);
  }

  private static TxnId stamp(TxnId txn, long time) {
    return txn.at(time);
  }

  private static Write write() {
    return new Write(X, 1, Value.of("v"));
  }

  private void receive(TapirMessage message) {
    receive(CLIENT, message);
  }

  private void receive(Endpoint from, TapirMessage message) {
    replica.step(now, new Event.Received(from, message), out);
  }

  private void tick() {
    replica.step(now, new Event.TimerFired(Timer.TICK), out);
    assertThat(out.timers).containsKey(Timer.TICK);
  }
}
