package org.mortydb.workloads.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ShareTest {

  @ParameterizedTest
  @CsvSource({"64, 1", "64, 3", "2, 3", "7, 7", "10000000, 21"})
  void theSharesOfSomeSessionsAreAllOfThem(int sessions, int count) {
    int before = 0;
    double rate = 0;
    for (int i = 0; i < count; i++) {
      Share share = new Share(i, count);
      assertThat(share.sessionsBefore(sessions)).isEqualTo(before);
      assertThat(share.sessionsOf(sessions))
          .isBetween(sessions / count, Math.ceilDiv(sessions, count));
      before += share.sessionsOf(sessions);
      rate += share.rateOf(OptionalDouble.of(3_000), sessions).getAsDouble();
    }
    assertThat(before).isEqualTo(sessions);
    assertThat(rate).isBetween(2_999.999, 3_000.001);
  }

  @Test
  void noTwoSharesHaveASessionInCommon() {
    int end = 0;
    for (int i = 0; i < 21; i++) {
      Share share = new Share(i, 21);
      assertThat(share.firstSession()).isGreaterThanOrEqualTo(end);
      assertThat(share.endOfSessions() - share.firstSession()).isGreaterThan(100_000_000);
      end = share.endOfSessions();
    }
    assertThat(Share.ALL.firstSession()).isZero();
  }

  @Test
  void aShareIsOneOfItsCount() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Share(3, 3));
    assertThatIllegalArgumentException().isThrownBy(() -> new Share(-1, 3));
    assertThatIllegalArgumentException().isThrownBy(() -> new Share(0, 0));
  }
}
