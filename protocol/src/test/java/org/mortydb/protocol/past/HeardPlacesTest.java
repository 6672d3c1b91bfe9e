package org.mortydb.protocol.past;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.TxnId;

class HeardPlacesTest {
  private static final TxnId READER = new TxnId(9_000, 7, 0);

  private final HeardPlaces heard = new HeardPlaces();

  private static TxnId at(long micros) {
    return new TxnId(micros, 1, 0);
  }

  /** Places rise with the time, as clocks do. */
  @Test
  void aPlaceIsAboveAllIfNoneCanHaveReachedItSince() {
    assertThat(heard.isAboveAll(at(1_000), 500)).as("nothing was heard").isFalse();
    heard.heard(at(100), 500);
    assertThat(heard.isAboveAll(at(100), 500)).isFalse();
    assertThat(heard.isAboveAll(at(101), 500)).isTrue();
    assertThat(heard.isAboveAll(at(130), 530)).isFalse();
    assertThat(heard.isAboveAll(at(131), 530)).isTrue();
    assertThat(heard.isAboveAll(at(131), 470)).as("the clock was set back").isTrue();
    assertThat(heard.isAboveAll(at(1_000_000), 200_500)).isTrue();
    assertThat(heard.isAboveAll(at(1_000_000), 200_501)).as("too long ago").isFalse();
  }

  @Test
  void theNewestPlaceCountsForAWhile() {
    heard.heard(at(100), 500);
    heard.heard(at(90), 700); // of a replica that is behind
    TxnId place = heard.fresh(READER, TxnId.INITIAL, 200_500);
    assertThat(place).isNotNull();
    assertThat(place.isAfter(at(100))).isFalse();
    assertThat(place.isAfter(at(90))).isTrue();
    assertThat(heard.fresh(READER, at(101), 600)).as("not new enough").isNull();
    assertThat(heard.fresh(READER, TxnId.INITIAL, 200_501)).isNull();
    heard.forget();
    assertThat(heard.fresh(READER, TxnId.INITIAL, 600)).isNull();
  }
}
