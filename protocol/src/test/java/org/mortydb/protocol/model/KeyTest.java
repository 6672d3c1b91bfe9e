package org.mortydb.protocol.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyTest {

  /**
   * Computed by another implementation (FNV-1a with the finalizer of MurmurHash3). A change here
   * moves keys between the partitions of every existing cluster.
   */
  @ParameterizedTest
  @CsvSource({
    "'', 0xab3e7c0b, 0, 1, 2, 2, 4, 10",
    "a, 0x1a80b1b3, 0, 0, 0, 0, 0, 1",
    "b, 0x82c46232, 0, 1, 1, 2, 3, 8",
    "user:1, 0x692440ef, 0, 0, 1, 1, 2, 6",
    "user:2, 0x21812afe, 0, 0, 0, 0, 0, 2",
    "timeline:4711, 0x55beaaa4, 0, 0, 1, 1, 2, 5",
    "größe, 0xcda1b73c, 0, 1, 2, 3, 5, 12"
  })
  void hashAndPartitionArePartOfTheWireContract(
      String text, String hash, int of1, int of2, int of3, int of4, int of7, int of16) {
    Key key = Key.of(text);
    assertThat(key.hashCode()).isEqualTo(Integer.parseUnsignedInt(hash.substring(2), 16));
    assertThat(Topology.partitionOf(key, 1)).isEqualTo(of1);
    assertThat(Topology.partitionOf(key, 2)).isEqualTo(of2);
    assertThat(Topology.partitionOf(key, 3)).isEqualTo(of3);
    assertThat(Topology.partitionOf(key, 4)).isEqualTo(of4);
    assertThat(Topology.partitionOf(key, 7)).isEqualTo(of7);
    assertThat(Topology.partitionOf(key, 16)).isEqualTo(of16);
    assertThat(new Topology(1, 0, 0, 0).partitionOf(key)).isEqualTo(of3);
  }

  @Test
  void hashOfBytesThatAreNoTextIsPartOfTheWireContract() {
    assertThat(Key.copyOf(new byte[] {(byte) 0xff, 0, (byte) 0x80}).hashCode())
        .isEqualTo(0x27c8e845);
  }

  @Test
  void partitionsAreFilledEvenly() {
    int[] count = new int[7];
    for (int i = 0; i < 70_000; i++) {
      count[Topology.partitionOf(Key.of("user:" + i), 7)]++;
    }
    for (int keys : count) {
      assertThat(keys).isBetween(9_500, 10_500);
    }
  }

  @Test
  void orderIsThatOfUnsignedBytes() {
    SplittableRandom random = new SplittableRandom(1);
    List<Key> keys = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      byte[] bytes = new byte[random.nextInt(4)];
      random.nextBytes(bytes);
      keys.add(Key.wrap(bytes));
    }
    Collections.sort(keys);
    for (int i = 1; i < keys.size(); i++) {
      Key previous = keys.get(i - 1);
      Key key = keys.get(i);
      assertThat(Arrays.compareUnsigned(previous.bytes(), key.bytes())).isNotPositive();
      assertThat(previous.compareTo(key) == 0).isEqualTo(previous.equals(key));
    }
  }

  @Test
  void copyDoesNotChangeWithItsSource() {
    byte[] bytes = {1, 2};
    Key key = Key.copyOf(bytes);
    bytes[0] = 9;
    assertThat(key)
        .isEqualTo(Key.wrap(new byte[] {1, 2}))
        .hasSameHashCodeAs(Key.wrap(new byte[] {1, 2}));
  }

  @Test
  void showsTextAsItIsAndOtherBytesInHexadecimal() {
    assertThat(Key.of("user:1")).hasToString("user:1");
    assertThat(Key.of("größe")).hasToString("0x6772c3b6c39f65");
    assertThat(Key.of("x".repeat(70))).hasToString("x".repeat(64) + "...(70 bytes)");
  }
}
