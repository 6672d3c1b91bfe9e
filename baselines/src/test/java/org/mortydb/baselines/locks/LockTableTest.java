package org.mortydb.baselines.locks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.mortydb.baselines.locks.LockTable.Mode;
import org.mortydb.baselines.twophase.Make;
import org.mortydb.baselines.twophase.Participation;
import org.mortydb.protocol.model.Key;

class LockTableTest implements LockTable.Listener {
  private static final Key X = Key.of("x");
  private static final Key Y = Key.of("y");

  private final LockTable table = new LockTable(this);
  private final List<String> events = new ArrayList<>();

  /** Lower numbers are older. */
  private final Participation t1 = Make.active(1);

  private final Participation t2 = Make.active(2);
  private final Participation t3 = Make.active(3);
  private final Participation t4 = Make.active(4);

  @Override
  public void granted(Participation owner, Key key, Mode mode) {
    events.add(owner.txn().timeMicros() + " " + mode.name().charAt(0) + " " + key);
  }

  @Override
  public void wound(Participation holder) {
    events.add("wound " + holder.txn().timeMicros());
    table.release(holder);
  }

  @Override
  public void hasten(Participation holder) {
    events.add("hasten " + holder.txn().timeMicros());
  }

  private List<String> happened() {
    List<String> since = List.copyOf(events);
    events.clear();
    return since;
  }

  @Test
  void sharedLocksAreShared() {
    table.acquire(0, t2, X, Mode.SHARED);
    table.acquire(0, t1, X, Mode.SHARED);
    table.acquire(0, t3, X, Mode.SHARED);
    assertThat(happened()).containsExactly("2 S x", "1 S x", "3 S x");
  }

  @Test
  void incrementsGoTogetherAndWithNothingElse() {
    table.acquire(0, t2, X, Mode.INCREMENT);
    table.acquire(0, t3, X, Mode.INCREMENT);
    table.acquire(0, t4, X, Mode.SHARED);
    assertThat(happened()).containsExactly("2 I x", "3 I x");
    table.checkInvariants(txn -> true);
    table.acquire(0, t1, X, Mode.SHARED);
    assertThat(happened()).containsExactly("wound 2", "wound 3", "1 S x", "4 S x");
    table.acquire(0, t2, X, Mode.INCREMENT);
    assertThat(happened()).containsExactly("wound 4");
    table.release(t1);
    assertThat(happened()).containsExactly("2 I x");
  }

  @Test
  void theYoungerWaitsForTheOlder() {
    table.acquire(0, t1, X, Mode.EXCLUSIVE);
    table.acquire(0, t2, X, Mode.SHARED);
    assertThat(happened()).containsExactly("1 E x");
    table.release(t1);
    assertThat(happened()).containsExactly("2 S x");
  }

  @Test
  void theOlderWoundsTheYounger() {
    table.acquire(0, t2, X, Mode.SHARED);
    table.acquire(0, t3, X, Mode.SHARED);
    table.acquire(0, t1, X, Mode.EXCLUSIVE);
    assertThat(happened()).containsExactly("2 S x", "3 S x", "wound 2", "wound 3", "1 E x");
  }

  @Test
  void oldestFirstWhoeverCameFirst() {
    table.acquire(0, t1, X, Mode.EXCLUSIVE);
    table.acquire(0, t4, X, Mode.EXCLUSIVE);
    table.acquire(0, t2, X, Mode.EXCLUSIVE);
    table.acquire(0, t3, X, Mode.EXCLUSIVE);
    happened();
    table.release(t1);
    assertThat(happened()).containsExactly("2 E x");
    table.release(t2);
    table.release(t3);
    assertThat(happened()).containsExactly("3 E x", "4 E x");
  }

  @Test
  void aReaderDoesNotOvertakeAnOlderWriterThatWaits() {
    table.acquire(0, t1, X, Mode.SHARED);
    table.acquire(0, t2, X, Mode.EXCLUSIVE);
    table.acquire(0, t3, X, Mode.SHARED);
    assertThat(happened()).containsExactly("1 S x");
    table.release(t1);
    assertThat(happened()).containsExactly("2 E x");
    table.release(t2);
    assertThat(happened()).containsExactly("3 S x");
  }

  @Test
  void anOlderReaderJoinsInAheadOfAWriterThatWaits() {
    table.acquire(0, t1, X, Mode.SHARED);
    table.acquire(0, t3, X, Mode.EXCLUSIVE);
    table.acquire(0, t2, X, Mode.SHARED);
    assertThat(happened()).containsExactly("1 S x", "2 S x");
  }

  @Test
  void theOnlyReaderUpgrades() {
    table.acquire(0, t1, X, Mode.SHARED);
    table.acquire(0, t1, X, Mode.EXCLUSIVE);
    assertThat(happened()).containsExactly("1 S x", "1 E x");
    table.acquire(0, t2, X, Mode.SHARED);
    assertThat(happened()).isEmpty();
  }

  @Test
  void ofTwoReadersThatUpgradeTheYoungerIsWounded() {
    table.acquire(0, t1, X, Mode.SHARED);
    table.acquire(0, t2, X, Mode.SHARED);
    table.acquire(0, t2, X, Mode.EXCLUSIVE);
    assertThat(happened()).containsExactly("1 S x", "2 S x");
    table.acquire(0, t1, X, Mode.EXCLUSIVE);
    assertThat(happened()).containsExactly("wound 2", "1 E x");
    table.release(t1);
    assertThat(happened()).isEmpty();
    assertThat(table.size()).isZero();
  }

  @Test
  void aPreparedHolderIsHastenedNotWounded() {
    Participation prepared = Make.prepared(5);
    table.acquire(0, prepared, X, Mode.EXCLUSIVE);
    table.acquire(1_000, t1, X, Mode.SHARED);
    assertThat(happened()).containsExactly("5 E x", "hasten 5");
    table.tick(1_999, 1_000);
    assertThat(happened()).isEmpty();
    table.tick(2_000, 1_000);
    assertThat(happened()).containsExactly("hasten 5");
    table.tick(2_999, 1_000);
    assertThat(happened()).isEmpty();
    table.release(prepared);
    assertThat(happened()).containsExactly("1 S x");
  }

  @Test
  void askingAgainIsAnsweredAgainAndQueuesNothing() {
    table.acquire(0, t1, X, Mode.SHARED);
    table.acquire(0, t1, X, Mode.SHARED);
    assertThat(happened()).containsExactly("1 S x", "1 S x");
    table.acquire(0, t2, X, Mode.EXCLUSIVE);
    table.acquire(0, t2, X, Mode.EXCLUSIVE);
    table.release(t1);
    assertThat(happened()).containsExactly("2 E x");
    table.release(t2);
    assertThat(table.size()).isZero();
  }

  @Test
  void whoWaitsToWriteAndAsksToReadStillWrites() {
    table.acquire(0, t1, X, Mode.EXCLUSIVE);
    table.acquire(0, t2, X, Mode.EXCLUSIVE);
    table.acquire(0, t2, X, Mode.SHARED);
    assertThat(happened()).containsExactly("1 E x");
    table.release(t1);
    table.acquire(0, t3, X, Mode.SHARED);
    assertThat(happened()).containsExactly("2 E x");
    table.release(t2);
    assertThat(happened()).containsExactly("3 S x");
  }

  @Test
  void whoStopsWaitingIsInNobodysWay() {
    table.acquire(0, t1, X, Mode.SHARED);
    table.acquire(0, t2, X, Mode.EXCLUSIVE);
    table.acquire(0, t3, X, Mode.SHARED);
    happened();
    table.release(t2);
    assertThat(happened()).containsExactly("3 S x");
  }

  @Test
  void releasesAllKeysAtOnce() {
    table.acquire(0, t1, X, Mode.EXCLUSIVE);
    table.acquire(0, t1, Y, Mode.EXCLUSIVE);
    table.acquire(0, t2, X, Mode.SHARED);
    table.acquire(0, t3, Y, Mode.EXCLUSIVE);
    happened();
    table.release(t1);
    assertThat(happened()).containsExactlyInAnyOrder("2 S x", "3 E y");
  }

  /** Random requests. Every transaction that can proceed does, and no lock remains at the end. */
  @Test
  void noWakeUpIsLost() {
    for (long seed = 0; seed < 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Crowd crowd = new Crowd();
      for (int round = 0; round < 300; round++) {
        crowd.act(random);
      }
      crowd.finish();
      assertThat(crowd.locks.size()).as("keys left at seed %d", seed).isZero();
    }
  }

  /** Transactions that take locks one after another, with at most one outstanding request each. */
  private static final class Crowd implements LockTable.Listener {
    final LockTable locks = new LockTable(this);
    private final List<Participation> idle = new ArrayList<>();
    private final List<Participation> blocked = new ArrayList<>();
    private long ages;

    void act(SplittableRandom random) {
      if (idle.isEmpty() || random.nextInt(4) == 0) {
        idle.add(Make.active(1 + ages++));
      }
      Participation one = idle.get(random.nextInt(idle.size()));
      if (random.nextInt(5) == 0) {
        idle.remove(one);
        locks.release(one);
        return;
      }
      idle.remove(one);
      blocked.add(one);
      Mode mode = random.nextBoolean() ? Mode.SHARED : Mode.EXCLUSIVE;
      locks.acquire(0, one, Key.of("k" + random.nextInt(3)), mode);
    }

    void finish() {
      while (!idle.isEmpty()) {
        locks.release(idle.removeFirst());
      }
      assertThat(blocked).as("transactions that nobody wakes").isEmpty();
    }

    @Override
    public void granted(Participation owner, Key key, Mode mode) {
      assertThat(blocked.remove(owner)).isTrue();
      idle.add(owner);
    }

    @Override
    public void wound(Participation holder) {
      blocked.remove(holder);
      idle.remove(holder);
      locks.release(holder);
    }

    @Override
    public void hasten(Participation holder) {
      throw new AssertionError("nobody is prepared");
    }
  }
}
