package org.mortydb.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.telemetry.metrics.WindowListener.KeyWindow;

class HotKeysTest {
  private final HotKeys hotKeys = new HotKeys();

  private void close(String key, long decidedMicros) {
    TxnId txn = new TxnId(decidedMicros - 500, 7, 0);
    hotKeys.closed(
        new KeyWindow(
            new ReplicaId(0, 0),
            Key.of(key),
            txn,
            decidedMicros - 400,
            decidedMicros - 300,
            decidedMicros,
            true,
            1));
  }

  @Test
  void nobodyListensUntilSomebodyLooks() {
    assertThat(hotKeys.isListening()).isFalse();
    assertThat(hotKeys.hottest(3, 1_000_000)).isEmpty();
    assertThat(hotKeys.isListening()).isTrue();
  }

  @Test
  void theHottestComeFirstWithTheirRatesAndLastWindows() {
    for (int i = 0; i < 6_000; i++) {
      long nowMicros = 100_000_000 + 10_000L * i; // 100 in a second, for a minute
      close("hot", nowMicros);
      if (i % 10 == 0) {
        close("warm", nowMicros);
      }
      close("cold" + i % 3_000, nowMicros);
    }
    List<HotKeys.HotKey> hottest = hotKeys.hottest(2, 160_000_000);
    assertThat(hottest)
        .extracting(HotKeys.HotKey::key)
        .containsExactly(Key.of("hot"), Key.of("warm"));
    assertThat(hottest.getFirst().perSecond()).isCloseTo(100, within(5.0));
    assertThat(hottest.get(1).perSecond()).isCloseTo(10, within(1.0));
    assertThat(hottest.getFirst().windows()).hasSize(48);
    assertThat(hottest.getFirst().windows().getLast().decidedMicros()).isEqualTo(159_990_000);
  }

  @Test
  void whatIsLongAgoIsNotShown() {
    close("hot", 100_000_000);
    assertThat(hotKeys.hottest(3, 109_000_000)).hasSize(1);
    assertThat(hotKeys.hottest(3, 111_000_000)).isEmpty();
  }
}
