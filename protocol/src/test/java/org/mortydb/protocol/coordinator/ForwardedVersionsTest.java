package org.mortydb.protocol.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.prepared;
import static org.mortydb.protocol.testing.Make.uncommitted;
import static org.mortydb.protocol.testing.Make.version;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.WriteId;

/** Versions of other transactions of the same client (docs/protocol.md, section 14). */
class ForwardedVersionsTest {
  private static final WriteId OLD = version(20, 1);
  private static final WriteId LOCAL = version(50, 1);

  private final CoordinatorDriver txn = CoordinatorDriver.begun();

  @Nested
  class Following {

    @Test
    void beginsWithAReplyThatHasNotSettled() {
      txn.read(0, uncommitted("a", OLD, "x"));
      assertThat(txn.out.takeForwarding()).containsExactly("follow a");
    }

    @Test
    void beginsWithAPush() {
      txn.read(0, committed("a", OLD, "x"));
      assertThat(txn.out.takeForwarding()).isEmpty();
      txn.pushed(0, 2, uncommitted("a", version(30, 1), "y"));
      txn.pushed(0, 3, prepared("a", version(30, 1), "y"));
      assertThat(txn.out.takeForwarding()).containsExactly("follow a");
    }

    @Test
    void canBeTurnedOff() {
      CoordinatorDriver alone =
          new CoordinatorDriver(CoordinatorDriver.OPTIONS.withoutForwarding());
      alone.read(0, uncommitted("a", OLD, "x"));
      alone.pushed(0, 2, prepared("a", OLD, "x"));
      assertThat(alone.out.takeForwarding()).isEmpty();
    }
  }

  @Nested
  class Showing {

    @Test
    void tellsOfPutsAndOfAllWritesOfAPrepare() {
      txn.put("a", "1");
      txn.yield();
      assertThat(txn.out.takeForwarding()).containsExactly("put a/1=1");
      txn.put("b", "2");
      txn.commit();
      assertThat(txn.out.takeForwarding()).containsExactly("prepared a/1=1", "prepared b/1=2");
    }
  }

  @Nested
  class AVersion {

    /** Waits for the version of a writer that has not settled. */
    private void settle() {
      txn.read(0, uncommitted("a", OLD, "x"));
      txn.put("a", "x2");
      txn.commit();
      txn.out.takeForwarding();
    }

    @Test
    void executesTheReaderAgainWhichAsksForVotesAtOnce() {
      settle();
      assertThat(txn.forwarded("a", LOCAL, "y")).containsExactly("resume #1 at 0 [y]");
      assertThat(txn.out.takeProbes())
          .contains(new Probe.Forwarded(txn.coordinator.txn(), key("a"), LOCAL));
      txn.put("a", "y2");
      assertThat(txn.commit())
          .containsExactly("p0 <- Prepare #1 read [a=50/1] write [a/2=y2] at [0]");
    }

    @Test
    void isIgnoredBelowWhatTheReplicaShows() {
      settle();
      assertThat(txn.forwarded("a", version(10, 1), "y")).isEmpty();
      assertThat(txn.forwarded("a", OLD, "x")).isEmpty();
      assertThat(txn.coordinator.execution()).isZero();
    }

    @Test
    void thatTheReplicaShowsLaterChangesNothing() {
      settle();
      txn.forwarded("a", LOCAL, "y");
      txn.put("a", "y2");
      txn.commit();
      assertThat(txn.pushed(0, 2, prepared("a", LOCAL, "y"))).isEmpty();
      assertThat(txn.withdrawn("a", LOCAL)).as("the replica knows better").isEmpty();
      assertThat(txn.coordinator.execution()).isOne();
    }

    @Test
    void staysWhileTheReplicaShowsOlderOnes() {
      settle();
      txn.forwarded("a", LOCAL, "y");
      txn.put("a", "y2");
      txn.commit();
      assertThat(txn.pushed(0, 2, prepared("a", version(30, 1), "z"))).isEmpty();
      assertThat(txn.coordinator.execution()).isOne();
    }

    @Test
    void givesWayToANewerOneOfTheReplica() {
      settle();
      txn.forwarded("a", LOCAL, "y");
      txn.put("a", "y2");
      txn.commit();
      assertThat(txn.pushed(0, 2, prepared("a", version(60, 1), "z")))
          .containsExactly("resume #2 at 0 [z]");
    }

    @Test
    void thatChangesIsForwardedAgain() {
      settle();
      txn.forwarded("a", LOCAL, "y");
      assertThat(txn.forwarded("a", version(50, 2), "y'")).containsExactly("resume #2 at 0 [y']");
    }

    /** What the replica has said meanwhile counts, because the replica does not repeat it. */
    @Test
    void thatIsWithdrawnLeavesTheLastWordOfTheReplica() {
      settle();
      txn.forwarded("a", LOCAL, "y");
      txn.put("a", "y2");
      txn.commit();
      txn.pushed(0, 2, prepared("a", OLD, "x"));
      assertThat(txn.withdrawn("a", LOCAL)).containsExactly("resume #2 at 0 [x]");
      assertThat(txn.marks()).contains(Branch.FORWARD_WITHDRAWN);
      txn.put("a", "x2");
      assertThat(txn.commit())
          .as("the version has settled")
          .containsExactly("p0 <- Prepare #2 read [a=20/1] write [a/3=x2] at [0]");
    }

    @Test
    void thatIsWithdrawnLeavesAVersionThatHasYetToSettle() {
      settle();
      txn.forwarded("a", LOCAL, "y");
      txn.withdrawn("a", LOCAL);
      txn.put("a", "x2");
      assertThat(txn.commit()).isEmpty();
      assertThat(txn.pushed(0, 2, prepared("a", OLD, "x")))
          .containsExactly("p0 <- Prepare #2 read [a=20/1] write [a/1=x2] at [0]");
    }

    @Test
    void ofAnotherWriterIsNotWithdrawn() {
      settle();
      txn.forwarded("a", LOCAL, "y");
      assertThat(txn.withdrawn("a", version(40, 1))).isEmpty();
      assertThat(txn.withdrawn("a", version(50, 2))).isEmpty();
    }

    @Test
    void isOfNoUseAfterTheDecision() {
      settle();
      txn.pushed(0, 2, prepared("a", OLD, "x"));
      txn.votes(Vote.COMMIT, Vote.COMMIT, Vote.COMMIT);
      assertThat(txn.forwarded("a", LOCAL, "y")).isEmpty();
    }
  }
}
