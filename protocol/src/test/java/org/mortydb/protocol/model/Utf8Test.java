package org.mortydb.protocol.model;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The encoder against that of the JDK. */
class Utf8Test {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "a", "\u0000", "\u007f\u0080", "\u07ff\u0800", "\ud7ff\ue000\uffff", "\ud83d\ude00",
        "\udbff\udfff", "\ud83d", "\ude00", "\ude00\ud83d", "a\ud83d", "\ud83da",
            "\ud83d\ud83d\ude00"
      })
  void encodesAsTheJdkDoes(String text) {
    assertThat(Utf8.encode(text)).isEqualTo(text.getBytes(UTF_8));
  }

  @Test
  void encodesRandomTextAsTheJdkDoes() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 20_000; i++) {
      char[] units = new char[random.nextInt(12)];
      for (int j = 0; j < units.length; j++) {
        units[j] =
            switch (random.nextInt(4)) {
              case 0 -> (char) random.nextInt(0x80);
              case 1 -> (char) random.nextInt(0x800);
              case 2 -> (char) (0xD800 + random.nextInt(0x800)); // surrogates, most of them alone
              default -> (char) random.nextInt(0x10000);
            };
      }
      String text = new String(units);
      assertThat(Utf8.encode(text)).isEqualTo(text.getBytes(UTF_8));
    }
  }
}
