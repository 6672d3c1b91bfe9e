package org.mortydb.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.client.TypedKey;
import org.mortydb.client.net.MortyClient;
import org.mortydb.protocol.system.TransactionSystem;

class EmbeddedClusterTest {
  private static final KeySpace<String, Long> NUMBERS =
      KeySpace.of("number", Codecs.STRING, Codecs.INT64);
  private static final TypedKey<Long> A = NUMBERS.key("a");

  @Test
  void whatOneRegionStoresAnotherReads() {
    EmbeddedOptions options = EmbeddedOptions.DEFAULTS.withF(2).withPartitions(3);
    try (EmbeddedCluster cluster = EmbeddedCluster.start(options);
        MortyClient far = cluster.connect("region-5")) {
      assertThat(cluster.config().servers()).hasSize(5);
      assertThat(cluster.config().partitions()).isEqualTo(3);
      put(cluster.client(), 7);
      assertThat(get(far)).isEqualTo(7L);
      assertThat(cluster.client()).isSameAs(cluster.client());
    }
  }

  @Test
  void aDelayIsThatBetweenRegions() {
    EmbeddedOptions options = EmbeddedOptions.DEFAULTS.withDelay(Duration.ofMillis(25));
    try (EmbeddedCluster cluster = EmbeddedCluster.start(options)) {
      long start = System.nanoTime();
      put(cluster.client(), 1);
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .as("one round trip to a majority at least")
          .isGreaterThanOrEqualTo(Duration.ofMillis(50));
    }
  }

  @Test
  void aMajorityServesAndAServerComesBackWithWhatItMissed() {
    try (EmbeddedCluster cluster = EmbeddedCluster.start()) {
      MortyClient client = cluster.client();
      put(client, 1);
      cluster.stop("server-2");
      cluster.stop("server-2");
      put(client, 2);
      cluster.restart("server-2");
      cluster.restart("server-2");
      cluster.stop("server-3");
      assertThat(get(client)).isEqualTo(2L);
    }
  }

  @Test
  void settingsReachTheServers() {
    EmbeddedOptions options = EmbeddedOptions.DEFAULTS.withSetting("cluster.system", "occ");
    try (EmbeddedCluster cluster = EmbeddedCluster.start(options)) {
      assertThat(cluster.config().system()).extracting(TransactionSystem::name).isEqualTo("occ");
      put(cluster.client(), 3);
      assertThat(get(cluster.client())).isEqualTo(3L);
    }
  }

  @Test
  void commitsWaitOutTheUncertaintyOfClocks() {
    EmbeddedOptions options =
        EmbeddedOptions.DEFAULTS.withSetting("server.replica.clock-uncertainty", "150ms");
    try (EmbeddedCluster cluster = EmbeddedCluster.start(options)) {
      long start = System.nanoTime();
      put(cluster.client(), 5);
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .as("twice the uncertainty from its timestamp on")
          .isGreaterThanOrEqualTo(Duration.ofMillis(300));
    }
  }

  @Test
  void saysWhatIsWrong() {
    assertThatThrownBy(
            () ->
                EmbeddedCluster.start(
                    EmbeddedOptions.DEFAULTS.withSetting("cluster.partitons", "3")))
        .isInstanceOf(EmbeddedClusterException.class)
        .hasMessageContaining("partitons");
    assertThatThrownBy(() -> EmbeddedOptions.DEFAULTS.withF(0)).hasMessageContaining("0");
    assertThatThrownBy(() -> EmbeddedOptions.DEFAULTS.withDelay(Duration.ofMillis(-1)))
        .hasMessageContaining("delay");
    try (EmbeddedCluster cluster = EmbeddedCluster.start()) {
      assertThatThrownBy(() -> cluster.stop("server-9")).hasMessageContaining("server-1, server-2");
      assertThatThrownBy(() -> cluster.connect("mars")).hasMessageContaining("mars");
    }
  }

  @Test
  void aClosedClusterHasNoClient() {
    EmbeddedCluster cluster = EmbeddedCluster.start();
    cluster.close();
    cluster.close();
    assertThatThrownBy(cluster::client).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.restart("server-1")).hasMessageContaining("closed");
  }

  private static void put(MortyClient client, long value) {
    Result<Long> result =
        client.run(
            txn -> {
              txn.put(A, value);
              return value;
            });
    assertThat(result.isCommitted()).isTrue();
  }

  private static Long get(MortyClient client) {
    return ((Result.Committed<Long>) client.<Long>run(txn -> txn.getOrDefault(A, 0L))).value();
  }
}
