package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.Key;

/** Names of keys whose hashes a client has chosen. */
class KeyHashTest {
  private static final int PARTS = 12;
  private static final int PART_BYTES = 6;

  private final SplittableRandom random = new SplittableRandom(1);
  private final KeyHash hash = new KeyHash(7);

  /** For each part of a name two choices, which lead to the same {@link Key#hashCode}. */
  private byte[][][] choices() {
    byte[][][] choices = new byte[PARTS][][];
    byte[] before = new byte[0];
    for (int part = 0; part < PARTS; part++) {
      HashMap<Integer, byte[]> tried = new HashMap<>();
      while (choices[part] == null) {
        byte[] bytes = new byte[PART_BYTES];
        random.nextBytes(bytes);
        byte[] name = joined(before, bytes);
        byte[] other = tried.put(Key.hash(name, 0, name.length), bytes);
        if (other != null) {
          choices[part] = new byte[][] {other, bytes};
          before = name;
        }
      }
    }
    return choices;
  }

  private static byte[] joined(byte[] a, byte[] b) {
    byte[] both = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }

  /** By the hash of buckets, 32,768 reads of such names took 41 s; of others, half a second. */
  @Test
  void namesThatShareTheHashOfBucketsDoNotShareThisOne() {
    byte[][][] choices = choices();
    Set<Integer> hashes = new HashSet<>();
    Set<Integer> places = new HashSet<>();
    int names = 1 << PARTS;
    for (int i = 0; i < names; i++) {
      byte[] name = new byte[0];
      for (int part = 0; part < PARTS; part++) {
        name = joined(name, choices[part][i >> part & 1]);
      }
      Key key = Key.wrap(name);
      hashes.add(key.hashCode());
      places.add(hash.of(key) & 0xFFFF);
    }
    assertThat(hashes).as("of buckets").hasSize(1);
    // Of so many random numbers, about 127 are the same as another one.
    assertThat(places.size()).as("places in a table").isGreaterThan(names - 400);
  }

  @Test
  void aNameHasOneHashWhereverItLies() {
    Set<Integer> hashes = new HashSet<>();
    for (int length = 0; length < 100; length++) {
      byte[] name = new byte[length];
      random.nextBytes(name);
      byte[] row = joined(new byte[] {1, 2, 3}, joined(name, new byte[] {4}));
      int ofName = hash.of(Key.wrap(name));
      assertThat(hash.of(row, 3, 3 + length)).isEqualTo(ofName);
      assertThat(new KeyHash(8).of(Key.wrap(name))).as("by another secret").isNotEqualTo(ofName);
      hashes.add(ofName);
    }
    assertThat(hashes).hasSizeGreaterThan(98);
  }

  @Test
  void namesOfZerosDifferByTheirLengths() {
    Set<Integer> hashes = new HashSet<>();
    for (int length = 0; length < 100; length++) {
      hashes.add(hash.of(Key.wrap(new byte[length])));
    }
    assertThat(hashes).hasSizeGreaterThan(98);
  }
}
