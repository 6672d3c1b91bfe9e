package org.mortydb.protocol.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.range;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Buckets and tags (docs/protocol.md, section 1). */
class BucketTest {
  private static int bucket(String key) {
    return Bucket.of(Key.of(key));
  }

  /** A change here moves keys between the partitions of every existing cluster. */
  @ParameterizedTest
  @CsvSource({
    "'', 10959",
    "größe, 13160",
    "user:1, 6729",
    "{user:1}, 6729",
    "profile/{user:1}, 6729",
    "a{user:1}b{user:2}c}, 6729"
  })
  void isTheHashOfTheTagOrOfTheKey(String key, int bucket) {
    assertThat(bucket(key)).isEqualTo(bucket);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}a", "a{}{b}", "{", "}", "a{b", "a}b{c", "}{"})
  void isThatOfTheWholeKeyWithoutATag(String key) {
    assertThat(bucket(key)).isEqualTo(Key.of(key).hashCode() >>> 18);
  }

  @ParameterizedTest
  @CsvSource({
    "a{7}, a{7~",
    "a{7}x, a{7}y",
    "a{7}x, a{7~",
    "{7}, {7~",
    "a{7}, a{7}",
    "a{7}b{8}, a{7}b{9}"
  })
  void ofARangeIsThatOfTheTagThatAllItsKeysHave(String from, String to) {
    assertThat(Bucket.of(range(from, to))).isEqualTo(bucket("{7}"));
  }

  @ParameterizedTest
  @CsvSource({
    "a, b",
    "a{7, a{8",
    "a{7}, a{8}",
    "a{7}, a{7~0",
    "a{7}, b",
    "a{}, a{~",
    "'', a{7}",
    "a{7}, a{9~"
  })
  void ofARangeWithSeveralTagsIsNone(String from, String to) {
    assertThat(Bucket.of(range(from, to))).isEqualTo(Bucket.SEVERAL);
  }

  @Test
  void ofARangeWithoutEndIsNone() {
    assertThat(Bucket.of(new KeyRange(Key.of("a{7}"), null))).isEqualTo(Bucket.SEVERAL);
  }

  @Test
  void ofARangeIsThatOfEachOfItsKeys() {
    SplittableRandom random = new SplittableRandom(1);
    int narrow = 0;
    for (int i = 0; i < 200_000; i++) {
      KeyRange range = new KeyRange(text(random), text(random));
      Key key = text(random);
      int bucket = Bucket.of(range);
      if (bucket != Bucket.SEVERAL && range.contains(key)) {
        narrow++;
        assertThat(Bucket.of(key)).as("%s in %s", key, range).isEqualTo(bucket);
      }
    }
    assertThat(narrow).isGreaterThan(500);
  }

  /** Few letters, so that many texts have a long prefix in common. */
  private static Key text(SplittableRandom random) {
    StringBuilder text = new StringBuilder(random.nextBoolean() ? "{" : "{a}");
    int length = random.nextInt(1, 5);
    for (int i = 0; i < length; i++) {
      text.append("a|}~".charAt(random.nextInt(4)));
    }
    return Key.of(text.toString());
  }

  @Test
  void partitionsHoldEqualNumbersOfBuckets() {
    for (int partitions : new int[] {1, 2, 3, 7, 100, Limits.MAX_PARTITIONS}) {
      int[] buckets = new int[partitions];
      for (int bucket = 0; bucket < Bucket.COUNT; bucket++) {
        buckets[Bucket.partition(bucket, partitions)]++;
      }
      for (int held : buckets) {
        assertThat(held).isBetween(Bucket.COUNT / partitions, Bucket.COUNT / partitions + 1);
      }
    }
  }

  @Test
  void topologyKnowsWhichPartitionsARangeConcerns() {
    Topology four = new Topology(1, 0, 0, 0, 0);
    int holder = four.partitionOf(Key.of("x{7}1"));
    for (int partition = 0; partition < 4; partition++) {
      assertThat(four.mayHold(partition, range("y{7}", "y{7~"))).isEqualTo(partition == holder);
      assertThat(four.mayHold(partition, range("y{7}", "y{8}"))).isTrue();
    }
  }
}
