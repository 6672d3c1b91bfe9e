package org.mortydb.protocol.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class MergeTest {
  private static Value number(long n) {
    return Merge.apply(Value.ABSENT, Merge.add(n));
  }

  @Test
  void addsToANumberAndToNothing() {
    assertThat(Merge.apply(number(5), Merge.add(-7))).isEqualTo(number(-2));
    assertThat(Merge.apply(Value.ABSENT, Merge.add(3))).isEqualTo(number(3));
  }

  @Test
  void raisesANumber() {
    assertThat(Merge.apply(number(5), Merge.max(7))).isEqualTo(number(7));
    assertThat(Merge.apply(number(5), Merge.max(-7))).isEqualTo(number(5));
    assertThat(Merge.apply(Value.ABSENT, Merge.max(-7))).isEqualTo(number(-7));
  }

  @Test
  void putsIfAbsent() {
    Value x = Value.of("x");
    assertThat(Merge.apply(Value.ABSENT, Merge.putIfAbsent(x))).isEqualTo(x);
    assertThat(Merge.apply(Value.of(""), Merge.putIfAbsent(x))).isEqualTo(Value.of(""));
    assertThatIllegalArgumentException().isThrownBy(() -> Merge.putIfAbsent(Value.ABSENT));
  }

  @Test
  void aSumBeyondItsBoundsFailsAndStaysSo() {
    assertThat(Merge.apply(number(Long.MAX_VALUE), Merge.add(1))).isEqualTo(Value.FAILED);
    assertThat(Merge.apply(number(Long.MIN_VALUE), Merge.add(-1))).isEqualTo(Value.FAILED);
    assertThat(Merge.apply(number(Long.MAX_VALUE), Merge.add(0))).isEqualTo(number(Long.MAX_VALUE));
    assertThat(Merge.apply(Value.FAILED, Merge.add(-5))).isEqualTo(Value.FAILED);
    assertThat(Merge.apply(Value.FAILED, Merge.putIfAbsent(Value.of("x")))).isEqualTo(Value.FAILED);
  }

  @Test
  void aValueThatIsNoNumberFails() {
    assertThat(Merge.apply(Value.of("text"), Merge.add(1))).isEqualTo(Value.FAILED);
    assertThat(Merge.apply(Value.of(""), Merge.max(1))).isEqualTo(Value.FAILED);
  }

  @Test
  void oneMergeAfterAnotherDoesWhatBothDo() {
    Value both = Merge.then(Merge.add(2), Merge.max(10));
    assertThat(Merge.apply(number(1), both)).isEqualTo(number(10));
    assertThat(Merge.apply(number(9), both)).isEqualTo(number(11));
    assertThat(Merge.then(Merge.add(2), Merge.add(3))).isEqualTo(Merge.add(5));
    assertThat(Merge.then(number(4), Merge.add(3))).isEqualTo(number(7));
    Value far = Merge.then(Merge.add(Long.MAX_VALUE), Merge.add(1));
    assertThat(Merge.apply(number(-5), far)).isEqualTo(number(Long.MAX_VALUE - 4));
    assertThat(Merge.apply(number(0), far)).isEqualTo(Value.FAILED);
  }

  @Test
  void knowsWhatIsMalformed() {
    assertThat(Merge.isWellFormed(Merge.add(1).bytes())).isTrue();
    assertThat(Merge.isWellFormed(Merge.putIfAbsent(Value.of("abc")).bytes())).isTrue();
    assertThat(Merge.isWellFormed(new byte[0])).isFalse();
    assertThat(Merge.isWellFormed(new byte[] {1, 0})).isFalse();
    assertThat(Merge.isWellFormed(new byte[] {9, 0, 0, 0, 0, 0, 0, 0, 0})).isFalse();
    assertThat(Merge.isWellFormed(new byte[] {3, 0, 0, 0, 2, 0})).isFalse();
    assertThat(Merge.isWellFormed(new byte[] {3, -1, 0, 0, 2, 0})).isFalse();
    assertThatIllegalArgumentException().isThrownBy(() -> Value.ofForm(1, new byte[] {1}));
    assertThatIllegalArgumentException().isThrownBy(() -> Value.ofForm(2, new byte[] {1}));
    assertThatIllegalArgumentException().isThrownBy(() -> Value.ofForm(7, new byte[0]));
  }
}
