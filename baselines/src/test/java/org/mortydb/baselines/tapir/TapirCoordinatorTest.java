package org.mortydb.baselines.tapir;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.baselines.machine.Recorder;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.CoordinatorRules;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;

class TapirCoordinatorTest {
  private static final long BEGIN = 1_000_000;

  /** Two partitions. The second replica of each is the closest. */
  private static final Topology TOPOLOGY = new Topology(1, 1, 1);

  private static final Key X = Recorder.key(TOPOLOGY, 0);
  private static final Key Y = Recorder.key(TOPOLOGY, 1);
  private static final CoordinatorOptions OPTIONS = CoordinatorOptions.DEFAULTS;

  private TapirCoordinator coordinator =
      new TapirCoordinator(AttemptSpec.first(BEGIN, 5), TOPOLOGY, OPTIONS, CoordinatorRules.SOUND);
  private final Recorder out = new Recorder(TOPOLOGY);
  private long now = BEGIN;

  @Test
  void readsInParallelFromTheClosestReplicas() {
    call(new Event.CallGet(0, List.of(X, Y)));
    assertThat(out.take())
        .extracting(Recorder.Sent::to)
        .containsExactly(new ReplicaId(0, 1), new ReplicaId(1, 1));
    answerRead(0, 0, WriteId.INITIAL, Value.ABSENT);
    assertThat(out.resumed).isNull();
    answerRead(1, 1, WriteId.INITIAL, Value.of("y"));
    assertThat(out.resumed).containsExactly(Value.ABSENT, Value.of("y"));
  }

  @Test
  void readsItsOwnWritesAndWhatItHasReadWithoutAMessage() {
    call(new Event.CallPut(0, X, Value.of("own")));
    call(new Event.CallGet(0, List.of(X)));
    assertThat(out.resumed).containsExactly(Value.of("own"));
    call(new Event.CallGet(0, List.of(Y)));
    answerRead(0, 1, WriteId.INITIAL, Value.of("y"));
    out.take();
    out.resumed = null;
    call(new Event.CallGet(0, List.of(Y, X)));
    assertThat(out.resumed).containsExactly(Value.of("y"), Value.of("own"));
    assertThat(out.take()).isEmpty();
  }

  @Test
  void aScanIsRefused() {
    call(new Event.CallGet(0, List.of(X)));
    answerRead(0, 0, WriteId.INITIAL, Value.ABSENT);
    out.take();
    call(new Event.CallScan(0, KeyRange.ALL, 10));
    assertThat(out.completion)
        .isEqualTo(new Completion.Aborted(coordinator.txn(), AbortReason.REFUSED));
    assertThat(out.take(Message.Scan.class)).isEmpty();
    assertThat(out.retirements).isEqualTo(1);
  }

  @Test
  void aScanIsRefusedBeforeAnythingElseIsDone() {
    call(new Event.CallScan(0, KeyRange.ALL, 10));
    assertThat(out.completion)
        .isEqualTo(new Completion.Aborted(coordinator.txn(), AbortReason.REFUSED));
    assertThat(out.take()).isEmpty();
    assertThat(out.retirements).isEqualTo(1);
  }

  @Test
  void allReplicasOfAllParticipantsMakeTheFastPath() {
    writeBoth();
    TxnId stamp = stamp();
    answer(stamp, 0, "OOO");
    answer(stamp, 1, "OO");
    assertThat(out.completion).isNull();
    answer(stamp, 1, 2, PrepareResult.OK);
    assertThat(out.completion)
        .isInstanceOfSatisfying(
            Completion.Committed.class,
            committed -> {
              assertThat(committed.path()).isEqualTo(Path.FAST);
              assertThat(committed.position()).isEqualTo(stamp);
              assertThat(committed.txn()).isEqualTo(coordinator.txn());
              assertThat(committed.writes()).hasSize(2);
            });
    assertThat(out.take(TapirMessage.Commit.class)).hasSize(6);
  }

  @Test
  void aMajorityMakesTheSlowPathOnceItHasConfirmed() {
    writeOne();
    TxnId stamp = stamp();
    answer(stamp, 0, "OOA");
    assertThat(out.take(TapirMessage.Finalize.class)).hasSize(3);
    assertThat(out.completion).isNull();
    receive(0, 2, new TapirMessage.FinalizeReply(coordinator.txn(), stamp));
    assertThat(out.completion).isNull();
    receive(0, 0, new TapirMessage.FinalizeReply(coordinator.txn(), stamp));
    assertThat(out.completion)
        .isInstanceOfSatisfying(
            Completion.Committed.class, c -> assertThat(c.path()).isEqualTo(Path.SLOW));
  }

  @Test
  void theLastResultIsNotWaitedForWithoutEnd() {
    writeOne();
    TxnId stamp = stamp();
    now += 4_000;
    answer(stamp, 0, "OO");
    assertThat(out.timers.get(Timer.SLOW_PATH)).isEqualTo(OPTIONS.slowPathMicros() + 2_000);
    assertThat(out.take()).isEmpty();
    fire(Timer.SLOW_PATH);
    assertThat(out.take(TapirMessage.Finalize.class)).hasSize(3);
  }

  @Test
  void oneReplicaThatSawACommittedConflictAborts() {
    writeBoth();
    answer(stamp(), 1, 0, PrepareResult.ABORT);
    assertThat(out.completion)
        .isEqualTo(new Completion.Aborted(coordinator.txn(), AbortReason.CONFLICT));
    assertThat(out.take(TapirMessage.Abort.class)).hasSize(6);
    assertThat(out.retirements).isZero();
  }

  @Test
  void aRetryIsProposedToAllParticipantsAfterTheTimeAskedFor() {
    writeBoth();
    TxnId first = stamp();
    answer(first, 0, "OOO");
    answer(first, 1, 0, new PrepareResult.Retry(BEGIN + 700));
    answer(first, 1, 1, new PrepareResult.Retry(BEGIN + 900));
    List<TapirMessage.Prepare> again = out.take(TapirMessage.Prepare.class);
    assertThat(again).hasSize(6);
    TxnId second = again.getFirst().stamp();
    assertThat(second.timeMicros()).isEqualTo(BEGIN + 901);
    // Results for the first stamp no longer count.
    answer(second, 1, "OOO");
    answer(first, 0, "OOO");
    assertThat(out.completion).isNull();
    answer(second, 0, "OOO");
    assertThat(out.completion)
        .isInstanceOfSatisfying(
            Completion.Committed.class, c -> assertThat(c.position()).isEqualTo(second));
  }

  @Test
  void retriesComeToAnEnd() {
    writeOne();
    for (int i = 0; out.completion == null; i++) {
      assertThat(i).isLessThan(20);
      TxnId stamp = stamp();
      now += 1_000;
      answer(stamp, 0, 0, new PrepareResult.Retry(stamp.timeMicros()));
      answer(stamp, 0, 1, new PrepareResult.Retry(stamp.timeMicros()));
    }
    assertThat(out.completion)
        .isEqualTo(new Completion.Aborted(coordinator.txn(), AbortReason.CONFLICT));
  }

  @Test
  void theStampComesAfterWhatWasRead() {
    call(new Event.CallGet(0, List.of(X)));
    TxnId writer = new TxnId(BEGIN + 5_000, 9, 0);
    answerRead(0, 0, new WriteId(writer, 1), Value.of("x"));
    call(new Event.CallCommit(0));
    assertThat(stamp().timeMicros()).isEqualTo(BEGIN + 5_001);
  }

  @Test
  void theOutcomeIsToldUntilEveryReplicaHasIt() {
    writeOne();
    TxnId stamp = stamp();
    answer(stamp, 0, "OOO");
    TxnId txn = new TxnId(BEGIN, 5, 0);
    out.take();
    receive(0, 0, new TapirMessage.OutcomeReply(txn, true));
    receive(0, 1, new TapirMessage.OutcomeReply(txn, false));
    assertThat(out.take())
        .singleElement()
        .satisfies(
            sent -> {
              assertThat(sent.to()).isEqualTo(new ReplicaId(0, 1));
              assertThat(sent.message()).isInstanceOf(TapirMessage.Install.class);
            });
    fire(Timer.RESEND);
    assertThat(out.take())
        .extracting(Recorder.Sent::to)
        .containsExactly(new ReplicaId(0, 1), new ReplicaId(0, 2));
    receive(0, 1, new TapirMessage.OutcomeReply(txn, true));
    assertThat(out.retirements).isZero();
    receive(0, 2, new TapirMessage.OutcomeReply(txn, true));
    assertThat(out.retirements).isEqualTo(1);
    assertThat(out.timers).isEmpty();
  }

  @Test
  void aReplicaThatNeverAnswersIsGivenUpInTheEnd() {
    writeOne();
    answer(stamp(), 0, "OOO");
    for (int i = 0; out.retirements == 0; i++) {
      assertThat(i).isLessThan(100);
      fire(Timer.RESEND);
    }
    assertThat(out.timers).isEmpty();
  }

  @Test
  void lostProposalsAndConfirmationsAreSentAgain() {
    writeOne();
    TxnId stamp = stamp();
    answer(stamp, 0, 0, PrepareResult.OK);
    now += OPTIONS.resendMicros();
    fire(Timer.RESEND);
    assertThat(out.take(TapirMessage.Prepare.class)).hasSize(2);
    answer(stamp, 0, 1, PrepareResult.OK);
    fire(Timer.SLOW_PATH);
    out.take();
    receive(0, 0, new TapirMessage.FinalizeReply(coordinator.txn(), stamp));
    fire(Timer.RESEND);
    assertThat(out.take())
        .filteredOn(sent -> sent.message() instanceof TapirMessage.Finalize)
        .extracting(Recorder.Sent::to)
        .containsExactly(new ReplicaId(0, 1), new ReplicaId(0, 2));
  }

  @Test
  void theDeadlineAbortsForCertain() {
    writeOne();
    answer(stamp(), 0, "OOA");
    fire(Timer.DEADLINE);
    assertThat(out.completion)
        .isEqualTo(new Completion.Aborted(coordinator.txn(), AbortReason.DEADLINE));
    assertThat(out.take(TapirMessage.Abort.class)).hasSize(3);
  }

  @Test
  void aClockThatIsAheadIsTold() {
    writeOne();
    receive(0, 0, new Message.Refused(coordinator.txn(), Refusal.CLOCK_AHEAD, 1));
    assertThat(out.completion).isNull();
    receive(0, 1, new Message.Refused(coordinator.txn(), Refusal.CLOCK_AHEAD, 1));
    assertThat(out.completion)
        .isEqualTo(new Completion.Aborted(coordinator.txn(), AbortReason.CLOCK_AHEAD));
  }

  @Test
  void aTransactionWithoutOperationsCommitsAlone() {
    call(new Event.CallCommit(0));
    assertThat(out.completion).isInstanceOf(Completion.Committed.class);
    assertThat(out.retirements).isEqualTo(1);
    assertThat(out.take()).isEmpty();
  }

  @Test
  void anApplicationsAbortLeavesNothingBehind() {
    call(new Event.CallPut(0, X, Value.of("x")));
    call(new Event.CallAbort(0));
    assertThat(out.completion)
        .isEqualTo(new Completion.Aborted(coordinator.txn(), AbortReason.APPLICATION));
    assertThat(out.take()).isEmpty();
    assertThat(out.retirements).isEqualTo(1);
    assertThat(out.timers).isEmpty();
  }

  @Test
  void theCommitWaitDelaysTheAnswerAlone() {
    coordinator =
        new TapirCoordinator(
            AttemptSpec.first(BEGIN, 5),
            TOPOLOGY,
            new CoordinatorOptions(10_000, 10_000, 10_000, 100, 50, OPTIONS.reexecution()),
            CoordinatorRules.SOUND);
    writeOne();
    TxnId stamp = stamp();
    answer(stamp, 0, "OOO");
    assertThat(out.take(TapirMessage.Commit.class)).hasSize(3);
    assertThat(out.completion).isNull();
    assertThat(out.timers.get(Timer.COMMIT_WAIT)).isEqualTo(100);
    now = stamp.timeMicros() + 100;
    fire(Timer.COMMIT_WAIT);
    assertThat(out.completion).isInstanceOf(Completion.Committed.class);
  }

  @Test
  void twoAttemptsOfOneClientNeverShareAStamp() {
    TxnId one = new TxnId(BEGIN, 5, 0).at(BEGIN + 10);
    TxnId other = new TxnId(BEGIN + 1, 5, 0).at(BEGIN + 10);
    assertThat(one).isNotEqualTo(other);
    assertThat(new TxnId(BEGIN, 5, 0).at(BEGIN + 10)).isEqualTo(one);
  }

  private void writeOne() {
    call(new Event.CallPut(0, X, Value.of("x")));
    call(new Event.CallCommit(0));
  }

  private void writeBoth() {
    call(new Event.CallPut(0, X, Value.of("x")));
    call(new Event.CallPut(0, Y, Value.of("y")));
    call(new Event.CallCommit(0));
  }

  /** The last proposed stamp. */
  private TxnId stamp() {
    return out.take(TapirMessage.Prepare.class).getFirst().stamp();
  }

  private void answer(TxnId stamp, int partition, String results) {
    for (int i = 0; i < results.length(); i++) {
      answer(
          stamp, partition, i, results.charAt(i) == 'O' ? PrepareResult.OK : PrepareResult.ABSTAIN);
    }
  }

  private void answer(TxnId stamp, int partition, int index, PrepareResult result) {
    receive(partition, index, new TapirMessage.PrepareReply(new TxnId(BEGIN, 5, 0), stamp, result));
  }

  private void answerRead(int request, int partition, WriteId version, Value value) {
    receive(partition, 1, new TapirMessage.GetReply(coordinator.txn(), request, version, value));
  }

  private void call(Event.Call call) {
    coordinator.step(now, call, out);
  }

  private void receive(int partition, int index, Message message) {
    coordinator.step(now, new Event.Received(new ReplicaId(partition, index), message), out);
  }

  private void fire(Timer timer) {
    coordinator.step(now, new Event.TimerFired(timer), out);
  }
}
