package org.mortydb.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.mortydb.client.Client;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.TypedKey;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;

class MortyExtensionTest {
  private static final TypedKey<Long> KEY =
      KeySpace.of("test", Codecs.STRING, Codecs.INT64).key("key");

  private static EngineExecutionResults execute(Class<?> testClass) {
    return EngineTestKit.engine("junit-jupiter")
        .selectors(DiscoverySelectors.selectClass(testClass))
        .execute();
  }

  private static void assertAllSucceed(Class<?> testClass, int tests) {
    execute(testClass)
        .testEvents()
        .assertStatistics(statistics -> statistics.started(tests).succeeded(tests));
  }

  @Test
  void aClassHasOneClusterThatNestedClassesShare() {
    OneLine.clusters.clear();
    assertAllSucceed(OneLine.class, 4);
    assertThat(OneLine.clusters).hasSize(2);
    assertThat(OneLine.clusters)
        .as("closed at the end")
        .allSatisfy(cluster -> assertThat(refusesUse(cluster)).isTrue());
  }

  @Test
  void aTestCanHaveAClusterOfItsOwn() {
    assertAllSucceed(PerTest.class, 2);
  }

  @Test
  void theExtensionTakesOptions() {
    assertAllSucceed(Registered.class, 2);
  }

  @Test
  void saysWhyThereIsNoClusterYet() {
    execute(TooEarly.class)
        .containerEvents()
        .assertThatEvents()
        .haveExactly(1, event(finishedWithFailure(message(text -> text.contains("perTest")))));
  }

  @Test
  void saysHowItIsRegistered() {
    execute(NotStatic.class)
        .testEvents()
        .assertThatEvents()
        .haveExactly(
            1, event(finishedWithFailure(message(text -> text.contains("in a static field")))));
  }

  @Test
  void saysHowASettingIsWritten() {
    execute(WrongSetting.class)
        .containerEvents()
        .assertThatEvents()
        .haveExactly(1, event(finishedWithFailure(message(text -> text.contains("name = value")))));
  }

  private static boolean refusesUse(EmbeddedCluster cluster) {
    try {
      cluster.client();
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  private static long increment(Client client) {
    return (Long)
        ((org.mortydb.client.Result.Committed<?>)
                client.run(
                    txn -> {
                      long next = txn.getOrDefault(KEY, 0L) + 1;
                      txn.put(KEY, next);
                      return next;
                    }))
            .value();
  }

  // ---- what is executed; not found by surefire, because they are no top-level classes ------

  @MortyCluster(partitions = 2, settings = "cluster.name = shop")
  static class OneLine {
    static final Set<EmbeddedCluster> clusters = ConcurrentHashMap.newKeySet();

    OneLine(EmbeddedCluster cluster) {
      clusters.add(cluster);
    }

    @Test
    void first(Client client) {
      assertThat(increment(client)).isPositive();
    }

    @Test
    void second(MortyClient client, ClusterConfig config) {
      assertThat(increment(client)).isPositive();
      assertThat(config.partitions()).isEqualTo(2);
      assertThat(config.name()).isEqualTo("shop");
    }

    @Nested
    class Shared {
      @Test
      void third(EmbeddedCluster cluster) {
        assertThat(clusters).contains(cluster);
      }
    }

    @Nested
    @MortyCluster(f = 2, delayMillis = 1)
    class Own {
      @Test
      void fourth(EmbeddedCluster cluster) {
        assertThat(cluster.config().servers()).hasSize(5);
        assertThat(increment(cluster.client())).isEqualTo(1);
        clusters.add(cluster);
      }
    }
  }

  @MortyCluster(perTest = true)
  static class PerTest {
    @BeforeEach
    void isEmpty(Client client) {
      assertThat(increment(client)).isEqualTo(1);
    }

    @Test
    void first(Client client) {
      assertThat(increment(client)).isEqualTo(2);
    }

    @Test
    void second(Client client) {
      assertThat(increment(client)).isEqualTo(2);
    }
  }

  static class Registered {
    @RegisterExtension
    static final MortyExtension morty =
        new MortyExtension(EmbeddedOptions.DEFAULTS.withDelay(Duration.ofMillis(1)));

    @BeforeAll
    static void fill(Client client) {
      increment(client);
    }

    @Test
    void delayed(ClusterConfig config) {
      assertThat(config.delays().micros("region-1", "region-3")).isEqualTo(1_000);
    }

    @Nested
    class Inner {
      @Test
      void filled(Client client) {
        assertThat(increment(client)).isEqualTo(2);
      }
    }
  }

  @MortyCluster(perTest = true)
  static class TooEarly {
    @BeforeAll
    static void fill(Client client) {
      increment(client);
    }

    @Test
    void neverRuns() {}
  }

  static class NotStatic {
    @RegisterExtension final MortyExtension morty = new MortyExtension(EmbeddedOptions.DEFAULTS);

    @Test
    void neverRuns(Client client) {}
  }

  @MortyCluster(settings = "cluster.name")
  static class WrongSetting {
    @Test
    void neverRuns() {}
  }
}
