package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.txn;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;

/** The chain against a sorted map, under seeded random operations. */
class VersionChainTest {

  private static Version version(long t) {
    return new Version(new WriteId(txn(t), 1), Value.of("v" + t), 0);
  }

  @Test
  void isEmptyAtFirst() {
    VersionChain chain = new VersionChain();
    assertThat(chain.size()).isZero();
    assertThat(chain.indexBelow(txn(5))).isEqualTo(-1);
    assertThat(chain.newestBelow(txn(5))).isNull();
    assertThat(chain.find(txn(5))).isNull();
    assertThat(chain.remove(txn(5))).isFalse();
    assertThat(chain.prune(txn(5), none -> false)).isZero();
    assertThat(chain.pruneTo(2, none -> false)).isNull();
  }

  @Test
  void keepsTheNewestCommittedVersionAtTheFenceItself() {
    VersionChain chain = new VersionChain();
    for (long t = 1; t <= 3; t++) {
      Version version = version(10 * t);
      chain.insert(version);
      chain.commit(version);
    }
    assertThat(chain.prune(txn(20), none -> false)).isEqualTo(1);
    assertThat(chain.get(0).writer()).isEqualTo(txn(20));
  }

  @Test
  void floorIsTheOldestCommittedVersionThatIsLeft() {
    VersionChain chain = new VersionChain();
    for (long t = 1; t <= 9; t++) {
      Version version = version(10 * t);
      chain.insert(version);
      chain.commit(version);
    }
    chain.insert(version(15));
    assertThat(chain.pruneTo(8, none -> false)).isEqualTo(txn(40)); // three quarters of 8 are left
    assertThat(chain.committed()).isEqualTo(6);
    assertThat(chain.find(txn(15))).as("uncommitted versions stay").isNotNull();
  }

  private static VersionChain chain(Value... values) {
    VersionChain chain = new VersionChain();
    for (int i = 0; i < values.length; i++) {
      Version version = new Version(new WriteId(txn(10L * (i + 1)), 1), values[i], 0);
      chain.insert(version);
      chain.commit(version);
    }
    return chain;
  }

  private static Value number(long n) {
    return Merge.apply(Value.ABSENT, Merge.add(n));
  }

  @Test
  void mergesThatStayAreFoldedBeforeTheirBaseIsDropped() {
    VersionChain chain = chain(number(5), Merge.add(1), Merge.add(2), Merge.add(3), Merge.add(4));
    assertThat(chain.prune(txn(40), writer -> writer.equals(txn(20)))).isEqualTo(2);
    assertThat(chain.get(0).value()).isEqualTo(number(6));
    assertThat(chain.get(1).value()).isEqualTo(number(11));
    assertThat(chain.get(2).value()).isEqualTo(Merge.add(4));
    assertThat(chain.valueAt(2, false)).isEqualTo(number(15));
  }

  @Test
  void theLimitKeepsTheBaseOfAMerge() {
    Value add = Merge.add(1);
    VersionChain merges = chain(number(5), add, add, add, add);
    assertThat(merges.pruneTo(2, none -> false)).isNull();
    assertThat(merges.size()).isEqualTo(5);
    VersionChain put = chain(number(5), add, number(3), add, add);
    assertThat(put.pruneTo(2, none -> false)).isEqualTo(txn(30));
    assertThat(put.size()).isEqualTo(3);
    VersionChain kept = chain(number(5), add, number(3), add, add);
    assertThat(kept.pruneTo(2, writer -> writer.equals(txn(20)))).isEqualTo(txn(30));
    assertThat(kept.size()).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void behavesAsASortedMap(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    VersionChain chain = new VersionChain();
    TreeMap<TxnId, Version> model = new TreeMap<>();
    int range = 1 + random.nextInt(200);
    for (int step = 0; step < 4_000; step++) {
      TxnId id = txn(1 + random.nextInt(range));
      switch (random.nextInt(20)) {
        case 0, 1, 2, 3, 4, 5, 6, 7 -> {
          if (!model.containsKey(id)) {
            Version version = version(id.timeMicros());
            if (random.nextInt(4) == 0) {
              version.commit();
            }
            chain.insert(version);
            model.put(id, version);
          }
        }
        case 8, 9, 10, 11, 12 -> {
          Version version = model.get(id);
          if (version != null) {
            chain.commit(version);
          }
        }
        case 13, 14, 15, 16 -> assertThat(chain.remove(id)).isEqualTo(model.remove(id) != null);
        case 17 -> {
          TxnId kept = txn(1 + random.nextInt(range));
          assertThat(chain.prune(id, kept::equals)).isEqualTo(prune(model, id, kept));
        }
        default -> {
          int limit = 2 + random.nextInt(30);
          assertThat(chain.pruneTo(limit, none -> false)).isEqualTo(pruneTo(model, limit));
        }
      }
      assertSame(chain, model);
      TxnId probe = txn(random.nextInt(range + 2));
      Map.Entry<TxnId, Version> below = model.lowerEntry(probe);
      assertThat(chain.newestBelow(probe)).isSameAs(below == null ? null : below.getValue());
      assertThat(chain.indexBelow(probe)).isEqualTo(model.headMap(probe).size() - 1);
      assertThat(chain.find(probe)).isSameAs(model.get(probe));
      Version newest = newestCommitted(model, probe);
      int index = chain.newestCommittedUpTo(probe);
      assertThat(index < 0 ? null : chain.get(index)).isSameAs(newest);
    }
  }

  private static void assertSame(VersionChain chain, TreeMap<TxnId, Version> model) {
    assertThat(chain.size()).isEqualTo(model.size());
    int index = 0;
    int committed = 0;
    for (Version version : model.values()) {
      assertThat(chain.get(index++)).isSameAs(version);
      committed += version.isCommitted() ? 1 : 0;
    }
    assertThat(chain.committed()).isEqualTo(committed);
  }

  private static Version newestCommitted(TreeMap<TxnId, Version> model, TxnId upTo) {
    Version newest = null;
    for (Version version : model.headMap(upTo, true).values()) {
      newest = version.isCommitted() ? version : newest;
    }
    return newest;
  }

  private static int prune(TreeMap<TxnId, Version> model, TxnId fence, TxnId kept) {
    Version newest = newestCommitted(model, fence);
    return newest == null ? 0 : dropCommittedBelow(model, newest.writer(), kept);
  }

  private static TxnId pruneTo(TreeMap<TxnId, Version> model, int limit) {
    long committed = model.values().stream().filter(Version::isCommitted).count();
    if (committed <= limit) {
      return null;
    }
    TxnId floor =
        model.values().stream()
            .filter(Version::isCommitted)
            .skip(committed - Math.max(1, limit - limit / 4))
            .findFirst()
            .orElseThrow()
            .writer();
    dropCommittedBelow(model, floor, null);
    return floor;
  }

  private static int dropCommittedBelow(
      TreeMap<TxnId, Version> model, TxnId bound, @Nullable TxnId kept) {
    int before = model.size();
    model
        .headMap(bound)
        .values()
        .removeIf(version -> version.isCommitted() && !version.writer().equals(kept));
    return before - model.size();
  }
}
