package org.mortydb.protocol.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.finalAbandon;
import static org.mortydb.protocol.testing.Make.uncommitted;
import static org.mortydb.protocol.testing.Make.version;

import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Vote.Reason;

/** Scans of ranges by a coordinator (docs/protocol.md, section 2). */
class CoordinatorScanTest {
  private final CoordinatorDriver txn = CoordinatorDriver.begun();

  private static VersionedValue row(String key, long writer) {
    return committed(key, version(writer, 1), key + writer);
  }

  private static VersionedValue deleted(String key, long writer) {
    VersionedValue nothing = absent(key);
    return new VersionedValue(nothing.key(), version(writer, 1), nothing.value(), true);
  }

  @Nested
  class Answers {

    @Test
    void resumeTheApplicationWithTheRows() {
      assertThat(txn.scan("a", "f", 9)).containsExactly("p0r0 <- Scan 0 [a, f) limit 9");
      assertThat(txn.scanned(0, 0, "", row("b", 30), row("d", 31)))
          .containsExactly("resume #0 at 0 rows [b=b30, d=d31]");
      assertThat(txn.commit())
          .containsExactly(
              "p0 <- Prepare #0 read [b=30/1, d=31/1] scanned [[a, f)] write [] at [0]");
    }

    @Test
    void ofAllPartitionsAreMerged() {
      CoordinatorDriver two = CoordinatorDriver.begun(new Topology(1, 0, 2));
      assertThat(two.scan("a", "f", 9))
          .containsExactly("p0r0 <- Scan 0 [a, f) limit 9", "p1r2 <- Scan 1 [a, f) limit 9");
      assertThat(two.scanned(new ReplicaId(1, 2), 1, "", row("c", 31))).isEmpty();
      assertThat(two.scanned(new ReplicaId(0, 0), 0, "", row("b", 30), row("d", 32)))
          .containsExactly("resume #0 at 0 rows [b=b30, c=c31, d=d32]");
    }

    /**
     * A key that is missing in a range may come up at any partition, so each validates the range.
     */
    @Test
    void areValidatedByPartitionsWithoutRowsToo() {
      CoordinatorDriver two = CoordinatorDriver.begun(new Topology(1, 0, 2));
      two.scan("a", "f", 9);
      two.scanned(new ReplicaId(0, 0), 0, "");
      two.scanned(new ReplicaId(1, 2), 1, "");
      assertThat(two.commit())
          .containsExactly(
              "p0 <- Prepare #0 read [] scanned [[a, f)] write [] at [0, 1]",
              "p1 <- Prepare #0 read [] scanned [[a, f)] write [] at [0, 1]");
    }

    @Test
    void ofATagComeFromOnePartition() {
      Topology topology = new Topology(1, 0, 2);
      CoordinatorDriver two = CoordinatorDriver.begun(topology);
      int holder = topology.partitionOf(Key.of("{7}"));
      assertThat(two.scan("a{7}", "a{7~", 9))
          .containsExactly(
              "p" + holder + "r" + topology.closest(holder) + " <- Scan 0 [a{7}, a{7~) limit 9");
      two.scanned(new ReplicaId(holder, topology.closest(holder)), 0, "", row("a{7}b", 30));
      assertThat(two.commit())
          .containsExactly(
              "p%1$d <- Prepare #0 read [a{7}b=30/1] scanned [[a{7}, a{7~)] write [] at [%1$d]"
                  .formatted(holder));
    }

    /** A limit can leave a range that lies in one partition, although the scan did not. */
    @Test
    void thatEndWithinATagConcernOnePartition() {
      Topology topology = new Topology(1, 0, 2);
      CoordinatorDriver two = CoordinatorDriver.begun(topology);
      int holder = topology.partitionOf(Key.of("{7}"));
      assertThat(two.scan("a{7}a", "c", 1)).hasSize(2);
      two.scanned(new ReplicaId(1 - holder, topology.closest(1 - holder)), 1 - holder, "");
      two.scanned(new ReplicaId(holder, topology.closest(holder)), holder, "", row("a{7}b", 30));
      assertThat(two.commit()).last().asString().contains("[[a{7}a, a{7}b]]", "at [");
    }

    @Test
    void endWithTheLimitAndSoDoesWhatWasRead() {
      txn.scan("a", "f", 2);
      assertThat(txn.scanned(0, 0, "d", row("b", 30), row("c", 31)))
          .containsExactly("resume #0 at 0 rows [b=b30, c=c31]");
      assertThat(txn.commit())
          .containsExactly(
              "p0 <- Prepare #0 read [b=30/1, c=31/1] scanned [[a, c]] write [] at [0]");
    }

    @Test
    void doNotShowWhatWasDeletedAndRememberThatItWas() {
      txn.scan("a", "f", 9);
      assertThat(txn.scanned(0, 0, "", deleted("b", 30), row("c", 31)))
          .containsExactly("resume #0 at 0 rows [c=c31]");
      assertThat(txn.commit())
          .containsExactly(
              "p0 <- Prepare #0 read [b=30/1, c=31/1] scanned [[a, f)] write [] at [0]");
    }

    @Test
    void askForMoreWhereTheReplicaHasStopped() {
      txn.scan("a", "f", 2);
      assertThat(txn.scanned(0, 0, "c", deleted("b", 30)))
          .containsExactly("p0r0 <- Scan 1 [c, f) limit 2");
      assertThat(txn.scanned(0, 1, "", row("d", 31)))
          .containsExactly("resume #0 at 0 rows [d=d31]");
      assertThat(txn.marks()).contains(Branch.SCAN_CONTINUED);
    }

    /** The replica that has given the first part was lost while other partitions answered. */
    @Test
    void areContinuedByAReplicaThatIsReached() {
      CoordinatorDriver two = CoordinatorDriver.begun(new Topology(1, 0, 2));
      two.scan("a", "f", 2);
      two.scanned(new ReplicaId(0, 0), 0, "c", deleted("b", 30));
      assertThat(two.step(new Event.Unreachable(Set.of(new ReplicaId(0, 0))))).isEmpty();
      assertThat(two.scanned(new ReplicaId(1, 2), 1, ""))
          .containsExactly("p0r1 <- Scan 2 [c, f) limit 2");
    }

    @Test
    void showOwnWritesAndNotOwnDeletes() {
      txn.put("c", "own");
      txn.put(row("b", 1).key(), absent("b").value());
      txn.scan("a", "f", 2);
      assertThat(txn.scanned(0, 0, "", row("b", 30), row("d", 31), row("e", 32)))
          .containsExactly("resume #0 at 2 rows [c=own, d=d31]");
    }

    @Test
    void countOnce() {
      txn.scan("a", "f", 9);
      txn.scanned(0, 0, "", row("b", 30));
      assertThat(txn.scanned(0, 0, "", row("c", 30))).isEmpty();
      assertThat(txn.commit())
          .containsExactly("p0 <- Prepare #0 read [b=30/1] scanned [[a, f)] write [] at [0]");
    }

    @Test
    void ofTheSameRangeOnceMoreCostNoMessage() {
      txn.scan("a", "f", 9);
      txn.scanned(0, 0, "", row("b", 30));
      assertThat(txn.scan("a", "f", 9)).containsExactly("resume #0 at 1 rows [b=b30]");
    }

    @Test
    void tellOfKeysThatAreReadLater() {
      txn.scan("a", "f", 9);
      txn.scanned(0, 0, "", row("b", 30));
      assertThat(txn.get("b")).containsExactly("resume #0 at 1 [b30]");
      assertThat(txn.get("c")).containsExactly("resume #0 at 2 [absent]");
      assertThat(txn.get("f")).containsExactly("p0r0 <- Get 1 f");
    }

    @Test
    void agreeWithWhatWasReadBefore() {
      txn.read(0, row("b", 40));
      txn.scan("a", "f", 9);
      // The other replica is behind.
      assertThat(txn.scanned(0, 1, "", row("b", 30), row("c", 31)))
          .containsExactly("resume #0 at 1 rows [b=b40, c=c31]");
    }

    @Test
    void areAskedOfTheNextReplicaWhenTheyDoNotCome() {
      txn.scan("a", "f", 9);
      assertThat(txn.firesAfter(1_000_000, Timer.RESEND))
          .containsExactly("arm RESEND 1000000", "p0r1 <- Scan 1 [a, f) limit 9");
      assertThat(txn.scanned(1, 1, "", row("b", 30)))
          .containsExactly("resume #0 at 0 rows [b=b30]");
      assertThat(txn.scanned(0, 0, "", row("c", 30))).isEmpty();
      assertThat(txn.pushedRow(0, 1, row("d", 30))).isEmpty();
    }

    @Test
    void areAskedOfTheNextReplicaWhenOneRefuses() {
      txn.scan("a", "f", 9);
      assertThat(txn.refused(0, Refusal.NOT_SERVING))
          .containsExactly("p0r1 <- Scan 1 [a, f) limit 9");
      txn.refused(1, Refusal.NOT_SERVING);
      assertThat(txn.refused(2, Refusal.NOT_SERVING)).containsExactly("arm RESEND 20000");
      assertThat(txn.firesAfter(20_000, Timer.RESEND))
          .containsExactly("arm RESEND 1000000", "p0r0 <- Scan 3 [a, f) limit 9");
    }

    @Test
    void areRefusedWhenTheirRowsAreTooMany() {
      txn.scan("a", "f", 9);
      VersionedValue[] rows = new VersionedValue[Limits.MAX_OPERATIONS + 1];
      for (int i = 0; i < rows.length; i++) {
        rows[i] = deleted("b%08d".formatted(i), 30);
      }
      txn.scanned(0, 0, "", rows);
      assertThat(txn.commit())
          .anyMatch(effect -> effect.contains("REFUSED"))
          .noneMatch(effect -> effect.contains("Prepare"));
    }

    @Test
    void areLimitedInTheirNumber() {
      for (int i = 0; i < Limits.MAX_SCANS; i++) {
        txn.scan("a", "f", 9);
        if (i == 0) {
          txn.scanned(0, 0, "");
        }
      }
      assertThat(txn.scan("a", "f", 9)).anyMatch(effect -> effect.contains("REFUSED"));
    }
  }

  @Nested
  class Reexecutions {

    @Test
    void beginWhereANewKeyAppears() {
      txn.read(0, row("x", 20));
      txn.scan("a", "f", 9);
      txn.scanned(0, 1, "", row("b", 30));
      txn.get("z");
      assertThat(txn.pushedRow(1, 1, row("c", 31)))
          .containsExactly("resume #1 at 1 rows [b=b30, c=c31]");
      assertThat(txn.marks()).contains(Branch.PHANTOM_PUSHED);
    }

    @Test
    void beginWhereARowChangesOrGoes() {
      txn.scan("a", "f", 9);
      txn.scanned(0, 0, "", row("b", 30), row("c", 31));
      assertThat(txn.pushedRow(0, 1, row("b", 40)))
          .containsExactly("resume #1 at 0 rows [b=b40, c=c31]");
      assertThat(txn.pushedRow(0, 2, deleted("b", 41)))
          .containsExactly("resume #2 at 0 rows [c=c31]");
    }

    @Test
    void doNotBeginBeyondTheLastRowOfALimitedScan() {
      txn.scan("a", "f", 1);
      txn.scanned(0, 0, "", row("b", 30), row("d", 31));
      assertThat(txn.pushedRow(0, 1, row("c", 40))).isEmpty();
      assertThat(txn.pushedRow(0, 2, row("d", 41))).isEmpty();
      assertThat(txn.commit())
          .containsExactly("p0 <- Prepare #0 read [b=30/1] scanned [[a, b]] write [] at [0]");
    }

    @Test
    void askForMoreWhenARowHasGoneFromALimitedScan() {
      txn.scan("a", "f", 1);
      txn.scanned(0, 0, "c", row("b", 30));
      assertThat(txn.pushedRow(0, 1, deleted("b", 40)))
          .containsExactly("p0r0 <- Scan 1 [c, f) limit 1");
      assertThat(txn.scanned(0, 1, "", row("d", 31)))
          .containsExactly("resume #1 at 0 rows [d=d31]");
      assertThat(txn.commit())
          .containsExactly(
              "p0 <- Prepare #1 read [b=40/1, d=31/1] scanned [[a, d]] write [] at [0]");
    }

    @Test
    void doNotBeginWhenAKeyWithoutAValueAppears() {
      txn.scan("a", "f", 9);
      txn.scanned(0, 0, "", row("b", 30));
      assertThat(txn.pushedRow(0, 1, deleted("c", 40))).isEmpty();
      assertThat(txn.commit())
          .containsExactly(
              "p0 <- Prepare #0 read [b=30/1, c=40/1] scanned [[a, f)] write [] at [0]");
    }

    @Test
    void takePushesThatOvertookTheAnswer() {
      txn.scan("a", "f", 9);
      assertThat(txn.pushedRow(0, 1, row("c", 40))).isEmpty();
      assertThat(txn.scanned(0, 0, "", row("b", 30)))
          .containsExactly("resume #0 at 0 rows [b=b30, c=c40]");
    }

    @Test
    void ignorePushesThatWereOvertaken() {
      txn.scan("a", "f", 9);
      txn.scanned(0, 0, "", row("b", 30));
      txn.pushedRow(0, 2, row("b", 50));
      assertThat(txn.pushedRow(0, 1, row("b", 40))).isEmpty();
    }

    @Test
    void beginWhenAVoteTellsOfAKeyThatWasMissed() {
      txn.scan("a", "f", 9);
      txn.scanned(0, 0, "", row("b", 30));
      txn.commit();
      assertThat(txn.vote(0, 0, 0, finalAbandon(Reason.MISSED_WRITE, row("c", 40))))
          .containsExactly("resume #1 at 0 rows [b=b30, c=c40]");
      assertThat(txn.marks()).contains(Branch.PHANTOM_VOTED);
    }

    /** The scan was open when the execution began, and was lost with the replica meanwhile. */
    @Test
    void askAReplicaThatIsReached() {
      txn.read(0, row("x", 20));
      txn.scan("a", "f", 9);
      assertThat(txn.pushed(0, 2, row("x", 30))).containsExactly("resume #1 at 0 [x30]");
      txn.get("y");
      assertThat(txn.step(new Event.Unreachable(Set.of(new ReplicaId(0, 0)))))
          .containsExactly("p0r1 <- Get 3 y");
      txn.got(1, 3, 1, absent("y"));
      assertThat(txn.scan("a", "f", 9)).containsExactly("p0r1 <- Scan 4 [a, f) limit 9");
    }

    @Test
    void keepTheReadsBeforeAnEarlierScan() {
      txn.scan("a", "c", 9);
      txn.scanned(0, 0, "", row("b", 30));
      txn.scan("d", "f", 9);
      txn.scanned(0, 1, "", row("e", 31));
      assertThat(txn.pushedRow(1, 1, uncommitted("dd", version(40, 1), "x")))
          .containsExactly("resume #1 at 1 rows [dd=x, e=e31]");
      assertThat(txn.pushedRow(0, 1, row("b", 50))).containsExactly("resume #2 at 0 rows [b=b50]");
      // What followed is known still.
      assertThat(txn.scan("d", "f", 9)).containsExactly("resume #2 at 1 rows [dd=x, e=e31]");
    }
  }
}
