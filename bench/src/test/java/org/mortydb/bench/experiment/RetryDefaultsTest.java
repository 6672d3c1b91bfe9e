package org.mortydb.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.client.RetryPolicy;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.protocol.system.TransactionSystems;

final class RetryDefaultsTest {
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
    assertThat(RetryDefaults.retries(TransactionSystems.named("occ"), 0))
        .isEqualTo(policy(1_000, 50_000));
    assertThat(RetryDefaults.retries(TransactionSystems.named("occ"), 20_000))
        .isEqualTo(policy(6_000, 300_000));
    assertThat(RetryDefaults.retries(TransactionSystems.named("tapir"), 0))
        .isEqualTo(policy(1_000, 50_000));
    assertThat(RetryDefaults.retries(TransactionSystems.named("tapir"), 20_000))
        .isEqualTo(policy(21_000, 4_050_000));
  }

  static List<TransactionSystem> systems() {
    return TransactionSystems.all();
  }

  @ParameterizedTest
  @MethodSource("systems")
  void everySystemHasOne(TransactionSystem system) {
    assertThat(RetryDefaults.retries(system, 300_000).capMicros()).isGreaterThan(1_000_000);
  }

  @Test
  void aClusterHasThatOfItsSystemAndItsLongestDelay() {
    assertThat(RetryDefaults.of(cluster(OptionalLong.of(10_000), Map.of())).retry())
        .isEqualTo(RetryDefaults.retries(TransactionSystems.named("tapir"), 20_000));
    Map<String, String> delays =
        Map.of(
            "emulation.delays.region-1.region-2", "900 us",
            "emulation.delays.region-2.region-3", "45000 us",
            "emulation.delays.region-3.region-1", "7 us");
    assertThat(RetryDefaults.of(cluster(OptionalLong.empty(), delays)).retry())
        .isEqualTo(RetryDefaults.retries(TransactionSystems.named("tapir"), 90_000));
    assertThat(RetryDefaults.of(cluster(OptionalLong.empty(), Map.of())).retry())
        .isEqualTo(RetryDefaults.retries(TransactionSystems.named("tapir"), 0));
  }
}
