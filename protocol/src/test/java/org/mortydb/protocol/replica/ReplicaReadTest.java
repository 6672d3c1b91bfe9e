package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.INITIAL;
import static org.mortydb.protocol.testing.Make.abort;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.execution;
import static org.mortydb.protocol.testing.Make.get;
import static org.mortydb.protocol.testing.Make.got;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.prepared;
import static org.mortydb.protocol.testing.Make.pushed;
import static org.mortydb.protocol.testing.Make.put;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.retract;
import static org.mortydb.protocol.testing.Make.sent;
import static org.mortydb.protocol.testing.Make.tentative;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.uncommitted;
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.voted;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;

/** Reads, subscriptions and pushes (docs/protocol.md, section 2). */
class ReplicaReadTest {
  private final ReplicaDriver replica = new ReplicaDriver();

  private void install(long t, String key, String value) {
    replica.receive(prepare(t, 0).writes(key, 1, value).message());
    replica.receive(commit(t, 0));
  }

  @Nested
  class Get {

    @Test
    void answersAbsentForAKeyThatNobodyWrote() {
      assertThat(replica.receive(get(50, 0, "a")))
          .containsExactly(toCoordinator(got(50, 0, 1, absent("a"))));
    }

    @Test
    void answersTheNewestVersionBelowTheReader() {
      install(10, "a", "old");
      install(30, "a", "new");
      install(70, "a", "above");
      assertThat(replica.receive(get(50, 0, "a")))
          .containsExactly(toCoordinator(got(50, 0, 1, committed("a", version(30, 1), "new"))));
    }

    @Test
    void answersAnUncommittedVersionToo() {
      install(10, "a", "old");
      replica.receive(put(30, 0, "a", 1, "new"));
      assertThat(replica.receive(get(50, 0, "a")))
          .containsExactly(toCoordinator(got(50, 0, 1, uncommitted("a", version(30, 1), "new"))));
    }

    @Test
    void answersAPreparedVersionAsSettled() {
      replica.receive(prepare(30, 0).writes("a", 1, "x").message());
      assertThat(replica.receive(get(50, 0, "a")))
          .containsExactly(toCoordinator(got(50, 0, 1, prepared("a", version(30, 1), "x"))));
    }

    @Test
    void neverAnswersTheReadersOwnWrite() {
      install(10, "a", "old");
      replica.receive(put(50, 0, "a", 1, "own"));
      assertThat(replica.receive(get(50, 0, "a")))
          .containsExactly(toCoordinator(got(50, 0, 1, committed("a", version(10, 1), "old"))));
    }

    @Test
    void answersADeletedKeyAsAVersionThatIsAbsent() {
      replica.receive(new Message.Put(txn(30), 0, new Write(key("a"), 1, Value.ABSENT)));
      assertThat(replica.receive(get(50, 0, "a")))
          .containsExactly(
              toCoordinator(
                  new Message.GetReply(txn(50), 0, 1, version(30, 1), Value.ABSENT, false)));
    }

    @Test
    void answersARepeatedGetUnderAHigherSequence() {
      install(10, "a", "x");
      replica.receive(get(50, 3, "a"));
      assertThat(replica.receive(get(50, 3, "a")))
          .containsExactly(toCoordinator(got(50, 3, 2, committed("a", version(10, 1), "x"))));
    }

    @Test
    void pushesOnlyOnceAfterARepeatedGet() {
      replica.receive(get(50, 3, "a"));
      replica.receive(get(50, 3, "a"));
      assertThat(replica.receive(put(30, 0, "a", 1, "x")))
          .containsExactly(toCoordinator(pushed(50, 3, 3, uncommitted("a", version(30, 1), "x"))));
    }

    @Test
    void replacesTheSubscriptionOfAnEarlierRequest() {
      replica.receive(get(50, 0, "a"));
      assertThat(replica.receive(get(50, 1, "a")))
          .containsExactly(toCoordinator(got(50, 1, 1, absent("a"))));
      assertThat(replica.receive(put(30, 0, "a", 1, "x")))
          .containsExactly(toCoordinator(pushed(50, 1, 2, uncommitted("a", version(30, 1), "x"))));
    }

    @Test
    void overtakenByALaterRequestIsIgnored() {
      replica.receive(get(50, 1, "a"));
      assertThat(replica.receive(get(50, 0, "a"))).isEmpty();
      assertThat(replica.receive(put(30, 0, "a", 1, "x")))
          .containsExactly(toCoordinator(pushed(50, 1, 2, uncommitted("a", version(30, 1), "x"))));
    }

    @Test
    void isNotAnsweredToADecidedTransaction() {
      replica.receive(abort(50));
      assertThat(replica.receive(get(50, 0, "a"))).isEmpty();
    }
  }

  @Nested
  class Push {

    @Test
    void followsAPut() {
      replica.receive(get(50, 0, "a"));
      assertThat(replica.receive(put(30, 0, "a", 1, "x")))
          .containsExactly(toCoordinator(pushed(50, 0, 2, uncommitted("a", version(30, 1), "x"))));
    }

    @Test
    void followsAPrepareWithAWriteThatWasNotShownBefore() {
      replica.receive(get(50, 0, "a"));
      assertThat(replica.receive(prepare(30, 0).writes("a", 1, "x").message()))
          .contains(toCoordinator(pushed(50, 0, 2, prepared("a", version(30, 1), "x"))))
          .hasSize(2);
    }

    @Test
    void tellsThatWhatAPutHasShownHasSettledWhenItIsPrepared() {
      replica.receive(get(50, 0, "a"));
      replica.receive(put(30, 0, "a", 1, "x"));
      assertThat(replica.receive(prepare(30, 0).writes("a", 1, "x").message()))
          .containsExactly(
              toCoordinator(pushed(50, 0, 3, prepared("a", version(30, 1), "x"))),
              toCoordinator(voted(30, 0, Vote.COMMIT)));
    }

    @Test
    void goesToEverySubscriberAboveTheWriterThatReadBelowIt() {
      replica.receive(get(60, 0, "a"));
      replica.receive(get(50, 0, "a"));
      assertThat(replica.receive(put(30, 0, "a", 1, "x")))
          .containsExactly(
              toCoordinator(pushed(60, 0, 2, uncommitted("a", version(30, 1), "x"))),
              toCoordinator(pushed(50, 0, 2, uncommitted("a", version(30, 1), "x"))));
    }

    @Test
    void doesNotGoToReadersBelowTheWriter() {
      replica.receive(get(20, 0, "a"));
      assertThat(replica.receive(put(30, 0, "a", 1, "x"))).isEmpty();
    }

    @Test
    void doesNotGoToReadersWhoReadNewer() {
      replica.receive(put(40, 0, "a", 1, "newer"));
      replica.receive(get(50, 0, "a"));
      assertThat(replica.receive(put(30, 0, "a", 1, "x"))).isEmpty();
    }

    @Test
    void doesNotGoToTheWriterItself() {
      replica.receive(get(30, 0, "a"));
      assertThat(replica.receive(put(30, 0, "a", 1, "x"))).isEmpty();
    }

    @Test
    void doesNotGoToReadersOfOtherKeys() {
      replica.receive(get(50, 0, "b"));
      assertThat(replica.receive(put(30, 0, "a", 1, "x"))).isEmpty();
    }

    @Test
    void doesNotGoToReadersWhoAreDecided() {
      replica.receive(get(50, 0, "a"));
      replica.receive(prepare(50, 0).reads("a", INITIAL).message());
      replica.receive(commit(50, 0));
      assertThat(replica.receive(put(30, 0, "a", 1, "x"))).isEmpty();
    }

    @Test
    void followsAReplacedVersionWhenItHasSettled() {
      replica.receive(put(30, 0, "a", 1, "x"));
      replica.receive(get(50, 0, "a"));
      assertThat(replica.receive(put(30, 1, "a", 2, "y"))).isEmpty();
      assertThat(replica.receive(prepare(30, 1).writes("a", 2, "y").message()))
          .contains(toCoordinator(pushed(50, 0, 2, prepared("a", version(30, 2), "y"))));
    }

    @Test
    void followsARetractedVersionWithTheOneBelow() {
      install(10, "a", "old");
      replica.receive(put(30, 0, "a", 1, "x"));
      replica.receive(get(50, 0, "a"));
      assertThat(replica.receive(retract(30, 1, "a")))
          .containsExactly(toCoordinator(pushed(50, 0, 2, committed("a", version(10, 1), "old"))));
    }

    @Test
    void followsAPrepareThatNoLongerWritesTheKey() {
      replica.receive(put(30, 0, "a", 1, "x"));
      replica.receive(get(50, 0, "a"));
      assertThat(replica.receive(prepare(30, 1).writes("b", 1, "y").message()))
          .contains(toCoordinator(pushed(50, 0, 2, absent("a"))));
    }

    @Test
    void followsAnAbortedVersionWithTheOneBelow() {
      replica.receive(put(20, 0, "a", 1, "below"));
      replica.receive(put(30, 0, "a", 1, "x"));
      replica.receive(get(50, 0, "a"));
      assertThat(replica.receive(abort(30)))
          .containsExactly(
              toCoordinator(pushed(50, 0, 2, uncommitted("a", version(20, 1), "below"))));
    }

    @Test
    void doesNotFollowAnAbortBelowWhatWasRead() {
      replica.receive(put(20, 0, "a", 1, "below"));
      replica.receive(put(30, 0, "a", 1, "x"));
      replica.receive(get(50, 0, "a"));
      assertThat(replica.receive(abort(20))).isEmpty();
    }

    @Test
    void doesNotFollowTheCommitOfTheVersionRead() {
      replica.receive(prepare(30, 0).writes("a", 1, "x").message());
      replica.receive(get(50, 0, "a"));
      assertThat(replica.receive(commit(30, 0))).isEmpty();
    }

    @Test
    void followsAFetchedVersion() {
      replica.receive(get(50, 0, "a"));
      replica.receive(commit(30, 0));
      assertThat(replica.receive(replica(1), prepare(30, 0).writes("a", 1, "x").fetched()))
          .containsExactly(toCoordinator(pushed(50, 0, 2, committed("a", version(30, 1), "x"))));
    }

    @Test
    void followsTheCommitOfAnotherValueThanTheOneRead() {
      replica.receive(put(30, 0, "a", 1, "x"));
      replica.receive(get(50, 0, "a"));
      replica.receive(commit(30, 1));
      assertThat(replica.receive(replica(1), prepare(30, 1).writes("a", 2, "y").fetched()))
          .containsExactly(toCoordinator(pushed(50, 0, 2, committed("a", version(30, 2), "y"))));
    }

    @Test
    void isNotSentTwiceForOneVersion() {
      replica.receive(get(50, 0, "a"));
      replica.receive(put(30, 0, "a", 1, "x"));
      assertThat(replica.receive(put(30, 0, "a", 1, "x"))).isEmpty();
    }

    @Test
    void tellsOfTheNewestVersionNotOfTheOneThatAppeared() {
      // The reader's reply of 30 is lost in the network, not at the replica: it counts as told.
      replica.receive(get(50, 0, "a"));
      replica.receive(put(30, 0, "a", 1, "x"));
      assertThat(replica.receive(put(40, 0, "a", 1, "y")))
          .containsExactly(toCoordinator(pushed(50, 0, 3, uncommitted("a", version(40, 1), "y"))));
    }
  }

  /** Notices that what a reader has seen is voted for, and the silence until then. */
  @Nested
  class Settling {

    @Test
    void replacedVersionOfTheSameWriterIsNotPushedBeforeItHasSettled() {
      replica.receive(put(30, 0, "a", 1, "x"));
      replica.receive(get(50, 0, "a"));
      assertThat(replica.receive(put(30, 1, "a", 2, "y"))).isEmpty();
      assertThat(replica.receive(put(30, 2, "a", 3, "z"))).isEmpty();
      assertThat(replica.receive(prepare(30, 2).writes("a", 3, "z").message()))
          .containsExactly(
              toCoordinator(pushed(50, 0, 2, prepared("a", version(30, 3), "z"))),
              toCoordinator(voted(30, 2, Vote.COMMIT)));
    }

    @Test
    void versionOfAnotherWriterIsPushedAtOnce() {
      replica.receive(put(30, 0, "a", 1, "x"));
      replica.receive(get(50, 0, "a"));
      assertThat(replica.receive(put(40, 0, "a", 1, "y")))
          .containsExactly(toCoordinator(pushed(50, 0, 2, uncommitted("a", version(40, 1), "y"))));
    }

    @Test
    void noticeComesOnce() {
      replica.receive(put(30, 0, "a", 1, "x"));
      replica.receive(get(50, 0, "a"));
      assertThat(replica.receive(prepare(30, 0).writes("a", 1, "x").message())).hasSize(2);
      assertThat(replica.receive(commit(30, 0))).isEmpty();
    }

    @Test
    void noticeComesWithTheCommitWhenThisReplicaHasNotVotedForIt() {
      replica.receive(put(30, 0, "a", 1, "x"));
      replica.receive(get(50, 0, "a"));
      replica.receive(prepare(60, 0).reads("b", INITIAL).message());
      assertThat(replica.receive(prepare(30, 0).writes("a", 1, "x").writes("b", 1, "y").message()))
          .containsExactly(toCoordinator(voted(30, 0, tentative(Vote.Reason.WRITE_MISSED))));
      assertThat(replica.receive(commit(30, 0)))
          .containsExactly(toCoordinator(pushed(50, 0, 2, prepared("a", version(30, 1), "x"))));
    }

    @Test
    void noticeOfAWaitingVoteComesWithTheVote() {
      replica.receive(put(30, 0, "a", 1, "x"));
      replica.receive(get(50, 0, "a"));
      replica.receive(prepare(30, 0).reads("b", version(20, 1)).writes("a", 1, "x").message());
      assertThat(replica.receive(prepare(20, 0).writes("b", 1, "y").message()))
          .containsExactly(
              toCoordinator(voted(20, 0, Vote.COMMIT)),
              toCoordinator(pushed(50, 0, 2, prepared("a", version(30, 1), "x"))),
              toCoordinator(voted(30, 0, Vote.COMMIT_ON_CONDITION)));
      assertThat(replica.receive(commit(20, 0)))
          .containsExactly(toCoordinator(voted(30, 0, Vote.COMMIT)));
    }

    @Test
    void versionAboveWhatWasToldLastIsNotToldAgainByWhatHappensBelow() {
      replica.receive(get(50, 0, "a"));
      replica.receive(put(40, 0, "a", 1, "x"));
      assertThat(replica.receive(put(30, 0, "a", 1, "y"))).isEmpty();
    }
  }

  @Test
  void asksItsPeersForTheExecutionItMissesAndNobodyElse() {
    assertThat(replica.receive(commit(30, 2)))
        .containsExactly(
            sent(replica(1), new Message.Fetch(execution(30, 2))),
            sent(replica(2), new Message.Fetch(execution(30, 2))));
  }

  @Nested
  class WithoutPushes {
    private final ReplicaDriver silent = new ReplicaDriver(ReplicaOptions.DEFAULTS.withoutPushes());

    @Test
    void answersAndSaysNothingMore() {
      assertThat(silent.receive(get(50, 0, "a")))
          .containsExactly(toCoordinator(got(50, 0, 1, absent("a"))));
      assertThat(silent.receive(put(30, 0, "a", 1, "new"))).isEmpty();
      assertThat(silent.receive(get(50, 0, "a")))
          .containsExactly(toCoordinator(got(50, 0, 1, uncommitted("a", version(30, 1), "new"))));
    }

    @Test
    void stillAbandonsAStaleRead() {
      silent.receive(get(50, 0, "a"));
      silent.receive(prepare(30, 0).writes("a", 1, "new").message());
      assertThat(silent.receive(prepare(50, 0).reads("a", INITIAL).message()).toString())
          .contains("MISSED_WRITE");
    }
  }
}
