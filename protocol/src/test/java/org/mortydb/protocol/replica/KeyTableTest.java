package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;

/** A table gives its keys in order, whether or not it was told that many would come. */
class KeyTableTest {
  private final KeyTable table = new KeyTable();
  private final TreeMap<Key, KeyState> model = new TreeMap<>();

  private void add(Key name) {
    if (table.get(name) == null) {
      KeyState key = new KeyState(name);
      table.add(key);
      model.put(name, key);
    }
  }

  private void remove(Key name) {
    KeyState key = model.remove(name);
    if (key != null) {
      table.remove(key);
    }
  }

  private void assertInOrder(KeyRange range) {
    assertThat(List.copyOf(table.in(range))).isEqualTo(List.copyOf(range.in(model).values()));
  }

  /** Keys of up to 24 bytes, many of them with a common beginning, and beginnings of others. */
  private static Key random(SplittableRandom random, int common) {
    byte[] bytes = new byte[common + random.nextInt(25 - common)];
    for (int i = common; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextInt(4) * 85);
    }
    return Key.wrap(bytes);
  }

  @Test
  void keysThatCameWhileItDeferredAreInOrder() {
    for (int seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int common = random.nextInt(12);
      List<Key> names = new ArrayList<>();
      int steps = random.nextInt(200);
      for (int i = 0; i < steps; i++) {
        switch (random.nextInt(12)) {
          case 0 -> table.defer();
          case 1 -> table.order();
          case 2 -> assertInOrder(new KeyRange(random(random, 0), null));
          case 3, 4 -> {
            if (!names.isEmpty()) {
              remove(names.get(random.nextInt(names.size())));
            }
          }
          default -> {
            names.add(random(random, common));
            add(names.getLast());
          }
        }
      }
      assertInOrder(KeyRange.ALL);
      names.forEach(this::remove);
      assertThat(table.size()).isZero();
      assertInOrder(KeyRange.ALL);
    }
  }

  @Test
  void aKeyThatCameBackIsThereOnce() {
    table.defer();
    add(Key.of("a"));
    remove(Key.of("a"));
    add(Key.of("b"));
    add(Key.of("a"));
    assertInOrder(KeyRange.ALL);
    assertThat(table.in(KeyRange.ALL)).hasSize(2);
  }
}
