package org.mortydb.protocol.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mortydb.protocol.coordinator.CoordinatorDriver.OPTIONS;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.keyIn;
import static org.mortydb.protocol.testing.Make.prepared;
import static org.mortydb.protocol.testing.Make.tentative;
import static org.mortydb.protocol.testing.Make.uncommitted;
import static org.mortydb.protocol.testing.Make.version;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Vote.Reason;
import org.mortydb.protocol.model.WriteId;

/** Reads, writes, pushes and re-execution (docs/protocol.md, section 2). */
class CoordinatorExecutionTest {
  private final CoordinatorDriver txn = CoordinatorDriver.begun();

  @Test
  void firstCallArmsDeadlineAndResend() {
    assertThat(new CoordinatorDriver().get("a"))
        .containsExactly("arm DEADLINE 10000000", "arm RESEND 1000000", "p0r0 <- Get 0 a");
  }

  @Nested
  class Reads {

    @Test
    void goToTheClosestReplica() {
      assertThat(CoordinatorDriver.begun(new Topology(2, 3)).get("a"))
          .containsExactly("p0r3 <- Get 0 a");
    }

    @Test
    void resumeTheApplicationWithTheValue() {
      txn.get("a");
      assertThat(txn.got(0, 0, 1, committed("a", version(30, 1), "x")))
          .containsExactly("resume #0 at 0 [x]");
    }

    @Test
    void inParallelGoToTheirPartitionsAndResumeOnce() {
      CoordinatorDriver two = CoordinatorDriver.begun(new Topology(1, 0, 2));
      Key here = keyIn(0, 2, 0);
      Key there = keyIn(1, 2, 0);
      assertThat(two.get(there, here))
          .containsExactly("p1r2 <- Get 0 " + there, "p0r0 <- Get 1 " + here);
      assertThat(two.got(0, 1, 1, committed(here.toString(), version(30, 1), "x"))).isEmpty();
      assertThat(
              two.receive(
                  new ReplicaId(1, 2),
                  new Message.GetReply(
                      two.coordinator.txn(), 0, 1, version(31, 1), Value.of("y"), false)))
          .containsExactly("resume #0 at 0 [y, x]");
    }

    @Test
    void ofOneKeyTwiceInOneCallAreOneRead() {
      assertThat(txn.get("a", "a")).containsExactly("p0r0 <- Get 0 a");
      assertThat(txn.got(0, 0, 1, absent("a"))).containsExactly("resume #0 at 0 [absent, absent]");
      assertThat(txn.commit()).containsExactly("p0 <- Prepare #0 read [a=initial] write [] at [0]");
    }

    @Test
    void ofAKeyReadBeforeAreRepeatableAndCostNoMessage() {
      txn.read(0, committed("a", version(30, 1), "x"));
      assertThat(txn.get("a")).containsExactly("resume #0 at 1 [x]");
    }

    @Test
    void ofTheOwnWriteSeeItAndCostNoMessage() {
      txn.put("a", "own");
      assertThat(txn.get("a")).containsExactly("resume #0 at 1 [own]");
      assertThat(txn.commit()).containsExactly("p0 <- Prepare #0 read [] write [a/1=own] at [0]");
    }

    @Test
    void ofTheOwnDeleteSeeNothing() {
      txn.read(0, committed("a", version(30, 1), "x"));
      txn.put(key("a"), Value.ABSENT);
      assertThat(txn.get("a")).containsExactly("resume #0 at 2 [absent]");
      assertThat(txn.commit())
          .containsExactly("p0 <- Prepare #0 read [a=30/1] write [a/1=absent] at [0]");
    }

    @Test
    void mixOwnWritesAndTheStore() {
      txn.put("a", "own");
      assertThat(txn.get("b", "a")).containsExactly("p0 <- Put #0 a/1=own", "p0r0 <- Get 0 b");
      assertThat(txn.got(0, 0, 1, absent("b"))).containsExactly("resume #0 at 1 [absent, own]");
    }

    @Test
    void answeredTwiceResumeOnce() {
      txn.get("a");
      txn.got(0, 0, 1, absent("a"));
      assertThat(txn.got(0, 0, 1, absent("a"))).isEmpty();
    }

    @Test
    void answeredByAPushFirstTakeThePush() {
      txn.get("a");
      assertThat(txn.pushed(0, 2, prepared("a", version(40, 1), "newer")))
          .containsExactly("resume #0 at 0 [newer]");
      assertThat(txn.got(0, 0, 1, absent("a"))).isEmpty();
    }

    @Test
    void thatNobodyAskedForAreIgnored() {
      assertThat(txn.got(0, 7, 1, absent("a"))).isEmpty();
      assertThat(txn.got(0, -1, 1, absent("a"))).isEmpty();
    }

    /** No replica decodes a read set of more entries. */
    @Test
    void ofTooManyMergesAbortBeforeTheyAskForVotes() {
      for (int k = 0; k < 3; k++) {
        txn.get("k" + k);
        List<WriteId> below = new ArrayList<>();
        for (int i = 1; i <= Limits.MAX_OPERATIONS / 2; i++) {
          below.add(version(i, 1));
        }
        txn.receive(
            new ReplicaId(0, 0),
            new Message.GetReply(
                txn.txn(), k, 1, version(50_000, 1), Value.of("12345678"), true, below));
      }
      assertThat(txn.commit())
          .contains("aborted MERGE_LIMIT")
          .noneMatch(effect -> effect.contains("Prepare"));
    }

    @Test
    void beyondTheLimitAbort() {
      List<Key> keys = new ArrayList<>(Collections.nCopies(Limits.MAX_OPERATIONS + 1, key("a")));
      assertThat(txn.step(new Event.CallGet(0, keys))).contains("aborted REFUSED", "retire");
    }
  }

  @Nested
  class Writes {

    @Test
    void travelInThePrepareWhenTheCommitFollows() {
      assertThat(txn.put("a", "x")).isEmpty();
      assertThat(txn.commit()).containsExactly("p0 <- Prepare #0 read [] write [a/1=x] at [0]");
    }

    @Test
    void areShownWhenTheApplicationWaitsForARead() {
      txn.put("a", "x");
      txn.put("b", "y");
      assertThat(txn.get("c"))
          .containsExactly("p0 <- Put #0 a/1=x", "p0 <- Put #0 b/1=y", "p0r0 <- Get 0 c");
    }

    @Test
    void areShownWhenTheApplicationYields() {
      txn.put("a", "x");
      assertThat(txn.yield()).containsExactly("p0 <- Put #0 a/1=x");
      assertThat(txn.yield()).isEmpty();
    }

    @Test
    void withoutEagerWritesTellsNobodyBeforeThePrepare() {
      CoordinatorDriver late =
          CoordinatorDriver.begun(
              new Topology(1, 0), CoordinatorDriver.OPTIONS.withShownWrites(ShownWrites.NONE));
      late.put("a", "x");
      assertThat(late.yield()).isEmpty();
      assertThat(late.get("b")).containsExactly("p0r0 <- Get 0 b");
      late.got(0, 0, 1, absent("b"));
      assertThat(late.commit())
          .containsExactly("p0 <- Prepare #0 read [b=initial] write [a/1=x] at [0]");
    }

    @Test
    void ofKeysReadAreShownAndOthersTravelInThePrepare() {
      CoordinatorDriver some =
          CoordinatorDriver.begun(
              new Topology(1, 0),
              CoordinatorDriver.OPTIONS.withShownWrites(ShownWrites.OF_KEYS_READ));
      some.get("a");
      some.got(0, 0, 1, absent("a"));
      some.put("new", "x");
      some.put("a", "y");
      assertThat(some.get("b")).containsExactly("p0 <- Put #0 a/1=y", "p0r0 <- Get 1 b");
      some.got(0, 1, 1, absent("b"));
      assertThat(some.commit())
          .containsExactly(
              "p0 <- Prepare #0 read [a=initial, b=initial] write [new/1=x, a/1=y] at [0]");
    }

    @Test
    void ofContendedKeysAreShown() {
      CoordinatorOptions options =
          CoordinatorDriver.OPTIONS.withShownWrites(ShownWrites.OF_KEYS_READ);
      AttemptSpec attempt =
          new AttemptSpec(100, 100, 100, false, key -> key.equals(Key.of("contended")));
      CoordinatorDriver some = new CoordinatorDriver(attempt, new Topology(1, 0), options);
      some.put("new", "x");
      some.put("contended", "y");
      assertThat(some.yield())
          .contains("p0 <- Put #0 contended/1=y")
          .noneMatch(effect -> effect.contains("new/"));
    }

    @Test
    void areAllShownWhenThePrepareHasToWait() {
      CoordinatorDriver some =
          CoordinatorDriver.begun(
              new Topology(1, 0),
              CoordinatorDriver.OPTIONS
                  .withReexecution(ReexecutionPolicy.upTo(9).gathering())
                  .withShownWrites(ShownWrites.OF_KEYS_READ));
      some.get("a");
      some.got(0, 0, 1, uncommitted("a", version(3, 1), "unsettled"));
      some.put("new", "x");
      assertThat(some.yield()).isEmpty();
      assertThat(some.commit()).containsExactly("p0 <- Put #0 new/1=x");
    }

    /** Otherwise replicas would show the value of the execution that was given up. */
    @Test
    void thatAPrepareHasShownAreShownAgainWhenTheyChange() {
      CoordinatorDriver some =
          CoordinatorDriver.begun(
              new Topology(1, 0),
              CoordinatorDriver.OPTIONS.withShownWrites(ShownWrites.OF_KEYS_READ));
      some.get("a");
      some.got(0, 0, 1, absent("a"));
      some.put("new", "x");
      some.commit();
      some.pushed(0, 2, prepared("a", version(40, 1), "newer"));
      some.put("new", "y");
      assertThat(some.yield()).contains("p0 <- Put #1 new/2=y");
    }

    @Test
    void inARangeThatWasScannedAreShown() {
      CoordinatorDriver some =
          CoordinatorDriver.begun(
              new Topology(1, 0),
              CoordinatorDriver.OPTIONS.withShownWrites(ShownWrites.OF_KEYS_READ));
      some.scan("b", "d", 5);
      some.put("a", "x");
      some.put("c", "y");
      assertThat(some.yield()).containsExactly("p0 <- Put #0 c/1=y");
    }

    @Test
    void areNotShownWhenTheTurnEndsWithAReadThatIsAnswered() {
      txn.read(0, absent("a"));
      txn.put("b", "x");
      txn.get("a");
      assertThat(txn.yield()).isEmpty();
      assertThat(txn.commit())
          .containsExactly("p0 <- Prepare #0 read [a=initial] write [b/1=x] at [0]");
    }

    @Test
    void ofAnotherValueGetTheNextNumberAndOfTheSameKeepTheirs() {
      txn.put("a", "x");
      txn.yield();
      txn.put("a", "y");
      assertThat(txn.yield()).containsExactly("p0 <- Put #0 a/2=y");
      txn.put("a", "y");
      assertThat(txn.yield()).isEmpty();
      assertThat(txn.commit()).containsExactly("p0 <- Prepare #0 read [] write [a/2=y] at [0]");
    }

    @Test
    void overwrittenBeforeAnybodyHeardOfThemWereNever() {
      txn.put("a", "x");
      txn.put("a", "y");
      assertThat(txn.commit()).containsExactly("p0 <- Prepare #0 read [] write [a/1=y] at [0]");
    }

    @Test
    void thatMergeWhatDoesNotFitThePutBeforeAbort() {
      txn.put("a", "text");
      assertThat(txn.put(key("a"), Merge.add(1)))
          .contains("aborted MERGE_FAILED")
          .noneMatch(effect -> effect.contains("<-"));
    }

    @Test
    void beyondTheLimitAbort() {
      for (int i = 0; i < Limits.MAX_OPERATIONS; i++) {
        assertThat(txn.put("a", "x")).isEmpty();
      }
      assertThat(txn.put("a", "x"))
          .containsExactly("cancel RESEND", "cancel DEADLINE", "aborted REFUSED", "retire");
    }
  }

  @Nested
  class Home {
    private final Topology two = new Topology(1, 0, 0);

    @Test
    void isThePartitionOfTheFirstOperation() {
      CoordinatorDriver reader = CoordinatorDriver.begun(two);
      reader.get(keyIn(1, 2, 0));
      assertThat(reader.coordinator.txn().home()).isEqualTo(1);
      CoordinatorDriver writer = CoordinatorDriver.begun(two);
      writer.put(keyIn(1, 2, 0), Value.of("x"));
      writer.put(keyIn(0, 2, 0), Value.of("x"));
      assertThat(writer.coordinator.txn().home()).isEqualTo(1);
    }
  }

  /** Reads a, then b, writes c, reads d; stands after the read of d. */
  private void readsAbWritesCReadsD() {
    txn.read(0, committed("a", version(10, 1), "a1"));
    txn.read(1, committed("b", version(20, 1), "b1"));
    txn.put("c", "c1");
    txn.read(2, committed("d", version(30, 1), "d1"));
  }

  /** Reads a, then b, with pushes gathered. */
  private CoordinatorDriver gathering() {
    CoordinatorDriver gathering =
        CoordinatorDriver.begun(
            new Topology(1, 0), OPTIONS.withReexecution(ReexecutionPolicy.upTo(100).gathering()));
    gathering.read(0, committed("a", version(10, 1), "a1"));
    gathering.read(1, committed("b", version(20, 1), "b1"));
    return gathering;
  }

  @Nested
  class GatheredPushes {
    private final CoordinatorDriver gathered = gathering();

    @Test
    void makeForOneReexecutionFromTheEarliest() {
      assertThat(gathered.pushed(1, 2, prepared("b", version(25, 1), "b2")))
          .containsExactly("await batch end");
      assertThat(gathered.pushed(0, 2, prepared("a", version(15, 1), "a2"))).isEmpty();
      assertThat(gathered.batchEnds()).containsExactly("resume #1 at 0 [a2]");
      assertThat(gathered.coordinator.reexecutions()).isEqualTo(1);
      assertThat(gathered.get("b")).containsExactly("resume #1 at 1 [b2]");
      assertThat(gathered.batchEnds()).as("once").isEmpty();
    }

    @Test
    void keepACommitFromPreparing() {
      gathered.pushed(0, 2, prepared("a", version(15, 1), "a2"));
      assertThat(gathered.commit()).isEmpty();
      assertThat(gathered.firesAfter(1_000_000, Timer.RESEND))
          .as("what the votes would be on has not been executed")
          .containsExactly("arm RESEND 1000000");
      assertThat(gathered.pushed(1, 2, committed("b", version(20, 1), "b1"))).isEmpty();
      assertThat(gathered.batchEnds()).containsExactly("resume #1 at 0 [a2]");
    }

    @Test
    void keepAnApplicationThatGivesUpFromValidatingWhatItHasNotSeen() {
      gathered.pushed(0, 2, prepared("a", version(15, 1), "a2"));
      assertThat(gathered.commitReads()).isEmpty();
      assertThat(gathered.batchEnds()).containsExactly("resume #1 at 0 [a2]");
    }

    @Test
    void holdBackAnAnswerWhoseExecutionWillBeDropped() {
      gathered.get("c");
      gathered.pushed(0, 2, prepared("a", version(15, 1), "a2"));
      assertThat(gathered.got(0, 2, 1, absent("c"))).isEmpty();
      assertThat(gathered.batchEnds()).containsExactly("resume #1 at 0 [a2]");
    }

    @Test
    void keepAnAbortOfTheApplicationFromTakingEffect() {
      gathered.pushed(0, 2, prepared("a", version(15, 1), "a2"));
      assertThat(gathered.abort()).isEmpty();
      assertThat(gathered.batchEnds()).contains("resume #1 at 0 [a2]");
    }

    @Test
    void doNotWaitOnceVotesAreAskedFor() {
      gathered.commit();
      assertThat(gathered.pushed(0, 2, prepared("a", version(15, 1), "a2")))
          .containsExactly("resume #1 at 0 [a2]");
    }

    @Test
    void areForgottenAtTheDeadline() {
      gathered.pushed(0, 2, prepared("a", version(15, 1), "a2"));
      gathered.fires(Timer.DEADLINE);
      assertThat(gathered.batchEnds()).isEmpty();
    }
  }

  @Nested
  class PushDuringExecution {

    @Test
    void resumesAtTheStaleReadUnderTheNextExecution() {
      readsAbWritesCReadsD();
      assertThat(txn.pushed(1, 2, prepared("b", version(25, 1), "b2")))
          .containsExactly("resume #1 at 1 [b2]");
      assertThat(txn.coordinator.reexecutions()).isEqualTo(1);
    }

    @Test
    void resumesWhereTheKeyWasReadFirst() {
      readsAbWritesCReadsD();
      txn.get("b");
      assertThat(txn.pushed(1, 2, prepared("b", version(25, 1), "b2")))
          .containsExactly("resume #1 at 1 [b2]");
    }

    @Test
    void keepsWhatCameBeforeAndDropsWhatCameAfter() {
      readsAbWritesCReadsD();
      txn.pushed(1, 2, prepared("b", version(25, 1), "b2"));
      assertThat(txn.commit())
          .containsExactly("p0 <- Prepare #1 read [a=10/1, b=25/1] write [] at [0]");
    }

    @Test
    void keepsWritesBeforeTheStaleReadUnderTheirNumbers() {
      readsAbWritesCReadsD();
      assertThat(txn.pushed(2, 2, prepared("d", version(35, 1), "d2")))
          .containsExactly("resume #1 at 3 [d2]");
      assertThat(txn.commit())
          .containsExactly("p0 <- Prepare #1 read [a=10/1, b=20/1, d=35/1] write [c/1=c1] at [0]");
    }

    @Test
    void restoresTheWriteThatADroppedOneHadReplaced() {
      txn.put("c", "before");
      txn.read(0, absent("a"));
      txn.put("c", "after");
      txn.yield();
      txn.pushed(0, 2, prepared("a", version(25, 1), "x"));
      assertThat(txn.commit())
          .containsExactly("p0 <- Prepare #1 read [a=25/1] write [c/3=before] at [0]");
    }

    @Test
    void sameValueWrittenAgainKeepsItsNumber() {
      readsAbWritesCReadsD();
      txn.pushed(1, 2, prepared("b", version(25, 1), "b2"));
      txn.put("c", "c1");
      assertThat(txn.commit())
          .containsExactly("p0 <- Prepare #1 read [a=10/1, b=25/1] write [c/1=c1] at [0]");
    }

    @Test
    void readDroppedAndReadAgainCostsNoMessage() {
      readsAbWritesCReadsD();
      txn.pushed(1, 2, prepared("b", version(25, 1), "b2"));
      txn.marks();
      assertThat(txn.get("d")).containsExactly("resume #1 at 2 [d1]");
      assertThat(txn.marks()).containsExactly(Branch.READ_REUSED);
    }

    @Test
    void ofADroppedReadIsRememberedAndNothingElse() {
      readsAbWritesCReadsD();
      txn.pushed(1, 2, prepared("b", version(25, 1), "b2"));
      assertThat(txn.pushed(2, 2, prepared("d", version(35, 1), "d2"))).isEmpty();
      assertThat(txn.get("d")).containsExactly("resume #1 at 2 [d2]");
    }

    @Test
    void ofAParallelReadLeavesTheOthersOfTheSameCall() {
      txn.get("a", "b");
      txn.got(0, 0, 1, absent("a"));
      txn.got(0, 1, 1, absent("b"));
      assertThat(txn.pushed(1, 2, prepared("b", version(25, 1), "b2")))
          .containsExactly("resume #1 at 0 [absent, b2]");
    }

    @Test
    void ofAReadWhoseCallIsNotAnsweredYetWaitsForTheRest() {
      txn.get("a", "b");
      txn.got(0, 0, 1, absent("a"));
      assertThat(txn.pushed(0, 2, prepared("a", version(25, 1), "a2"))).isEmpty();
      assertThat(txn.got(0, 1, 1, absent("b"))).containsExactly("resume #0 at 0 [a2, absent]");
    }

    @Test
    void whileALaterReadIsOutstandingLetsThatOneGo() {
      txn.read(0, absent("a"));
      txn.get("b");
      assertThat(txn.pushed(0, 2, prepared("a", version(25, 1), "a2")))
          .containsExactly("resume #1 at 0 [a2]");
      assertThat(txn.got(0, 1, 1, absent("b"))).isEmpty();
      assertThat(txn.get("b")).as("answered meanwhile").containsExactly("resume #1 at 1 [absent]");
    }

    @Test
    void readAskedForByAnEarlierExecutionIsNotAskedForAgain() {
      txn.read(0, absent("a"));
      txn.get("b");
      txn.pushed(0, 2, prepared("a", version(25, 1), "a2"));
      assertThat(txn.get("b")).isEmpty();
      assertThat(txn.got(0, 1, 1, absent("b"))).containsExactly("resume #1 at 1 [absent]");
    }

    @Test
    void ofTheSameValueMovesTheReadSetAndRunsNothing() {
      readsAbWritesCReadsD();
      assertThat(txn.pushed(1, 2, prepared("b", version(25, 1), "b1"))).isEmpty();
      assertThat(txn.commit())
          .containsExactly("p0 <- Prepare #0 read [a=10/1, b=25/1, d=30/1] write [c/1=c1] at [0]");
    }

    @Test
    void overtakenByALaterOneIsIgnored() {
      readsAbWritesCReadsD();
      txn.pushed(1, 3, prepared("b", version(26, 1), "b3"));
      assertThat(txn.pushed(1, 2, prepared("b", version(25, 1), "b2"))).isEmpty();
      assertThat(txn.commit())
          .containsExactly("p0 <- Prepare #1 read [a=10/1, b=26/1] write [] at [0]");
    }

    @Test
    void makesCallsOfTheSupersededExecutionVoid() {
      readsAbWritesCReadsD();
      txn.pushed(1, 2, prepared("b", version(25, 1), "b2"));
      assertThat(txn.step(new Event.CallPut(0, key("e"), Value.of("late")))).isEmpty();
      assertThat(txn.step(new Event.CallCommit(0))).isEmpty();
      assertThat(txn.step(new Event.CallAbort(0))).isEmpty();
      assertThat(txn.commit())
          .containsExactly("p0 <- Prepare #1 read [a=10/1, b=25/1] write [] at [0]");
    }
  }

  @Nested
  class Retracting {

    @Test
    void waitsUntilTheReexecutionIsComplete() {
      readsAbWritesCReadsD(); // c was shown when d was read
      txn.pushed(1, 2, prepared("b", version(25, 1), "b2"));
      assertThat(txn.get("e")).containsExactly("p0r0 <- Get 3 e");
      txn.got(0, 3, 1, uncommitted("e", version(26, 1), "e1"));
      assertThat(txn.yield()).isEmpty();
      assertThat(txn.commit()).containsExactly("p0 <- Retract #1 [c]");
    }

    /** Each execution is within the limits of a message, and all of them together are not. */
    @Test
    void ofManyWritesGoesInParts() {
      int each = Limits.MAX_OPERATIONS - 2;
      txn.read(0, absent("a"));
      for (int execution = 0; execution < 2; execution++) {
        for (int i = 0; i < each; i++) {
          txn.put(execution + "-" + i, "x");
        }
        txn.yield();
        txn.pushed(0, 2 + execution, prepared("a", version(25 + execution, 1), "a" + execution));
      }
      txn.read(1, uncommitted("e", version(26, 1), "e1"));
      List<String> retracts = txn.commit();
      assertThat(retracts)
          .hasSize(2)
          .allSatisfy(effect -> assertThat(effect).startsWith("p0 <- Retract #2 ["))
          .allSatisfy(
              effect ->
                  assertThat(effect.split(",")).hasSizeLessThanOrEqualTo(Limits.MAX_OPERATIONS));
      assertThat(retracts.stream().mapToInt(effect -> effect.split(",").length).sum())
          .isEqualTo(2 * each);
    }

    @Test
    void isNotNeededWhenThePrepareTellsTheWholeSet() {
      readsAbWritesCReadsD();
      txn.pushed(1, 2, prepared("b", version(25, 1), "b2"));
      assertThat(txn.commit())
          .containsExactly("p0 <- Prepare #1 read [a=10/1, b=25/1] write [] at [0]");
    }

    @Test
    void takesNothingBackThatTheReexecutionHasWrittenAgain() {
      readsAbWritesCReadsD();
      txn.pushed(1, 2, prepared("b", version(25, 1), "b2"));
      txn.put("c", "c1");
      assertThat(txn.get("e")).containsExactly("p0r0 <- Get 3 e");
    }

    @Test
    void makesALaterWriteOfTheSameValueANewOne() {
      readsAbWritesCReadsD();
      txn.pushed(1, 2, prepared("b", version(25, 1), "b2"));
      txn.read(3, uncommitted("e", version(26, 1), "e1"));
      txn.commit(); // takes c back
      txn.pushed(3, 2, prepared("e", version(26, 2), "e2"));
      txn.put("c", "c1");
      assertThat(txn.yield()).containsExactly("p0 <- Put #2 c/2=c1");
    }

    @Test
    void isNoneOfWhatTheReexecutionWritesAgainAfterARead() {
      readsAbWritesCReadsD();
      txn.pushed(1, 2, prepared("b", version(25, 1), "b2"));
      txn.read(3, absent("e"));
      txn.put("c", "c1");
      assertThat(txn.yield()).isEmpty();
    }

    @Test
    void ofWritesThatNobodyHeardOfIsNotNeeded() {
      txn.read(0, absent("a"));
      txn.put("b", "x");
      txn.pushed(0, 2, prepared("a", version(25, 1), "a2"));
      assertThat(txn.get("c")).containsExactly("p0r0 <- Get 1 c");
    }

    @Test
    void atAPartitionThatIsLeftGoesAheadOfThePrepare() {
      CoordinatorDriver two = CoordinatorDriver.begun(new Topology(1, 0, 0));
      Key home = keyIn(0, 2, 0);
      Key left = keyIn(1, 2, 0);
      two.read(0, new VersionedValue(home, version(10, 1), Value.of("x"), true));
      two.put(left, Value.of("y"));
      assertThat(two.yield()).containsExactly("p1 <- Put #0 " + left + "/1=y");
      two.pushed(0, 2, new VersionedValue(home, version(25, 1), Value.of("z"), true));
      assertThat(two.commit())
          .containsExactly(
              "p1 <- Retract #1 [" + left + "]",
              "p0 <- Prepare #1 read [" + home + "=25/1] write [] at [0]");
    }
  }

  @Nested
  class PushDuringPrepare {

    private void prepares() {
      readsAbWritesCReadsD();
      txn.commit();
      txn.marks();
    }

    @Test
    void resumesAtTheStaleRead() {
      prepares();
      assertThat(txn.pushed(1, 2, prepared("b", version(25, 1), "b2")))
          .containsExactly("resume #1 at 1 [b2]");
    }

    @Test
    void takesTheWritesBeforeTheStaleReadBackThatWereLeftOut() {
      txn.put("b", "own");
      txn.read(0, committed("a", version(30, 1), "x"));
      assertThat(txn.commitReads())
          .containsExactly("p0 <- Prepare #1 read [a=30/1] write [] at [0]");
      assertThat(txn.pushed(0, 2, prepared("a", version(40, 1), "y")))
          .containsExactly("resume #2 at 1 [y]");
      assertThat(txn.get("b")).containsExactly("resume #2 at 2 [own]");
      assertThat(txn.commit())
          .containsExactly("p0 <- Prepare #2 read [a=40/1] write [b/2=own] at [0]");
    }

    @Test
    void makesVotesForTheOldExecutionVoid() {
      prepares();
      txn.pushed(1, 2, prepared("b", version(25, 1), "b2"));
      for (int replica = 0; replica < 3; replica++) {
        assertThat(txn.vote(0, replica, 0, Vote.COMMIT)).isEmpty();
      }
      txn.commit();
      for (int replica = 0; replica < 3; replica++) {
        assertThat(txn.vote(0, replica, 0, Vote.COMMIT)).isEmpty();
      }
      assertThat(txn.votes(Vote.COMMIT, Vote.COMMIT, Vote.COMMIT))
          .contains("committed #1 FAST read [a=10/1:a1, b=25/1:b2] write []");
    }

    @Test
    void cancelsTheTimersOfTheOldExecution() {
      prepares();
      txn.vote(0, 0, 0, Vote.COMMIT);
      txn.vote(0, 1, 0, Vote.COMMIT);
      assertThat(txn.pushed(1, 2, prepared("b", version(25, 1), "b2")))
          .containsExactly("cancel SLOW_PATH", "resume #1 at 1 [b2]");
      assertThat(txn.fires(Timer.SLOW_PATH)).isEmpty();
    }

    @Test
    void dropsTheOldVotesWhenTheReexecutionWaits() {
      prepares();
      txn.pushed(1, 2, prepared("b", version(25, 1), "b2"));
      assertThat(txn.get("e")).containsExactly("p0 <- Drop #0", "p0r0 <- Get 3 e");
    }

    @Test
    void dropsTheOldVotesWhenTheApplicationYields() {
      prepares();
      txn.pushed(1, 2, prepared("b", version(25, 1), "b2"));
      txn.put("c", "c1");
      assertThat(txn.yield()).containsExactly("p0 <- Drop #0");
      assertThat(txn.yield()).isEmpty();
    }

    @Test
    void dropsNothingWhereTheNextPrepareSupersedes() {
      prepares();
      txn.pushed(1, 2, prepared("b", version(25, 1), "b2"));
      assertThat(txn.commit())
          .containsExactly("p0 <- Prepare #1 read [a=10/1, b=25/1] write [] at [0]");
    }

    @Test
    void dropsTheVotesAtAPartitionThatIsLeft() {
      CoordinatorDriver two = CoordinatorDriver.begun(new Topology(1, 0, 0));
      Key home = keyIn(0, 2, 0);
      Key left = keyIn(1, 2, 0);
      two.read(0, new VersionedValue(home, version(10, 1), Value.of("x"), true));
      two.put(left, Value.of("y"));
      two.commit();
      two.pushed(0, 2, new VersionedValue(home, version(25, 1), Value.of("z"), true));
      two.marks();
      assertThat(two.commit())
          .containsExactly(
              "p1 <- Drop #0",
              "p1 <- Retract #1 [" + left + "]",
              "p0 <- Prepare #1 read [" + home + "=25/1] write [] at [0]");
      assertThat(two.marks()).containsExactly(Branch.PARTICIPANT_LEFT);
      assertThat(two.votes(Vote.COMMIT, Vote.COMMIT, Vote.COMMIT))
          .containsSequence("p0 <- Decide commit #1 at [0]", "p1 <- Decide commit #1 at [0]");
    }

    @Test
    void ofTheSameValuePreparesAgainUnderTheNextExecution() {
      prepares();
      assertThat(txn.pushed(1, 2, prepared("b", version(25, 1), "b1")))
          .containsExactly("p0 <- Prepare #1 read [a=10/1, b=25/1, d=30/1] write [c/1=c1] at [0]");
      assertThat(txn.marks()).containsExactly(Branch.VALUE_UNCHANGED);
      assertThat(txn.coordinator.reexecutions()).isZero();
    }
  }

  /** A commit on versions that their replica has not voted to commit. */
  @Nested
  class Settling {
    private static final VersionedValue EXECUTED = uncommitted("a", version(30, 1), "x");
    private static final VersionedValue SETTLED = prepared("a", version(30, 1), "x");
    private static final String PREPARES = "p0 <- Prepare #0 read [a=30/1] write [b/1=y] at [0]";

    private List<String> commits() {
      txn.read(0, EXECUTED);
      txn.put("b", "y");
      return txn.commit();
    }

    @Test
    void showsTheWritesAndWaits() {
      assertThat(commits()).containsExactly("p0 <- Put #0 b/1=y");
      assertThat(txn.marks()).contains(Branch.SETTLING);
    }

    @Test
    void endsWithTheNoticeThatTheVersionHasSettled() {
      commits();
      assertThat(txn.pushed(0, 2, SETTLED)).containsExactly(PREPARES);
    }

    @Test
    void isNotNeededWhenTheNoticeCameDuringTheExecution() {
      txn.read(0, EXECUTED);
      assertThat(txn.pushed(0, 2, SETTLED)).isEmpty();
      txn.put("b", "y");
      assertThat(txn.commit()).containsExactly(PREPARES);
    }

    @Test
    void waitsForEveryReadOfTheExecution() {
      txn.read(0, EXECUTED);
      txn.read(1, uncommitted("c", version(31, 1), "z"));
      txn.commit();
      assertThat(txn.pushed(0, 2, SETTLED)).isEmpty();
      assertThat(txn.pushed(1, 2, prepared("c", version(31, 1), "z")))
          .containsExactly("p0 <- Prepare #0 read [a=30/1, c=31/1] write [] at [0]");
    }

    @Test
    void doesNotWaitForDroppedReads() {
      txn.read(0, absent("c"));
      txn.read(1, EXECUTED);
      txn.pushed(0, 2, committed("c", version(5, 1), "z"));
      assertThat(txn.commit()).containsExactly("p0 <- Prepare #1 read [c=5/1] write [] at [0]");
    }

    @Test
    void runsAgainOnAnotherValueWithoutHavingAskedForVotes() {
      commits();
      assertThat(txn.pushed(0, 2, prepared("a", version(30, 2), "z")))
          .containsExactly("resume #1 at 0 [z]");
      txn.put("b", "y");
      assertThat(txn.commit())
          .containsExactly("p0 <- Prepare #1 read [a=30/2] write [b/1=y] at [0]");
    }

    @Test
    void takesASettledVersionOfTheSameValue() {
      commits();
      assertThat(txn.pushed(0, 2, prepared("a", version(35, 1), "x")))
          .containsExactly("p0 <- Prepare #0 read [a=35/1] write [b/1=y] at [0]");
    }

    @Test
    void goesOnWithAVersionOfTheSameValueThatHasNotSettled() {
      commits();
      assertThat(txn.pushed(0, 2, uncommitted("a", version(35, 1), "x"))).isEmpty();
    }

    @Test
    void isGivenUpWhenTheNoticeDoesNotCome() {
      commits();
      assertThat(txn.firesAfter(OPTIONS.resendMicros() / 2, Timer.RESEND))
          .containsExactly("arm RESEND 1000000", PREPARES);
    }

    @Test
    void isNotGivenUpAtOnce() {
      commits();
      assertThat(txn.firesAfter(OPTIONS.resendMicros() / 2 - 1, Timer.RESEND))
          .containsExactly("arm RESEND 1000000");
    }

    private static CoordinatorDriver withRoundTrip(long roundTripMicros) {
      AttemptSpec attempt =
          new AttemptSpec(100, 100, 100, false, _ -> false, false, roundTripMicros);
      CoordinatorDriver far = new CoordinatorDriver(attempt, new Topology(1, 0), OPTIONS);
      far.get("a");
      far.got(0, 0, 1, EXECUTED);
      far.put("b", "y");
      return far;
    }

    /** Far from a dead writer, and close to one, nobody waits for longer than a live one takes. */
    @Test
    void isGivenUpAfterARoundTripIfThatIsKnown() {
      CoordinatorDriver far = withRoundTrip(200_000);
      long patience = OPTIONS.slowPathMicros() + 200_000;
      assertThat(far.commit()).containsExactly("arm RESEND " + patience, "p0 <- Put #0 b/1=y");
      assertThat(far.firesAfter(patience, Timer.RESEND))
          .containsExactly("arm RESEND 1000000", PREPARES);
    }

    @Test
    void isNotGivenUpWithinTheRoundTrip() {
      CoordinatorDriver far = withRoundTrip(200_000);
      far.commit();
      assertThat(far.firesAfter(100_000, Timer.RESEND)).containsExactly("arm RESEND 1000000");
    }

    /** Whoever says how far the regions are may lie. */
    @Test
    void isGivenUpAfterAResendIntervalHoweverLongTheRoundTrip() {
      CoordinatorDriver far = withRoundTrip(OPTIONS.resendMicros());
      assertThat(far.commit()).containsExactly("p0 <- Put #0 b/1=y");
      assertThat(far.firesAfter(OPTIONS.resendMicros() / 2, Timer.RESEND)).contains(PREPARES);
    }

    @Test
    void takesTheOldVotesBackMeanwhile() {
      commits();
      txn.pushed(0, 2, SETTLED);
      assertThat(txn.pushed(0, 3, uncommitted("a", version(35, 1), "x")))
          .containsExactly("p0 <- Drop #0");
      assertThat(txn.pushed(0, 4, prepared("a", version(35, 1), "x")))
          .containsExactly("p0 <- Prepare #1 read [a=35/1] write [b/1=y] at [0]");
    }

    @Test
    void endsAtTheDeadline() {
      commits();
      assertThat(txn.fires(Timer.DEADLINE)).contains("p0 <- Decide abort", "aborted DEADLINE");
    }

    @Test
    void isNoneUnderAPolicyThatNeverReexecutes() {
      CoordinatorDriver never =
          CoordinatorDriver.begun(
              new Topology(1, 0),
              new CoordinatorOptions(
                  10_000_000, 2_000_000, 1_000_000, 2_000, 0, ReexecutionPolicy.NEVER));
      never.read(0, EXECUTED);
      assertThat(never.commit()).contains("p0r0 <- Register #0 read [a=30/1]");
    }
  }

  @Nested
  class PushTooLate {

    @Test
    void isIgnoredOnceAnOutcomeWasProposed() {
      readsAbWritesCReadsD();
      txn.commit();
      txn.votes(Vote.COMMIT, Vote.COMMIT);
      assertThat(txn.fires(Timer.SLOW_PATH)).containsExactly("p0 <- Finalize commit #0 at [0]");
      assertThat(txn.pushed(1, 2, prepared("b", version(25, 1), "b2"))).isEmpty();
      txn.accept(0);
      assertThat(txn.accept(1))
          .contains("committed #0 SLOW read [a=10/1:a1, b=20/1:b1, d=30/1:d1] write [c/1=c1]");
    }

    @Test
    void isIgnoredAfterTheOutcome() {
      readsAbWritesCReadsD();
      txn.commit();
      txn.votes(Vote.COMMIT, Vote.COMMIT, Vote.COMMIT);
      assertThat(txn.pushed(1, 2, prepared("b", version(25, 1), "b2"))).isEmpty();
    }
  }

  @Nested
  class Policy {

    private CoordinatorDriver with(ReexecutionPolicy policy) {
      CoordinatorDriver txn =
          CoordinatorDriver.begun(
              new Topology(1, 0),
              new CoordinatorOptions(10_000_000, 2_000_000, 1_000_000, 2_000, 0, policy));
      txn.read(0, absent("a"));
      return txn;
    }

    @Test
    void neverAbortsAtTheFirstStaleRead() {
      assertThat(with(ReexecutionPolicy.NEVER).pushed(0, 2, committed("a", version(5, 1), "x")))
          .contains("p0 <- Decide abort", "aborted REEXECUTION_LIMIT", "retire");
    }

    @Test
    void limitIsTheNumberOfReexecutions() {
      CoordinatorDriver txn = with(ReexecutionPolicy.upTo(2));
      assertThat(txn.pushed(0, 2, committed("a", version(5, 1), "x")))
          .containsExactly("resume #1 at 0 [x]");
      assertThat(txn.pushed(0, 3, committed("a", version(6, 1), "y")))
          .containsExactly("resume #2 at 0 [y]");
      assertThat(txn.pushed(0, 4, committed("a", version(7, 1), "z")))
          .contains("aborted REEXECUTION_LIMIT");
    }

    @Test
    void sameValueIsNoReexecution() {
      CoordinatorDriver txn = with(ReexecutionPolicy.NEVER);
      txn.pushed(0, 2, new VersionedValue(key("a"), version(5, 1), Value.ABSENT, true));
      assertThat(txn.commit()).contains("p0r0 <- Register #0 read [a=5/1]");
    }
  }

  @Test
  void commitWhileAReadIsOutstandingIsAnError() {
    txn.get("a");
    assertThatThrownBy(txn::commit)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("outstanding");
  }

  /** The replica that pushes may have heard already that its writer has aborted. */
  @Test
  void aVersionThatOnlyVotesOfOthersShowIsNotAwaited() {
    CoordinatorDriver txn = CoordinatorDriver.begun();
    txn.read(0, committed("a", version(10, 1), "old"));
    txn.put("b", "x");
    txn.commit();
    Vote missed = tentative(Reason.MISSED_WRITE, uncommitted("a", version(40, 1), "new"));
    txn.vote(0, 1, 0, missed);
    assertThat(txn.vote(0, 2, 0, missed)).contains("resume #1 at 0 [new]");
    txn.put("b", "y");
    assertThat(txn.commit()).anyMatch(effect -> effect.contains("Prepare #1"));
  }

  /** A vote is older news than the push that came after it. */
  @Test
  void norOneThatAPushHasCorrectedSinceTheVote() {
    CoordinatorDriver txn = CoordinatorDriver.begun();
    txn.read(0, committed("a", version(10, 1), "old"));
    txn.put("b", "x");
    txn.commit();
    Vote missed = tentative(Reason.MISSED_WRITE, uncommitted("a", version(40, 1), "new"));
    txn.vote(0, 0, 0, missed);
    txn.pushed(0, 2, committed("a", version(10, 1), "old"));
    assertThat(txn.vote(0, 1, 0, missed)).contains("resume #1 at 0 [new]");
    txn.put("b", "y");
    assertThat(txn.commit()).anyMatch(effect -> effect.contains("Prepare #1"));
  }
}
