package org.mortydb.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.mortydb.client.Codecs;

class FieldsTest {

  @Test
  void fieldsComeBackWhateverTheirNamesAndBytes() {
    Map<String, byte[]> given =
        Map.of("field0", new byte[] {0, -1, 127}, "", new byte[0], "größe", new byte[] {1});
    Fields read = Fields.CODEC.decode(Fields.CODEC.encode(Fields.of(given)));
    assertThat(read.byName()).containsOnlyKeys("", "field0", "größe");
    read.byName().forEach((name, value) -> assertThat(value).isEqualTo(given.get(name)));
  }

  @Test
  void equalFieldsHaveEqualBytesInWhateverOrderTheyCame() {
    byte[] one = {1};
    byte[] two = {2};
    Fields first = Fields.of(Map.of("a", one)).with(Fields.of(Map.of("b", two)));
    Fields second = Fields.of(Map.of("b", one)).with(Fields.of(Map.of("a", one, "b", two)));
    assertThat(Fields.CODEC.encode(first)).isEqualTo(Fields.CODEC.encode(second));
  }

  @Test
  void otherBytesAreRefused() {
    byte[] fields = Fields.CODEC.encode(Fields.of(Map.of("field0", new byte[100])));
    for (byte[] other :
        new byte[][] {Codecs.INT64.encode(7L), Arrays.copyOf(fields, fields.length + 1)}) {
      assertThatThrownBy(() -> Fields.CODEC.decode(other))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void bytesThatEndTooEarlyAreRefused() {
    byte[] fields = Fields.CODEC.encode(Fields.of(Map.of("field0", new byte[100])));
    for (int length : new int[] {0, 3, 10, 20}) {
      assertThatThrownBy(() -> Fields.CODEC.decode(Arrays.copyOf(fields, length)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
