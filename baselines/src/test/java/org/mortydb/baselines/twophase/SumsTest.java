package org.mortydb.baselines.twophase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;

/** Sums that are prepared at a time, and commit in any order. */
class SumsTest {
  private static final Key X = Key.of("x");

  private final Versions versions = new Versions(16, false);
  private final Escrow escrow = new Escrow();

  private static Value number(long n) {
    return Merge.apply(Value.ABSENT, Merge.add(n));
  }

  private static List<Write> writes(Value value) {
    return List.of(new Write(X, 1, value));
  }

  private static Write sum(long n) {
    return new Write(X, 1, Merge.add(n));
  }

  private static TxnId txn(long age) {
    return new TxnId(age, 1, 0);
  }

  private void install(long commit, Value value) {
    versions.install(txn(commit), commit, writes(value));
  }

  @Test
  void sumsAreInstalledInAnyOrderAndReadInThatOfTheirTimestamps() {
    install(10, number(5));
    install(40, Merge.add(400));
    install(20, Merge.add(20));
    install(30, Merge.add(-3));
    assertThat(versions.newest(X).value()).isEqualTo(number(422));
    assertThat(versions.newest(X).id().writer()).isEqualTo(txn(40));
    assertThat(versions.below(X, 15).value()).isEqualTo(number(5));
    assertThat(versions.below(X, 25).value()).isEqualTo(number(25));
    assertThat(versions.below(X, 35).value()).isEqualTo(number(22));
    assertThatIllegalStateException().isThrownBy(() -> install(35, number(1)));
    install(50, Merge.putIfAbsent(number(1)));
    assertThat(versions.newest(X).value()).isEqualTo(number(422));
  }

  @Test
  void aSumIsCountedWhereTheHistoryBelowIsGone() {
    install(10, number(5));
    install(40, Merge.add(400));
    versions.trim(45);
    install(20, Merge.add(20));
    assertThat(versions.newest(X).value()).isEqualTo(number(425));
    assertThat(versions.below(X, 25)).isNull();
  }

  @Test
  void whatAReaderMayHaveSeenBeforeGetsAnotherIdentity() {
    Versions single = new Versions(1, true);
    single.install(txn(40), 40, writes(Merge.add(400)));
    var before = single.newest(X).id();
    single.install(txn(20), 20, writes(Merge.add(20)));
    assertThat(single.newest(X).value()).isEqualTo(number(420));
    assertThat(single.newest(X).id()).isNotEqualTo(before);
    assertThat(single.newest(X).id().writer()).isEqualTo(txn(40));
  }

  @Test
  void snapshotsWaitForAllSumsBelow() {
    Pending pending = new Pending();
    pending.add(txn(20), 20, List.of(sum(1)));
    pending.add(txn(30), 30, List.of(sum(2)));
    assertThatIllegalStateException().isThrownBy(() -> pending.add(txn(40), 40, writes(number(1))));
    SnapshotWaiter reader = new SnapshotWaiter(new ClientId(1), txn(50), 0, X, 35);
    assertThat(pending.mustWait(reader)).isTrue();
    assertThat(pending.remove(txn(20), List.of(sum(1)))).containsExactly(reader);
    assertThat(pending.mustWait(reader)).isTrue();
    assertThat(pending.remove(txn(30), List.of(sum(2)))).containsExactly(reader);
    assertThat(pending.mustWait(reader)).isFalse();
    assertThat(pending.size()).isZero();
  }

  @Test
  void theEscrowKeepsNumbersWithin64Bits() {
    install(10, number(Long.MAX_VALUE - 10));
    assertThat(versions.fits(sum(11), escrow)).isFalse();
    assertThat(versions.fits(sum(10), escrow)).isTrue();
    escrow.reserve(List.of(sum(6)));
    escrow.reserve(List.of(sum(-100)));
    assertThat(versions.fits(sum(5), escrow)).as("the other may abort").isFalse();
    assertThat(versions.fits(sum(4), escrow)).isTrue();
    escrow.release(List.of(sum(6)));
    assertThat(versions.fits(sum(5), escrow)).isTrue();
    escrow.release(List.of(sum(-100)));
    assertThat(escrow.size()).isZero();
    install(20, Value.of("text"));
    assertThat(versions.fits(sum(1), escrow)).isFalse();
    assertThat(versions.fits(new Write(X, 1, Merge.max(1)), escrow)).isFalse();
    assertThat(versions.fits(new Write(X, 1, Merge.putIfAbsent(number(1))), escrow)).isTrue();
  }
}
