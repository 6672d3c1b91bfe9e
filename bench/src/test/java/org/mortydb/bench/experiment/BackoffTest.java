package org.mortydb.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.mortydb.baselines.TransactionSystem;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.client.RetryPolicy;

final class BackoffTest {
  private static ClusterSettings cluster(OptionalLong delayMicros, Map<String, String> delays) {
    Map<String, String> others = new LinkedHashMap<>(delays);
    others.put(ClusterSettings.SYSTEM, "tapir");
    return new ClusterSettings(
        1, 1, delayMicros, false, "memory", null, false, 0, List.of(), 3, 1, others);
  }

  private static RetryPolicy policy(long baseMicros, long capMicros) {
    return new RetryPolicy(Integer.MAX_VALUE, baseMicros, capMicros);
  }

  @Test
  void boundsGrowWithTheRoundTrip() {
    assertThat(Backoff.usual(TransactionSystem.OCC, 0)).isEqualTo(policy(100, 5_000));
    assertThat(Backoff.usual(TransactionSystem.OCC, 20_000)).isEqualTo(policy(5_100, 255_000));
    assertThat(Backoff.usual(TransactionSystem.TAPIR, 0)).isEqualTo(policy(1_000, 50_000));
    assertThat(Backoff.usual(TransactionSystem.TAPIR, 20_000)).isEqualTo(policy(21_000, 4_050_000));
  }

  @ParameterizedTest
  @EnumSource
  void everySystemHasOne(TransactionSystem system) {
    assertThat(Backoff.usual(system, 300_000).capMicros()).isGreaterThan(1_000_000);
  }

  @Test
  void aClusterHasThatOfItsSystemAndItsLongestDelay() {
    assertThat(Backoff.patience(cluster(OptionalLong.of(10_000), Map.of())).retry())
        .isEqualTo(Backoff.usual(TransactionSystem.TAPIR, 20_000));
    Map<String, String> delays =
        Map.of(
            "emulation.delays.region-1.region-2", "900 us",
            "emulation.delays.region-2.region-3", "45000 us",
            "emulation.delays.region-3.region-1", "7 us");
    assertThat(Backoff.patience(cluster(OptionalLong.empty(), delays)).retry())
        .isEqualTo(Backoff.usual(TransactionSystem.TAPIR, 90_000));
    assertThat(Backoff.patience(cluster(OptionalLong.empty(), Map.of())).retry())
        .isEqualTo(Backoff.usual(TransactionSystem.TAPIR, 0));
  }
}
