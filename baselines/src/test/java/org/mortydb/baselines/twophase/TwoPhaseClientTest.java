package org.mortydb.baselines.twophase;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.mortydb.baselines.machine.Recorder;
import org.mortydb.baselines.message.LeaderMessage.PrepareCommit;
import org.mortydb.baselines.message.LeaderMessage.Rollback;
import org.mortydb.baselines.message.LeaderMessage.Verdict;
import org.mortydb.baselines.twophase.TwoPhaseClient.ReadPolicy;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.Value;

/** A transaction that writes in two partitions, and refusals during its commit. */
class TwoPhaseClientTest {
  private static final long BEGIN = 1_000_000;
  private static final Topology TOPOLOGY = new Topology(1, 0, 0);
  private static final Key X = Recorder.key(TOPOLOGY, 0);
  private static final Key Y = Recorder.key(TOPOLOGY, 1);

  /** Has a nearby leader, so it is the coordinator group. */
  private static final ReplicaId COORDINATOR = new ReplicaId(0, TOPOLOGY.leader(0));

  private static final ReplicaId OTHER = new ReplicaId(1, TOPOLOGY.leader(1));

  private final TwoPhaseClient client =
      new TwoPhaseClient(
          AttemptSpec.first(BEGIN, 5), TOPOLOGY, CoordinatorOptions.DEFAULTS, ReadPolicy.LOCKED);
  private final Recorder out = new Recorder(TOPOLOGY);

  @BeforeEach
  void execute() {
    client.step(BEGIN, new Event.CallPut(0, X, Value.of("x")), out);
    client.step(BEGIN, new Event.CallPut(0, Y, Value.of("y")), out);
  }

  private void commit() {
    client.step(BEGIN, new Event.CallCommit(0), out);
    assertThat(out.take(PrepareCommit.class))
        .hasSize(2)
        .allMatch(prepare -> prepare.coordinator() == 0);
  }

  private void receive(Endpoint from, Message message) {
    client.step(BEGIN + 500, new Event.Received(from, message), out);
  }

  private void refuse(Endpoint from, Refusal reason) {
    receive(from, new Refused(client.txn(), reason, BEGIN));
  }

  private Completion completion() {
    return Objects.requireNonNull(out.completion);
  }

  @ParameterizedTest
  @EnumSource(ReadPolicy.class)
  void aScanIsRefused(ReadPolicy policy) {
    TwoPhaseClient scanning =
        new TwoPhaseClient(
            AttemptSpec.first(BEGIN, 5), TOPOLOGY, CoordinatorOptions.DEFAULTS, policy);
    scanning.step(BEGIN, new Event.CallScan(0, KeyRange.ALL, 10), out);
    assertThat(completion()).isEqualTo(new Completion.Aborted(scanning.txn(), AbortReason.REFUSED));
    assertThat(out.take()).isEmpty();
    assertThat(out.retirements).isEqualTo(1);
  }

  @Test
  void oneCopyOfAPrepareWasRefusedAndAnotherTaken() {
    commit();
    refuse(OTHER, Refusal.CLOCK_AHEAD);
    assertThat(out.completion).as("nobody has decided to abort").isNull();
    assertThat(out.take())
        .containsExactly(new Recorder.Sent(COORDINATOR, new Rollback(client.txn())));
    refuse(OTHER, Refusal.CLOCK_AHEAD);
    assertThat(out.take()).as("asked already").isEmpty();
    client.step(BEGIN + 900, new Event.TimerFired(Timer.RESEND), out);
    assertThat(out.take())
        .containsExactly(new Recorder.Sent(COORDINATOR, new Rollback(client.txn())));
    receive(COORDINATOR, new Verdict(client.txn(), BEGIN + 100));
    assertThat(completion()).isInstanceOf(Completion.Committed.class);
  }

  @Test
  void whatIsRefusedIsAbortedWhenTheCoordinatorSaysSo() {
    commit();
    refuse(OTHER, Refusal.CLOCK_AHEAD);
    receive(COORDINATOR, new Verdict(client.txn(), 0));
    assertThat(completion())
        .isEqualTo(new Completion.Aborted(client.txn(), AbortReason.CLOCK_AHEAD));
  }

  @Test
  void aParticipantThatHasForgottenSaysNothingOfTheOutcome() {
    commit();
    refuse(OTHER, Refusal.TRUNCATED);
    assertThat(out.completion).isNull();
    receive(COORDINATOR, new Verdict(client.txn(), BEGIN + 100));
    assertThat(completion()).isInstanceOf(Completion.Committed.class);
  }

  /** Two replicas were sent the read. One has answered; its snapshot is gone at the other. */
  @Test
  void aReadThatTheCoordinatorRefusesLateSaysNothingOfTheOutcome() {
    commit();
    refuse(COORDINATOR, Refusal.TRUNCATED);
    assertThat(out.completion).as("the coordinator group is asked first").isNull();
    assertThat(out.take())
        .containsExactly(new Recorder.Sent(COORDINATOR, new Rollback(client.txn())));
    receive(COORDINATOR, new Verdict(client.txn(), BEGIN + 100));
    assertThat(completion()).isInstanceOf(Completion.Committed.class);
  }

  @Test
  void aCoordinatorThatHasForgottenLeavesTheOutcomeUnknown() {
    commit();
    refuse(COORDINATOR, Refusal.TRUNCATED);
    assertThat(out.take(Rollback.class)).hasSize(1);
    refuse(COORDINATOR, Refusal.TRUNCATED);
    assertThat(completion())
        .isInstanceOfSatisfying(
            Completion.Unknown.class, unknown -> assertThat(unknown.writes()).hasSize(2));
    assertThat(out.probes).as("no decision").noneMatch(Probe.Decided.class::isInstance);
    assertThat(out.take(Rollback.class)).hasSize(2);
    assertThat(out.retirements).isEqualTo(1);
  }

  @Test
  void theCoordinatorTellsTheOthersOfAnAbort() {
    commit();
    receive(OTHER, new Verdict(client.txn(), 0));
    assertThat(completion()).isEqualTo(new Completion.Aborted(client.txn(), AbortReason.CONFLICT));
    assertThat(out.take()).as("the coordinator group learns of it from the participant").isEmpty();
    assertThat(out.retirements).isZero();
    client.step(BEGIN + 900, new Event.TimerFired(Timer.RESEND), out);
    assertThat(out.take())
        .as("a message was lost")
        .containsExactly(new Recorder.Sent(COORDINATOR, new Rollback(client.txn())));
    receive(COORDINATOR, new Verdict(client.txn(), 0));
    assertThat(out.take()).isEmpty();
    assertThat(out.retirements).isEqualTo(1);
  }

  @Test
  void anAbortOfTheCoordinatorIsTheEnd() {
    commit();
    receive(COORDINATOR, new Verdict(client.txn(), 0));
    assertThat(completion()).isEqualTo(new Completion.Aborted(client.txn(), AbortReason.CONFLICT));
    assertThat(out.take()).isEmpty();
    assertThat(out.retirements).isEqualTo(1);
  }

  @Test
  void whatNobodyWouldEverTakeIsAbortedAtOnce() {
    commit();
    refuse(OTHER, Refusal.NOT_AUTHORIZED);
    assertThat(completion())
        .isEqualTo(new Completion.Aborted(client.txn(), AbortReason.NOT_AUTHORIZED));
  }

  @Test
  void beforeTheCommitARefusalAborts() {
    refuse(OTHER, Refusal.CLOCK_AHEAD);
    assertThat(completion())
        .isEqualTo(new Completion.Aborted(client.txn(), AbortReason.CLOCK_AHEAD));
  }
}
