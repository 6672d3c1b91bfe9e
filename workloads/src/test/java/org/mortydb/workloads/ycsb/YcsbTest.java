package org.mortydb.workloads.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Value;
import org.mortydb.workloads.audit.Finding;
import org.mortydb.workloads.fixture.SerialRun;
import org.mortydb.workloads.ycsb.YcsbOperation.Kind;
import org.mortydb.workloads.ycsb.YcsbOptions.Popularity;

final class YcsbTest {
  private static YcsbOptions options(Mix mix) {
    return new YcsbOptions(mix, 500, 4, 20, Popularity.BY_MIX, 0.99, 10);
  }

  private static YcsbOperation[] draw(YcsbOptions options, AtomicInteger next, int transactions) {
    OperationGenerator generator = new OperationGenerator(options, new SplittableRandom(3), next);
    YcsbOperation[] all = new YcsbOperation[transactions * options.operations()];
    for (int i = 0; i < transactions; i++) {
      System.arraycopy(generator.next(), 0, all, i * options.operations(), options.operations());
    }
    return all;
  }

  @ParameterizedTest
  @EnumSource
  void everyMixHasItsShares(Mix mix) {
    AtomicInteger next = new AtomicInteger(500);
    YcsbOperation[] all = draw(options(mix), next, 20_000);
    int[] counts = new int[Kind.values().length];
    for (YcsbOperation operation : all) {
      counts[operation.kind().ordinal()]++;
      assertThat(operation.record()).isBetween(0, next.get() - 1);
      assertThat(operation.text()).hasSize(operation.kind().writes() ? 20 : 0);
      assertThat(operation.length()).isBetween(1, operation.kind() == Kind.SCAN ? 10 : 1);
    }
    int sum = 0;
    for (Kind kind : Kind.values()) {
      assertThat(100.0 * counts[kind.ordinal()] / all.length)
          .as(kind.name())
          .isCloseTo(mix.percent(kind), within(0.7));
      sum += mix.percent(kind);
    }
    assertThat(sum).isEqualTo(100);
    assertThat(next.get() - 500).isEqualTo(counts[Kind.INSERT.ordinal()]);
  }

  @Test
  void theLatestAreTheMostPopular() {
    YcsbOptions still = new YcsbOptions(Mix.C, 500, 1, 20, Popularity.LATEST, 0.99, 1);
    int[] counts = new int[500];
    for (YcsbOperation operation : draw(still, new AtomicInteger(500), 50_000)) {
      counts[operation.record()]++;
    }
    assertThat(counts[499]).isGreaterThan(counts[498]).isGreaterThan(5 * counts[480]);
    assertThat(counts[0]).isPositive();
  }

  @ParameterizedTest
  @EnumSource
  void theConditionsHold(Mix mix) {
    SerialRun run = new SerialRun(new Ycsb(options(mix)));
    run.fill();
    assertThat(run.client.values).hasSize(500);
    run.run(3, 500);
    assertThat(run.violated()).isEmpty();
    assertThat(run.findings()).hasSize(2).allMatch(finding -> finding.checked() == 1);
  }

  @Test
  void aLostRecordAndALostUpdateAreFound() {
    SerialRun run = new SerialRun(new Ycsb(options(Mix.F)));
    run.fill();
    Key[] keys = run.client.values.keySet().toArray(new Key[0]);
    java.util.Map<Key, Value> before = new java.util.HashMap<>(run.client.values);
    run.run(1, 50);
    Key changed =
        java.util.Arrays.stream(keys)
            .filter(key -> !run.client.values.get(key).equals(before.get(key)))
            .findFirst()
            .orElseThrow();
    run.client.values.put(changed, before.get(changed));
    assertThat(run.violated())
        .extracting(Finding::condition)
        .containsExactly("sum of counters = read-modify-writes");
    run.client.values.remove(keys[0].equals(changed) ? keys[1] : keys[0]);
    assertThat(run.violated())
        .extracting(Finding::condition)
        .contains("records = those filled + those inserted");
  }

  @Test
  void optionsOutOfTheirRangesAreRefused() {
    assertThatThrownBy(() -> new YcsbOptions(Mix.A, 0, 4, 20, Popularity.ZIPF, 0.9, 10))
        .hasMessageContaining("keys must be 1 to");
    assertThatThrownBy(() -> new YcsbOptions(Mix.A, 1, 1_000, 20, Popularity.ZIPF, 0.9, 1_000))
        .hasMessageContaining("operations times scanLength");
    assertThatThrownBy(() -> new YcsbOptions(Mix.A, 1, 1, 20, Popularity.ZIPF, -1, 1))
        .hasMessageContaining("zipf must be 0 to 4");
  }
}
