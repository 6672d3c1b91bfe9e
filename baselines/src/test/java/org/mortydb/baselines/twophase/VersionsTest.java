package org.mortydb.baselines.twophase;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.mortydb.baselines.twophase.Versions.Version;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;

class VersionsTest {
  private static final Key X = Key.of("x");

  /**
   * Versions are put and added, some of them below others, and trimmed by their number and by time.
   * Whatever is still answered is what the whole history answers.
   */
  @Test
  void whatIsGoneIsNotAnsweredWrongly() {
    int gone = 0;
    for (int seed = 0; seed < 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Versions versions = new Versions(random.nextInt(2, 10), false);
      TreeMap<Long, Value> writes = new TreeMap<>();
      long now = 0;
      for (int i = random.nextInt(1, 60); i > 0; i--) {
        boolean below = random.nextInt(4) == 0;
        long commit = below ? Math.max(2, now - 2L * random.nextInt(1, 20) + 1) : (now += 2);
        boolean sum = below || random.nextInt(3) > 0;
        if (!writes.containsKey(commit) && (!below || areSums(writes, commit))) {
          Value value = sum ? Merge.add(random.nextInt(1, 1_000)) : number(random.nextInt(1_000));
          versions.install(new TxnId(commit, 1, 0), commit, List.of(new Write(X, 1, value)));
          writes.put(commit, value);
        }
        if (random.nextInt(10) == 0) {
          versions.trim(now - random.nextInt(30));
        }
        gone += check(seed, versions, writes, now);
      }
    }
    assertThat(gone).isGreaterThan(300);
  }

  /** Whether only sums have been written above a time, and the first of all versions is below. */
  private static boolean areSums(TreeMap<Long, Value> writes, long commit) {
    return !writes.isEmpty()
        && writes.firstKey() < commit
        && writes.tailMap(commit).values().stream().allMatch(Merge::isSum);
  }

  /** Returns how many answers are gone. */
  private static int check(int seed, Versions versions, TreeMap<Long, Value> writes, long now) {
    int gone = 0;
    for (long at = 1; at <= now + 1; at += 2) {
      Version below = versions.below(X, at);
      List<Version> above = versions.above(X, at);
      if (below == null) {
        gone++;
      } else {
        assertThat(below.value()).as("seed %d, below %d", seed, at).isEqualTo(at(writes, at));
      }
      if (above != null) {
        List<Long> right = new ArrayList<>(writes.tailMap(at, true).descendingKeySet());
        assertThat(above.stream().map(Version::commitMicros))
            .as("seed %d, above %d", seed, at)
            .containsExactlyElementsOf(right);
      }
    }
    Value newest = at(writes, Long.MAX_VALUE);
    assertThat(versions.newest(X).value()).as("seed %d, newest", seed).isEqualTo(newest);
    return gone;
  }

  private static Value at(TreeMap<Long, Value> writes, long micros) {
    Value value = Value.ABSENT;
    for (Value write : writes.headMap(micros).values()) {
      value = write.isMerge() ? Merge.apply(value, write) : write;
    }
    return value;
  }

  private static Value number(long n) {
    return Merge.apply(Value.ABSENT, Merge.add(n));
  }
}
