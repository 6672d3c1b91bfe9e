package org.mortydb.protocol.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ValueTest {

  @Test
  void absentIsNotTheEmptyValue() {
    assertThat(Value.ABSENT).isNotEqualTo(Value.of(""));
    assertThat(Value.of("")).isNotEqualTo(Value.ABSENT);
    assertThat(Value.ABSENT.isAbsent()).isTrue();
    assertThat(Value.of("").isAbsent()).isFalse();
    assertThat(Value.wrap(new byte[0]).isAbsent()).isFalse();
    assertThat(Value.copyOf(new byte[0]).isAbsent()).isFalse();
  }

  @Test
  void absentHasNoBytes() {
    assertThat(Value.ABSENT.bytes()).isEmpty();
    assertThat(Value.ABSENT.size()).isZero();
    assertThat(Value.ABSENT).hasToString("absent");
  }

  @Test
  void equalBytesAreEqualValues() {
    assertThat(Value.of("x"))
        .isEqualTo(Value.copyOf(new byte[] {'x'}))
        .hasSameHashCodeAs(Value.of("x"));
    assertThat(Value.of("x")).isNotEqualTo(Value.of("y"));
  }

  @Test
  void copyDoesNotChangeWithItsSource() {
    byte[] bytes = {1, 2};
    Value value = Value.copyOf(bytes);
    bytes[0] = 9;
    assertThat(value).isEqualTo(Value.wrap(new byte[] {1, 2}));
  }
}
