package org.mortydb.experiments.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.client.engine.CompletionListener.CompletedAttempt;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

final class WindowCollectorTest {
  private static final ReplicaId NEAR = new ReplicaId(0, 0);
  private static final ReplicaId FAR = new ReplicaId(0, 1);
  private static final ClientId CLIENT = new ClientId(7);
  private static final Key K = Key.of("k");
  private static final Key OTHER = Key.of("other");
  private static final TxnId A = new TxnId(1, 1, 0);
  private static final TxnId B = new TxnId(2, 2, 0);
  private static final Outcome COMMITTED = Outcome.commit(0, List.of(0));

  private final WindowCollector collector = new WindowCollector();

  WindowCollectorTest() {
    collector.windowBegins(0);
  }

  private void served(ReplicaId at, TxnId txn, Key key, WriteId version, long nanos) {
    collector.probed(at, new Probe.ReadServed(txn, key, version, true), nanos);
  }

  private void put(ReplicaId at, TxnId txn, int execution, int valueId, long nanos) {
    collector.received(
        at, new Message.Put(txn, execution, new Write(K, valueId, Value.of("v"))), nanos);
  }

  private void committed(TxnId txn, TxnId position, WriteId read, int wrote, long nanos) {
    collector.probed(CLIENT, new Probe.Decided(txn, COMMITTED, Path.FAST), nanos);
    collector.ended(
        attempt(
            new Completion.Committed(
                txn,
                position,
                0,
                Path.FAST,
                List.of(new VersionedValue(K, read, Value.of("r"), true)),
                wrote == 0 ? List.of() : List.of(new Write(K, wrote, Value.of("v"))))),
        nanos);
  }

  private static CompletedAttempt attempt(Completion completion) {
    return new CompletedAttempt(completion, 0, 0, 0, 0, 1, 0);
  }

  private Windows windows() {
    collector.windowEnds(1_000_000);
    return collector.windows();
  }

  /** B reads nothing, then what A has written and not committed, and executes again. */
  @Test
  void aReaderOfUncommittedWritesHasAShortWindow() {
    served(NEAR, A, K, WriteId.INITIAL, 1_000);
    served(FAR, B, K, WriteId.INITIAL, 1_500);
    put(FAR, B, 0, 1, 1_600);
    put(NEAR, A, 0, 1, 2_000);
    WriteId written = new WriteId(A, 1);
    put(FAR, A, 0, 1, 30_000);
    collector.probed(FAR, new Probe.Pushed(B, K, written), 30_000);
    collector.probed(CLIENT, new Probe.Reexecuted(new ExecutionId(B, 1), K, written), 30_100);
    put(FAR, B, 1, 2, 30_300);
    committed(A, A, WriteId.INITIAL, 1, 60_000);
    committed(B, B, written, 2, 120_000);

    List<KeyWindow> all = windows().all();
    assertThat(all).hasSize(2);
    KeyWindow a = all.get(0);
    assertThat(a.serializationNanos()).isEqualTo(1_000);
    assertThat(a.validityNanos()).isEqualTo(59_000);
    assertThat(a.commitNanos()).as("what it read was there").isEqualTo(59_000);
    KeyWindow b = all.get(1);
    assertThat(b.firstReadNanos()).isEqualTo(1_500);
    assertThat(b.readNanos()).isEqualTo(30_000);
    assertThat(b.visibleNanos()).as("of the value that committed").isEqualTo(30_300);
    assertThat(b.commitNanos()).as("after A's outcome").isEqualTo(60_000);
    assertThat(b.reexecutionNanos()).containsExactly(30_100L);
    assertThat(windows().order()).isEqualTo(new Windows.Order(1, 0, 0));
  }

  /** Positions name versions in TAPIR, and nothing is visible before it is installed. */
  @Test
  void aReaderOfCommittedWritesHasAWindowOfAWholeCommit() {
    TxnId position = new TxnId(50, 1, 0);
    served(NEAR, A, K, WriteId.INITIAL, 1_000);
    committed(A, position, WriteId.INITIAL, 1, 61_000);
    collector.probed(new ReplicaId(1, 0), new Probe.Installed(A, COMMITTED), 61_050);
    collector.probed(NEAR, new Probe.Installed(A, COMMITTED), 61_100);
    collector.probed(FAR, new Probe.Installed(A, COMMITTED), 91_000);
    WriteId written = new WriteId(position, 1);
    served(NEAR, B, K, written, 70_000);
    committed(B, new TxnId(60, 2, 0), written, 1, 130_000);
    collector.probed(NEAR, new Probe.Installed(B, COMMITTED), 130_100);

    Windows windows = windows();
    assertThat(windows.updates().mapToLong(KeyWindow::serializationNanos))
        .as("of the key's partition, at the first replica")
        .containsExactly(60_100L, 60_100L);
    assertThat(windows.order()).isEqualTo(new Windows.Order(1, 0, 0));
    assertThat(windows.occupied()).isEqualTo(0.1202);
  }

  @Test
  void overlapsAreCounted() {
    served(NEAR, A, K, WriteId.INITIAL, 1_000);
    served(NEAR, B, K, new WriteId(A, 1), 1_500);
    put(NEAR, A, 0, 1, 2_000);
    put(NEAR, B, 0, 1, 2_500);
    committed(A, A, WriteId.INITIAL, 1, 3_000);
    committed(B, B, new WriteId(A, 1), 1, 3_000);
    assertThat(windows().order()).isEqualTo(new Windows.Order(1, 1, 0));
  }

  /** Both read the same version: not neighbours, whatever their windows. */
  @Test
  void onlyWhoReadFromTheOtherIsItsSuccessor() {
    served(NEAR, A, K, WriteId.INITIAL, 1_000);
    put(NEAR, A, 0, 1, 2_000);
    committed(A, A, WriteId.INITIAL, 1, 3_000);
    served(NEAR, B, K, WriteId.INITIAL, 1_000);
    put(NEAR, B, 0, 1, 2_000);
    committed(B, B, WriteId.INITIAL, 1, 3_000);
    assertThat(windows().order()).isEqualTo(new Windows.Order(0, 0, 1));
  }

  @Test
  void newerVersionsInVotesAndPreparesCount() {
    WriteId newer = new WriteId(B, 3);
    served(NEAR, A, K, WriteId.INITIAL, 1_000);
    Vote abandon =
        new Vote.Abandon(
            false,
            Vote.Reason.MISSED_WRITE,
            List.of(new VersionedValue(K, newer, Value.of("n"), true)));
    collector.probed(FAR, new Probe.Voted(new ExecutionId(A, 0), abandon), 5_000);
    collector.probed(CLIENT, new Probe.Reexecuted(new ExecutionId(A, 1), K, newer), 6_000);
    collector.received(
        NEAR,
        new Message.Prepare(
            new ExecutionId(A, 1), List.of(), List.of(new Write(K, 2, Value.of("v"))), List.of(0)),
        7_000);
    committed(A, A, newer, 2, 9_000);
    KeyWindow window = windows().all().getFirst();
    assertThat(window.readNanos()).isEqualTo(5_000);
    assertThat(window.visibleNanos()).isEqualTo(7_000);
  }

  @Test
  void aWriteThatWasThereBeforeTheFinalReadTakesNoTime() {
    WriteId newer = new WriteId(B, 1);
    served(NEAR, A, K, WriteId.INITIAL, 1_000);
    put(NEAR, A, 0, 1, 2_000);
    collector.probed(NEAR, new Probe.Pushed(A, K, newer), 5_000);
    committed(A, A, newer, 1, 9_000);
    KeyWindow window = windows().all().getFirst();
    assertThat(window.isEmpty()).isTrue();
    assertThat(window.serializationNanos()).isZero();
    assertThat(window.validityNanos()).isEqualTo(4_000);
  }

  @Test
  void attemptsThatAbortHaveNoSerializationWindow() {
    served(NEAR, A, K, WriteId.INITIAL, 1_000);
    served(NEAR, A, OTHER, WriteId.INITIAL, 2_000);
    put(NEAR, A, 0, 1, 3_000);
    collector.ended(attempt(new Completion.Aborted(A, AbortReason.CONFLICT)), 4_000);
    Windows windows = windows();
    assertThat(windows.updates()).isEmpty();
    assertThat(windows.aborted().mapToLong(KeyWindow::validityNanos))
        .containsExactly(3_000L, 2_000L);
  }

  @Test
  void onlyWhatEndsWithinTheTimeMeasuredCounts() {
    served(NEAR, A, K, WriteId.INITIAL, 1_000);
    committed(A, A, WriteId.INITIAL, 0, 2_000_000);
    committed(B, B, WriteId.INITIAL, 0, 3_000);
    Windows windows = windows();
    assertThat(windows.all()).isEmpty();
    assertThat(windows.unseen()).as("the read of B").isEqualTo(1);
  }
}
