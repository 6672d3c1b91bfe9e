package org.mortydb.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.protocol.model.Bucket;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Value;

class KeySpaceTest {
  private static final KeySpace<String, String> PLAIN =
      KeySpace.of("order", Codecs.STRING, Codecs.STRING);

  /** The tag is the customer, before the colon. */
  private static final KeySpace<String, String> TAGGED =
      PLAIN.taggedBy(order -> order.substring(0, order.indexOf(':')));

  private static <K> List<Entry<K, String>> decoded(TypedRange<K, String> range, String... keys) {
    return range.decode(
        List.of(keys).stream().map(key -> new Row(Key.of(key), Value.of("v"))).toList());
  }

  @Test
  void keyIsTheNameASlashAndTheOwnBytes() {
    assertThat(PLAIN.key("7:1").key()).isEqualTo(Key.of("order/7:1"));
    assertThat(decoded(PLAIN.all(), "order/7:1")).containsExactly(new Entry<>("7:1", "v"));
  }

  @Test
  void tagStandsInBracesBeforeTheOwnBytes() {
    assertThat(TAGGED.key("7:1").key()).isEqualTo(Key.of("order/{7}7:1"));
    assertThat(decoded(TAGGED.all(), "order/{7}7:1")).containsExactly(new Entry<>("7:1", "v"));
  }

  @Test
  void keysOfOneTagLieInOneBucketAcrossKeySpaces() {
    KeySpace<Long, String> customers =
        KeySpace.of("customer", Codecs.INT64, Codecs.STRING).taggedBy(String::valueOf);
    int bucket = Bucket.of(customers.key(7L).key());
    assertThat(Bucket.of(TAGGED.key("7:1").key())).isEqualTo(bucket);
    assertThat(Bucket.of(TAGGED.key("7:2").key())).isEqualTo(bucket);
    assertThat(Bucket.of(TAGGED.key("8:1").key())).isNotEqualTo(bucket);
  }

  @Test
  void rangeOfATagHasAllItsKeysAndLiesInOneBucket() {
    TypedRange<String, String> seven = TAGGED.within("7");
    assertThat(seven.range().contains(TAGGED.key("7:1").key())).isTrue();
    assertThat(seven.range().contains(TAGGED.key("70:1").key())).isFalse();
    assertThat(seven.range().contains(TAGGED.key("8:1").key())).isFalse();
    assertThat(Bucket.of(seven.range())).isEqualTo(Bucket.of(TAGGED.key("7:1").key()));
    assertThat(Bucket.of(TAGGED.all().range())).isEqualTo(Bucket.SEVERAL);
  }

  @Test
  void restOfARangeBeginsAfterTheLastKeyAndKeepsItsEnd() {
    TypedRange<String, String> rest = TAGGED.within("7").after("7:2");
    assertThat(rest.range().contains(TAGGED.key("7:2").key())).isFalse();
    assertThat(rest.range().contains(TAGGED.key("7:20").key())).isTrue();
    assertThat(rest.range().contains(TAGGED.key("8:1").key())).isFalse();
    assertThat(TAGGED.within("7").after("6:9").range()).isEqualTo(TAGGED.within("7").range());
    assertThat(Bucket.of(rest.range())).isEqualTo(Bucket.of(TAGGED.key("7:1").key()));
  }

  @ParameterizedTest
  @ValueSource(strings = {":1", "a}b:1"})
  void tagsMustBeNamesOfTheirOwn(String order) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TAGGED.key(order))
        .withMessageContaining("order");
  }

  @Test
  void storedKeysWithoutATagAreMalformedInATaggedKeySpace() {
    assertThatExceptionOfType(MalformedValueException.class)
        .isThrownBy(() -> decoded(TAGGED.all(), "order/7:1"))
        .withMessageContaining("order/7:1");
  }

  @Test
  void keySpacesWithoutTagsHaveNoRangeOfOne() {
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> PLAIN.within("7"))
        .withMessageContaining("taggedBy");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a/b", "a{b"})
  void namesHaveNoSlashesAndBraces(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeySpace.of(name, Codecs.STRING, Codecs.STRING));
  }
}
