package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.abort;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.execution;
import static org.mortydb.protocol.testing.Make.get;
import static org.mortydb.protocol.testing.Make.got;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.prepared;
import static org.mortydb.protocol.testing.Make.put;
import static org.mortydb.protocol.testing.Make.retract;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.uncommitted;
import static org.mortydb.protocol.testing.Make.version;

import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.model.VersionedValue;

/** Uncommitted writes in every order of arrival (docs/protocol.md, section 2). */
class ReplicaWriteTest {
  private final ReplicaDriver replica = new ReplicaDriver();

  private void assertSees(VersionedValue expected) {
    assertThat(replica.receive(get(90, 0, "a")))
        .containsExactly(toCoordinator(got(90, 0, 1, expected)));
  }

  @Test
  void putIsNotAnswered() {
    assertThat(replica.receive(put(30, 0, "a", 1, "x"))).isEmpty();
  }

  @Test
  void putOfALaterExecutionReplacesTheValue() {
    replica.receive(put(30, 0, "a", 1, "x"));
    replica.receive(put(30, 1, "a", 2, "y"));
    assertSees(uncommitted("a", version(30, 2), "y"));
  }

  @Test
  void putOvertakenByALaterOneIsIgnored() {
    replica.receive(put(30, 1, "a", 2, "y"));
    replica.receive(put(30, 0, "a", 1, "x"));
    assertSees(uncommitted("a", version(30, 2), "y"));
  }

  @Test
  void putOfTheSameExecutionOvertakenByALaterOneIsIgnored() {
    replica.receive(put(30, 0, "a", 2, "y"));
    replica.receive(put(30, 0, "a", 1, "x"));
    assertSees(uncommitted("a", version(30, 2), "y"));
  }

  @Test
  void putOfAnOlderExecutionOfAnotherKeyStillCounts() {
    replica.receive(put(30, 1, "b", 1, "y"));
    replica.receive(put(30, 0, "a", 1, "x"));
    assertSees(uncommitted("a", version(30, 1), "x"));
  }

  @Test
  void retractTakesTheWriteBack() {
    replica.receive(put(30, 0, "a", 1, "x"));
    replica.receive(retract(30, 1, "a"));
    assertThat(replica.marks()).containsExactly(Branch.RETRACTED);
    assertSees(absent("a"));
  }

  @Test
  void retractBeforeThePutThatItTakesBackHolds() {
    replica.receive(retract(30, 1, "a"));
    replica.receive(put(30, 0, "a", 1, "x"));
    assertSees(absent("a"));
  }

  @Test
  void retractLeavesOtherKeys() {
    replica.receive(put(30, 0, "a", 1, "x"));
    replica.receive(put(30, 0, "b", 1, "y"));
    replica.receive(retract(30, 1, "b"));
    assertSees(uncommitted("a", version(30, 1), "x"));
  }

  @Test
  void retractLeavesTheWriteOfItsOwnExecution() {
    // The execution took the key back while it waited for a read, and wrote it after all.
    replica.receive(put(30, 0, "a", 1, "x"));
    replica.receive(put(30, 1, "a", 2, "y"));
    replica.receive(retract(30, 1, "a"));
    assertSees(uncommitted("a", version(30, 2), "y"));
  }

  @Test
  void putAfterTheRetractOfItsOwnExecutionCounts() {
    replica.receive(put(30, 0, "a", 1, "x"));
    replica.receive(retract(30, 1, "a"));
    replica.receive(put(30, 1, "a", 2, "y"));
    assertSees(uncommitted("a", version(30, 2), "y"));
  }

  @Test
  void retractLeavesTheWriteOfALaterExecution() {
    replica.receive(put(30, 2, "a", 2, "y"));
    replica.receive(retract(30, 1, "a"));
    assertSees(uncommitted("a", version(30, 2), "y"));
  }

  @Test
  void prepareShowsItsWriteSet() {
    replica.receive(prepare(30, 0).writes("a", 1, "x").message());
    assertSees(prepared("a", version(30, 1), "x"));
  }

  @Test
  void putAfterThePrepareOfItsExecutionIsIgnored() {
    replica.receive(prepare(30, 1).writes("b", 1, "y").message());
    replica.receive(put(30, 0, "a", 1, "x"));
    replica.receive(put(30, 1, "a", 2, "z"));
    assertSees(absent("a"));
  }

  @Test
  void retractAfterThePrepareOfItsExecutionIsIgnored() {
    replica.receive(prepare(30, 1).writes("a", 1, "x").message());
    replica.receive(retract(30, 1, "a"));
    assertSees(prepared("a", version(30, 1), "x"));
    assertThat(replica.replica.holds(execution(30, 1))).isTrue();
  }

  @Test
  void prepareTakesBackWhatOlderExecutionsLeftBeside() {
    replica.receive(put(30, 0, "a", 1, "x"));
    replica.receive(prepare(30, 1).writes("b", 1, "y").message());
    assertThat(replica.marks()).contains(Branch.RETRACTED);
    assertSees(absent("a"));
  }

  @Test
  void putAfterTheOutcomeIsIgnored() {
    replica.receive(abort(30));
    replica.receive(put(30, 0, "a", 1, "x"));
    assertSees(absent("a"));
  }

  @Test
  void retractAfterTheOutcomeIsIgnored() {
    replica.receive(prepare(30, 0).writes("a", 1, "x").message());
    replica.receive(commit(30, 0));
    replica.receive(retract(30, 1, "a"));
    assertSees(committed("a", version(30, 1), "x"));
  }
}
