package org.mortydb.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.Key;

class CodecsTest {
  private static <T> T roundTrip(Codec<T> codec, T value) {
    return codec.decode(codec.encode(value));
  }

  @Test
  void textSurvives() {
    for (String text : new String[] {"", "plain", "h\u00e9llo", "\uD83D\uDE00", "\uFFFD", "\0"}) {
      assertThat(roundTrip(Codecs.STRING, text)).isEqualTo(text);
    }
  }

  @Test
  void textWithoutUtf8FormIsRefused() {
    assertThatThrownBy(() -> Codecs.STRING.encode("\uD83D")).hasMessageContaining("surrogate");
    assertThatThrownBy(() -> Codecs.STRING.encode("\uDE00\uD83D"))
        .hasMessageContaining("surrogate");
    assertThatThrownBy(() -> Codecs.STRING.decode(new byte[] {(byte) 0xC3}))
        .hasMessageContaining("UTF-8");
  }

  @Test
  void numbersSurviveAndKeepTheirOrder() {
    SplittableRandom random = new SplittableRandom(1);
    long[] longs = random.longs(1_000).toArray();
    longs[0] = Long.MIN_VALUE;
    longs[1] = Long.MAX_VALUE;
    longs[2] = 0;
    longs[3] = -1;
    for (long a : longs) {
      assertThat(roundTrip(Codecs.INT64, a)).isEqualTo(a);
      assertThat(roundTrip(Codecs.INT32, (int) a)).isEqualTo((int) a);
      for (long b : new long[] {longs[0], longs[1], 0, -1, 1, a + 1}) {
        assertThat(
                Integer.signum(
                    Arrays.compareUnsigned(Codecs.INT64.encode(a), Codecs.INT64.encode(b))))
            .isEqualTo(Long.compare(a, b));
        assertThat(
                Integer.signum(
                    Arrays.compareUnsigned(
                        Codecs.INT32.encode((int) a), Codecs.INT32.encode((int) b))))
            .isEqualTo(Integer.compare((int) a, (int) b));
      }
    }
  }

  @Test
  void numbersOfAnotherLengthAreRefused() {
    assertThatThrownBy(() -> Codecs.INT64.decode(new byte[7])).hasMessageContaining("8 bytes");
    assertThatThrownBy(() -> Codecs.INT32.decode(new byte[5])).hasMessageContaining("4 bytes");
  }

  @Test
  void bytesAreCopied() {
    byte[] bytes = {1, 2};
    byte[] encoded = Codecs.BYTES.encode(bytes);
    byte[] decoded = Codecs.BYTES.decode(encoded);
    bytes[0] = 9;
    encoded[1] = 9;
    assertThat(decoded).containsExactly(1, 2);
  }

  @Test
  void codecsMap() {
    Codec<Key> keys = Codecs.mapped(Codecs.STRING, Key::toString, Key::of);
    assertThat(roundTrip(keys, Key.of("k"))).isEqualTo(Key.of("k"));
  }

  @Test
  void keySpacesDoNotOverlap() {
    KeySpace<String, String> one = KeySpace.of("a", Codecs.STRING, Codecs.STRING);
    KeySpace<String, String> two = KeySpace.of("ab", Codecs.STRING, Codecs.STRING);
    assertThat(one.key("b/x")).isNotEqualTo(two.key("x"));
    assertThat(one.key("x")).hasToString("a/x").isEqualTo(one.key("x"));
    assertThat(one.key("")).isNotEqualTo(two.key(""));
  }

  @Test
  void keySpacesHaveGoodNames() {
    assertThatThrownBy(() -> KeySpace.of("", Codecs.STRING, Codecs.STRING))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> KeySpace.of("a/b", Codecs.STRING, Codecs.STRING))
        .hasMessageContaining("a/b");
  }
}
