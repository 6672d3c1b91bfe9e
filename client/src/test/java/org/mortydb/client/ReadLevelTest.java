package org.mortydb.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.protocol.model.TxnId;

/** The notation of levels. */
class ReadLevelTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"strict", "serializable", "snapshot", "local", "bounded:2s", "bounded:500ms"})
  void isReadAndWritten(String text) {
    assertThat(ReadLevel.parse(text).words()).isEqualTo(text);
  }

  @Test
  void boundsAreTimes() {
    assertThat(ReadLevel.parse(" Bounded:3s ")).isEqualTo(ReadLevel.bounded(Duration.ofSeconds(3)));
    assertThat(ReadLevel.parse("bounded:1000ms")).isEqualTo(new ReadLevel.Bounded(1_000_000));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "eventual",
        "bounded",
        "bounded:",
        "bounded:s",
        "bounded:2",
        "bounded:-2s",
        "bounded:2m",
        "bounded:0s",
        "bounded:9999999999s"
      })
  void otherTextsAreRefused(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> ReadLevel.parse(text));
  }

  @Test
  void anAgeIsNeverTooLong() {
    assertThat(ReadLevel.bounded(Duration.ofSeconds(Long.MAX_VALUE)))
        .isEqualTo(new ReadLevel.Bounded(Long.MAX_VALUE));
    assertThatIllegalArgumentException().isThrownBy(() -> ReadLevel.bounded(Duration.ofNanos(999)));
  }

  @Test
  void someReadThePast() {
    assertThat(ReadLevel.STRICT.isPast()).isFalse();
    assertThat(ReadLevel.SERIALIZABLE.isPast()).isFalse();
    assertThat(ReadLevel.LOCAL.isPast()).isTrue();
    assertThat(ReadLevel.snapshotAt(new TxnId(5, 6, 0)).isPast()).isTrue();
    assertThat(ReadLevel.snapshotAt(new TxnId(5, 6, 0)).words()).isEqualTo("snapshot at 5.6@0");
  }
}
