package org.mortydb.protocol.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Both indexes against a map of the JDK, with names and hashes that often collide. */
class IndexTest {
  private final List<Integer> names = new ArrayList<>();
  private final NavigableMap<Integer, Integer> model = new TreeMap<>();

  private final HashIndex<Integer> hashed =
      new HashIndex<>() {
        @Override
        protected int hash(int row) {
          return hashOf(names.get(row));
        }

        @Override
        protected boolean isNamed(int row, Integer name) {
          return names.get(row).equals(name);
        }
      };

  private final SortedIndex<Integer> sorted =
      new SortedIndex<>() {
        @Override
        protected int compare(int row, Integer name) {
          return names.get(row).compareTo(name);
        }
      };

  private static int hashOf(int name) {
    return name / 3 * 7 - 100; // three names share a hash, and some hashes are negative
  }

  private void add(int name) {
    int row = names.size();
    names.add(name);
    model.put(name, row);
    hashed.add(row);
    sorted.add(row, name);
  }

  private void remove(int name) {
    int row = model.remove(name);
    hashed.remove(row);
    sorted.remove(row, name);
  }

  private List<Integer> from(int name) {
    List<Integer> rows = new ArrayList<>();
    for (SortedIndex<Integer>.Cursor cursor = sorted.from(name); cursor.hasNext(); ) {
      rows.add(cursor.next());
    }
    return rows;
  }

  private void assertAgrees(int someName) {
    assertThat(hashed.find(someName, hashOf(someName)))
        .isEqualTo(model.getOrDefault(someName, HashIndex.NONE));
    int likely = hashed.likely(hashOf(someName));
    assertThat(likely == HashIndex.NONE || model.containsValue(likely)).isTrue();
    assertThat(likely == HashIndex.NONE && model.containsKey(someName)).isFalse();
    assertThat(hashed.size()).isEqualTo(model.size());
    assertThat(sorted.size()).isEqualTo(model.size());
  }

  private void runs(int steps, int range, SplittableRandom random) {
    for (int i = 0; i < steps; i++) {
      int name = random.nextInt(range) - range / 2;
      boolean grows = (i / (range + 1)) % 2 == 0;
      if (!model.containsKey(name) && (grows || random.nextInt(4) == 0)) {
        add(name);
      } else if (model.containsKey(name) && (!grows || random.nextInt(4) == 0)) {
        remove(name);
      }
      assertAgrees(random.nextInt(range) - range / 2);
    }
  }

  @Test
  void smallIndexesAgreeWithAMap() {
    for (int seed = 0; seed < 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int range = 1 + random.nextInt(60);
      runs(300, range, random);
      for (int name = -range; name <= range; name++) {
        assertAgrees(name);
        assertThat(from(name)).isEqualTo(List.copyOf(model.tailMap(name, true).values()));
      }
      for (int name : List.copyOf(model.keySet())) {
        remove(name);
      }
      assertThat(from(Integer.MIN_VALUE)).isEmpty();
    }
  }

  @Test
  void largeIndexesAgreeWithAMap() {
    SplittableRandom random = new SplittableRandom(1);
    runs(60_000, 20_000, random);
    assertThat(sorted.size()).isGreaterThan(2 * SortedIndex.MOST_IN_BLOCK);
    for (int i = 0; i < 20; i++) {
      int name = random.nextInt(20_000) - 10_000;
      assertThat(from(name)).isEqualTo(List.copyOf(model.tailMap(name, true).values()));
    }
    assertThat(sorted.toArray())
        .isEqualTo(model.values().stream().mapToInt(Integer::intValue).toArray());
  }

  /** Runs of neighbours and single names, before, between and behind those that are there. */
  @Test
  void rowsThatAreAddedTogetherAgreeWithAMap() {
    for (int seed = 0; seed < 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      for (int batch = 0; batch < 40; batch++) {
        TreeSet<Integer> fresh = new TreeSet<>();
        while (fresh.size() < 1 + batch % 7 * 40) {
          int first = random.nextInt(100_000);
          int length = 1 + random.nextInt(40) * random.nextInt(2);
          IntStream.range(first, first + length)
              .filter(name -> !model.containsKey(name))
              .forEach(fresh::add);
        }
        List<Integer> ordered = List.copyOf(fresh);
        int[] rows = IntStream.range(names.size(), names.size() + ordered.size()).toArray();
        for (int i = 0; i < rows.length; i++) {
          names.add(ordered.get(i));
          model.put(ordered.get(i), rows[i]);
          hashed.add(rows[i]);
        }
        sorted.addAll(rows, ordered);
        List.copyOf(model.keySet()).stream()
            .filter(name -> random.nextInt(9) == 0)
            .forEach(this::remove);
      }
      assertThat(from(Integer.MIN_VALUE)).isEqualTo(List.copyOf(model.values()));
      List.copyOf(model.keySet()).forEach(this::remove);
    }
  }

  @Test
  void rowsThatComeInOrderCanChangeAfterwards() {
    for (int rows : new int[] {0, 1, 100, 384, 385, 5_000}) {
      names.clear();
      model.clear();
      for (int name = 0; name < rows; name++) {
        names.add(2 * name);
        model.put(2 * name, name);
      }
      sorted.replaceAll(model.values().stream().mapToInt(Integer::intValue).toArray());
      assertThat(from(-1)).isEqualTo(List.copyOf(model.values()));
      for (int name = 1; name < 2 * rows; name += 4) {
        names.add(name);
        model.put(name, names.size() - 1);
        sorted.add(names.size() - 1, name);
      }
      assertThat(from(-1)).isEqualTo(List.copyOf(model.values()));
    }
  }

  @Test
  void namesThatComeInOrderFillTheirBlocks() {
    for (int name = 0; name < 10_000; name++) {
      add(name);
    }
    assertThat(sorted.blocks()).isEqualTo(20);
    assertThat(from(0)).isEqualTo(List.copyOf(model.values()));
  }

  @Test
  void aRowThatIsNotThereCannotBeRemoved() {
    add(1);
    names.add(2);
    assertThatThrownBy(() -> hashed.remove(1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> sorted.remove(1, 2)).isInstanceOf(IllegalArgumentException.class);
  }
}
