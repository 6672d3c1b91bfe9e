package org.mortydb.protocol.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KeyRangeTest {
  private static final KeyRange B_TO_D = new KeyRange(Key.of("b"), Key.of("d"));

  private static Key key(int... bytes) {
    byte[] array = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      array[i] = (byte) bytes[i];
    }
    return Key.wrap(array);
  }

  @Test
  void beginsWithItsFirstKeyAndEndsBeforeItsLast() {
    assertThat(B_TO_D.contains(Key.of("a"))).isFalse();
    assertThat(B_TO_D.contains(Key.of("b"))).isTrue();
    assertThat(B_TO_D.contains(Key.of("czz"))).isTrue();
    assertThat(B_TO_D.contains(Key.of("d"))).isFalse();
  }

  @Test
  void withoutAnEndHasAllThatFollows() {
    assertThat(new KeyRange(Key.of("b"), null).contains(key(0xFF, 0xFF))).isTrue();
    assertThat(KeyRange.ALL.contains(key())).isTrue();
    assertThat(KeyRange.ALL.isEmpty()).isFalse();
  }

  @Test
  void isEmptyWhenItEndsWhereItBeginsOrBefore() {
    assertThat(new KeyRange(Key.of("b"), Key.of("b")).isEmpty()).isTrue();
    assertThat(new KeyRange(Key.of("c"), Key.of("b")).isEmpty()).isTrue();
    assertThat(B_TO_D.isEmpty()).isFalse();
  }

  @Test
  void endsEarlierBelowAKey() {
    assertThat(B_TO_D.below(Key.of("c"))).isEqualTo(new KeyRange(Key.of("b"), Key.of("c")));
    assertThat(B_TO_D.below(Key.of("e"))).isEqualTo(B_TO_D);
    assertThat(B_TO_D.below(null)).isEqualTo(B_TO_D);
    assertThat(KeyRange.ALL.below(Key.of("e")).to()).isEqualTo(Key.of("e"));
  }

  @Test
  void ofAPrefixEndsWithTheNextPrefix() {
    assertThat(KeyRange.ofPrefix(Key.of("ab"))).isEqualTo(new KeyRange(Key.of("ab"), Key.of("ac")));
    assertThat(KeyRange.ofPrefix(key(1, 0xFF, 0xFF)))
        .isEqualTo(new KeyRange(key(1, 0xFF, 0xFF), key(2)));
    assertThat(KeyRange.ofPrefix(key(0xFF, 0xFF))).isEqualTo(new KeyRange(key(0xFF, 0xFF), null));
    assertThat(KeyRange.ofPrefix(key())).isEqualTo(KeyRange.ALL);
  }

  @Test
  void showsWhereItEnds() {
    assertThat(B_TO_D).hasToString("[b, d)");
    assertThat(new KeyRange(Key.of("b"), KeyRange.after(Key.of("c")))).hasToString("[b, c]");
    assertThat(new KeyRange(Key.of("b"), null)).hasToString("[b, end)");
  }

  @Test
  void nothingIsBetweenAKeyAndTheOneAfterIt() {
    Key after = KeyRange.after(Key.of("b"));
    assertThat(after).isGreaterThan(Key.of("b")).isEqualTo(key('b', 0));
    assertThat(new KeyRange(Key.of("b"), after).contains(Key.of("b"))).isTrue();
  }
}
