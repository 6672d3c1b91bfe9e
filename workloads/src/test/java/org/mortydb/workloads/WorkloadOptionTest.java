package org.mortydb.workloads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.config.NumberRange;

final class WorkloadOptionTest {
  private static final WorkloadOption<Integer> SIZE =
      WorkloadOption.whole("valueBytes", 10, 1, 20, "Bytes");
  private static final WorkloadOption<Double> ZIPF =
      WorkloadOption.number("zipf", 0.5, NumberRange.NOT_NEGATIVE, "Exponent");
  private static final WorkloadOption<Color> COLOR =
      WorkloadOption.choice("color", Color.DARK_BLUE, "Color");

  private enum Color {
    RED,
    DARK_BLUE;

    @Override
    public String toString() {
      return this == RED ? "Red" : "dark blue";
    }
  }

  private static OptionValues values(Map<String, String> given) {
    return OptionValues.of(List.of(SIZE, ZIPF, COLOR), given);
  }

  @Test
  void anOptionHasANameForRecordsAndOneForCommandLines() {
    assertThat(SIZE.name()).isEqualTo("valueBytes");
    assertThat(SIZE.flag()).isEqualTo("--value-bytes");
    assertThat(SIZE.help()).isEqualTo("Bytes: 1 to 20 (default: 10).");
    assertThat(ZIPF.help()).isEqualTo("Exponent: 0 or more (default: 0.5).");
    assertThat(ZIPF.explainingDefault("half").help()).endsWith("(default: half).");
    assertThat(COLOR.choices()).containsExactly("red", "dark blue");
  }

  @Test
  void whatIsNotGivenHasItsDefault() {
    assertThat(values(Map.of()).recorded())
        .containsExactly(
            Map.entry("valueBytes", 10), Map.entry("zipf", 0.5), Map.entry("color", "dark blue"));
    OptionValues given = values(Map.of("color", "RED", "zipf", "0", "valueBytes", "20"));
    assertThat(given.get(COLOR)).isEqualTo(Color.RED);
    assertThat(given.get(ZIPF)).isZero();
    assertThat(given.get(SIZE)).isEqualTo(20);
    assertThat(given.recorded()).containsEntry("color", "red");
    assertThat(given)
        .isEqualTo(
            values(
                given.settings().entrySet().stream()
                    .collect(
                        java.util.stream.Collectors.toMap(
                            Map.Entry::getKey, one -> String.valueOf(one.getValue())))));
  }

  @ParameterizedTest
  @CsvSource({
    "valueBytes, 0",
    "valueBytes, 21",
    "valueBytes, 1.5",
    "valueBytes, many",
    "zipf, -0.1",
    "zipf, NaN",
    "zipf, Infinity",
    "zipf, ''",
    "color, green"
  })
  void aValueOutOfRangeIsRefusedByTheNameOfItsOption(String name, String text) {
    assertThatThrownBy(() -> values(Map.of(name, text)))
        .isInstanceOfSatisfying(
            InvalidOptionException.class,
            refused -> {
              assertThat(refused.option().name()).isEqualTo(name);
              assertThat(refused.problem()).startsWith("must be ").contains("is ").contains(text);
            });
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, Double.NaN, Double.POSITIVE_INFINITY})
  void valuesOfProgramsAreCheckedToo(double value) {
    assertThat(ZIPF.require(3.0)).isEqualTo(3);
    assertThatThrownBy(() -> ZIPF.require(value)).isInstanceOf(InvalidOptionException.class);
  }

  @Test
  void rangesSayWhatIsInThem() {
    assertThat(NumberRange.SHARE).hasToString("0 to 1");
    assertThat(NumberRange.above(0, 2.5)).hasToString("greater than 0 and at most 2.5");
    assertThat(NumberRange.above(0, 1).contains(0)).isFalse();
    assertThat(NumberRange.SHARE.contains(0)).isTrue();
    assertThat(NumberRange.SHARE.contains(1.01)).isFalse();
  }

  @Test
  void aMistypedOptionIsNamedWithTheNearest() {
    assertThatThrownBy(() -> values(Map.of("zipff", "1"))).hasMessageContaining("'zipf'?");
  }

  @Test
  void anOptionThatCannotBeDeclaredIsRefused() {
    assertThatThrownBy(() -> WorkloadOption.whole("value-bytes", 1, 1, 2, ""))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> WorkloadOption.whole("size", 3, 1, 2, ""))
        .isInstanceOf(InvalidOptionException.class);
    assertThatThrownBy(() -> OptionValues.of(List.of(ZIPF, ZIPF), Map.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
