package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.prepared;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.uncommitted;
import static org.mortydb.protocol.testing.Make.value;
import static org.mortydb.protocol.testing.Make.version;

import java.util.List;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.TxnId;

/** The transitions of a key's state, of its versions, and of the horizon. */
class KeyStateTest {
  private final KeyState a = new KeyState(key("a"));
  private final TxnRecord thirty = new TxnRecord(txn(30));

  private static void assertRefused(ThrowingCallable transition, String why) {
    assertThatThrownBy(transition)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("broken invariant: ")
        .hasMessageContaining(why);
  }

  @Test
  void showsTheNewestVersionBelowAReader() {
    Version version = new Version(version(20, 1), value("x"), 0);
    assertThat(a.visibleTo(txn(30), TxnId.INITIAL)).isEqualTo(absent("a"));
    a.versions().insert(version);
    assertThat(a.visibleTo(txn(30), TxnId.INITIAL))
        .isEqualTo(uncommitted("a", version(20, 1), "x"));
    assertThat(a.visibleTo(txn(20), TxnId.INITIAL)).isEqualTo(absent("a"));
    version.prepare();
    assertThat(a.visibleTo(txn(30), TxnId.INITIAL)).isEqualTo(prepared("a", version(20, 1), "x"));
    version.unprepare();
    assertThat(a.visibleTo(txn(30), TxnId.INITIAL))
        .isEqualTo(uncommitted("a", version(20, 1), "x"));
    a.versions().commit(version);
    assertThat(a.visibleTo(txn(30), TxnId.INITIAL)).isEqualTo(committed("a", version(20, 1), "x"));
  }

  @Test
  void aCommittedVersionNeverChanges() {
    Version version = new Version(version(20, 1), value("x"), 0);
    a.versions().insert(version);
    a.versions().commit(version);
    assertRefused(() -> version.replace(2, value("y")), "is replaced");
    assertRefused(version::prepare, "is prepared");
    assertRefused(version::unprepare, "is taken back");
  }

  @Test
  void subscribesAReaderOnceAndByItsNewestRequest() {
    KeyState.Subscription first = Objects.requireNonNull(a.subscribe(thirty, 1));
    assertThat(a.subscribe(thirty, 1)).isSameAs(first);
    KeyState.Subscription second = Objects.requireNonNull(a.subscribe(thirty, 2));
    assertThat(a.subscribe(thirty, 1)).as("overtaken").isNull();
    assertThat(a.subscriptions()).containsExactly(second);
    second.end();
    assertThat(a.subscriptions()).isEmpty();
    assertThat(a.isForgettable()).isTrue();
  }

  @Test
  void aSubscriptionNumbersWhatItShows() {
    KeyState.Subscription subscription = Objects.requireNonNull(a.subscribe(thirty, 1));
    assertThat(subscription.show(uncommitted("a", version(20, 1), "x"))).isEqualTo(1);
    assertThat(subscription.seen()).isEqualTo(uncommitted("a", version(20, 1), "x"));
    assertThat(subscription.show(prepared("a", version(20, 2), "y"))).isEqualTo(2);
    assertThat(subscription.seen()).isEqualTo(prepared("a", version(20, 2), "y"));
  }

  @Test
  void theFloorOnlyRises() {
    HeldCuts cuts = new HeldCuts();
    a.raiseFloor(txn(20), cuts);
    assertThat(a.isBelowFloor(txn(19))).isTrue();
    assertThat(a.isBelowFloor(txn(20))).isFalse();
    assertThat(cuts.isBelowFloor(txn(19))).isTrue();
    assertRefused(() -> a.raiseFloor(txn(20), cuts), "lower floor");
    assertRefused(() -> a.raiseFloor(txn(10), cuts), "lower floor");
  }

  @Test
  void aPinnedKeyIsNotForgotten() {
    a.pin();
    assertThat(a.isForgettable()).isFalse();
    a.unpin();
    assertThat(a.isForgettable()).isTrue();
    assertRefused(a::unpin, "unpinned more often");
  }

  @Test
  void aKeyKeepsItsPlace() {
    a.place(3);
    assertThat(a.slot()).isEqualTo(3);
    assertRefused(() -> a.place(4), "two places");
  }

  @Test
  void waitsForPruningOnce() {
    assertThat(a.queueForPruning()).isTrue();
    assertThat(a.queueForPruning()).isFalse();
    a.prune(txn(20), txn(20), new HeldCuts());
    assertThat(a.queueForPruning()).isTrue();
  }

  /** Otherwise the replica could not decide the condition of the vote. */
  @Test
  void aVersionThatAVoteHasReadWithAMergeStays() {
    for (long t : List.of(10L, 20L)) {
      Version version = new Version(version(t, 1), t == 10 ? value("x") : Merge.max(1), 0);
      a.versions().insert(version);
      a.versions().commit(version);
    }
    a.addPreparedRead(thirty, txn(10), txn(20));
    a.addPreparedRead(thirty, txn(20), thirty.id());
    a.prune(txn(25), txn(25), new HeldCuts());
    assertThat(a.versions().find(txn(10))).isNotNull();
    a.removePreparedRead(thirty);
    a.removePreparedRead(thirty);
    a.prune(txn(25), txn(25), new HeldCuts());
    assertThat(a.versions().find(txn(10))).isNull();
  }

  @Test
  void aValidationVisitsAKeyOnce() {
    a.visit(1);
    assertThat(a.isVisited(1)).isTrue();
    assertThat(a.isVisited(2)).isFalse();
  }

  @Test
  void theWatermarkRisesAndStaysBelowTheFence() {
    Horizon horizon = new Horizon();
    assertRefused(() -> horizon.reach(txn(20)), "not fenced");
    horizon.fence(txn(20), NoEffects.INSTANCE);
    horizon.reach(txn(20));
    assertThat(horizon.isTruncated(txn(20))).isTrue();
    assertRefused(() -> horizon.reach(txn(20)), "not above the watermark");
  }
}
