package org.mortydb.protocol.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
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

  private static Value append(String item, int atMost) {
    return Merge.append(bytes(item), atMost);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Value list(String... items) {
    return Value.wrap(ItemList.encode(Arrays.stream(items).map(MergeTest::bytes).toList()));
  }

  @Test
  void appendsToAListAndToNothing() {
    assertThat(Merge.apply(Value.ABSENT, append("a", 3))).isEqualTo(list("a"));
    assertThat(Merge.apply(list(), append("", 1))).isEqualTo(list(""));
    assertThat(Merge.apply(list("a", "bc"), append("d", 3))).isEqualTo(list("a", "bc", "d"));
    assertThat(ItemList.decode(list("a", "", "bc").bytes()))
        .containsExactly(bytes("a"), bytes(""), bytes("bc"));
  }

  @Test
  void anAppendKeepsTheLastItems() {
    assertThat(Merge.apply(list("a", "b"), append("c", 2))).isEqualTo(list("b", "c"));
    assertThat(Merge.apply(list("a", "b", "c"), append("d", 1))).isEqualTo(list("d"));
    Value both = Merge.then(append("a", 2), append("b", 1));
    assertThat(Merge.apply(list("x"), both)).isEqualTo(list("b"));
    Value mixed = Merge.then(Merge.putIfAbsent(list("p")), append("q", 9));
    assertThat(Merge.apply(Value.ABSENT, mixed)).isEqualTo(list("p", "q"));
    Merge.Fold many = new Merge.Fold(Value.ABSENT);
    for (int i = 0; i < 1_000; i++) {
      many.with(append("" + i, 3));
    }
    assertThat(many.value()).isEqualTo(list("997", "998", "999"));
    assertThat(many.with(append("x", 2)).value()).isEqualTo(list("999", "x"));
  }

  @Test
  void neitherANumberNorAListIsTakenForTheOther() {
    assertThat(Merge.apply(number(7), append("a", 3))).isEqualTo(Value.FAILED);
    assertThat(Merge.apply(Value.of(""), append("a", 3))).isEqualTo(Value.FAILED);
    assertThat(Merge.apply(Value.FAILED, append("a", 3))).isEqualTo(Value.FAILED);
    for (Value list : List.of(list(), list(""), list("a"), list("abc"), list("", ""))) {
      assertThat(list.size()).isNotEqualTo(Long.BYTES);
      assertThat(Merge.apply(list, Merge.add(1))).isEqualTo(Value.FAILED);
      assertThat(Merge.apply(list, Merge.max(1))).isEqualTo(Value.FAILED);
    }
    Value then = Merge.then(append("a", 3), Merge.add(1));
    assertThat(Merge.apply(Value.ABSENT, then)).isEqualTo(Value.FAILED);
  }

  @Test
  void aListIsNeverLongerThanAValue() {
    int longest = Merge.longestItem(4);
    Merge.Fold fold = new Merge.Fold(Value.ABSENT);
    for (int i = 0; i < 9; i++) {
      assertThat(fold.with(Merge.append(new byte[longest], 4)).value().size())
          .isLessThanOrEqualTo(Limits.MAX_VALUE_BYTES);
    }
    assertThat(fold.with(append("one", 4)).value()).isNotEqualTo(Value.FAILED);
    Value sixth = Merge.append(new byte[Merge.longestItem(6)], 6);
    assertThat(fold.with(sixth).value()).isNotEqualTo(Value.FAILED);
    assertThat(fold.with(sixth).value()).isEqualTo(Value.FAILED);
    assertThat(Merge.mayAppend(Merge.longestItem(7), 7)).isTrue();
    assertThat(Merge.mayAppend(Merge.longestItem(7) + 1, 7)).isFalse();
    assertThat(Merge.mayAppend(0, 0)).isFalse();
    assertThat(Merge.mayAppend(0, Limits.MAX_LIST_ITEMS + 1)).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Merge.append(new byte[longest + 1], 4))
        .withMessageContaining("4 items");
  }

  @Test
  void knowsWhatIsNoList() {
    byte[] good = list("ab", "c").bytes();
    byte[] count = good.clone();
    count[4]++;
    byte[] negative = good.clone();
    negative[5] = -1;
    byte[] tag = good.clone();
    tag[0] = 'l';
    for (byte[] bad :
        List.of(
            count,
            negative,
            tag,
            Arrays.copyOf(good, good.length - 1),
            Arrays.copyOf(good, good.length + 1),
            Arrays.copyOf(good, 4),
            new byte[0])) {
      assertThatIllegalArgumentException().isThrownBy(() -> ItemList.decode(bad));
      assertThat(Merge.apply(Value.wrap(bad), append("x", 9))).isEqualTo(Value.FAILED);
    }
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

  /** Otherwise several long values would make a write that no message holds. */
  @Test
  void noMergeLeavesAKeyAbsentSoALaterValueIsLeftOut() {
    Value x = Merge.putIfAbsent(Value.of("x"));
    for (Value first : new Value[] {x, Merge.add(1), Merge.max(1)}) {
      assertThat(Merge.then(first, Merge.putIfAbsent(Value.of("y")))).isEqualTo(first);
    }
    assertThat(Merge.then(Value.ABSENT, x)).isEqualTo(Value.of("x"));
    Value both = Merge.then(Merge.putIfAbsent(number(3)), Merge.add(1));
    assertThat(Merge.apply(number(5), both)).isEqualTo(number(6));
    assertThat(Merge.apply(number(5), Merge.then(Merge.add(2), both)))
        .as("it is left out only if it is all there is")
        .isEqualTo(number(8));
  }

  @Test
  void knowsWhatIsMalformed() {
    assertThat(Merge.isWellFormed(Merge.add(1).bytes())).isTrue();
    assertThat(Merge.isWellFormed(Merge.putIfAbsent(Value.of("abc")).bytes())).isTrue();
    byte[] append = append("abc", 2).bytes();
    assertThat(Merge.isWellFormed(append)).isTrue();
    assertThat(Merge.isWellFormed(Arrays.copyOf(append, append.length - 1))).isFalse();
    assertThat(Merge.isWellFormed(Arrays.copyOf(append, append.length + 1))).isFalse();
    assertThat(Merge.isWellFormed(Arrays.copyOf(append, 4))).isFalse();
    assertThat(Merge.isWellFormed(new byte[] {4, 0, 0, 0, 0, 0, 0, 0, 0})).isFalse();
    assertThat(Merge.isWellFormed(new byte[] {4, -1, 0, 0, 0, 0, 0, 0, 0})).isFalse();
    assertThat(Merge.isWellFormed(new byte[] {4, 0, 0, 64, 1, 0, 0, 0, 0})).isFalse();
    assertThat(Merge.isWellFormed(new byte[] {4, 0, 0, 64, 0, 0, 0, 0, 0})).isTrue();
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
