package org.mortydb.workloads.retwis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mortydb.check.journal.ObservedRead;
import org.mortydb.check.journal.Stamp;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Result;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Value;
import org.mortydb.workloads.fixture.SerialClient;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.load.Workload.Planned;
import org.mortydb.workloads.load.Workload.Source;

final class RetwisByKeyTest {
  private static final int KEYS = 1_000;

  private final SerialClient store = new SerialClient();
  private int sequence;

  private Trace run(Planned planned) {
    Result<Trace> result = store.runToEnd(Trace.of(new Stamp(1, ++sequence)), planned.body());
    return ((Result.Committed<Trace>) result).value();
  }

  private void fill(Workload retwis) {
    int transactions = 0;
    for (int part = 0; part < 3; part++) {
      Source source = retwis.initialTransactions(new SplittableRandom(part), part, 3);
      for (Planned planned = source.next(); planned != null; planned = source.next()) {
        run(planned);
        transactions++;
      }
    }
    assertThat(transactions).isEqualTo(retwis.initialTransactionCount());
  }

  private static Planned next(Source source) {
    Planned planned = source.next();
    assertThat(planned).isNotNull();
    return planned;
  }

  @Test
  void fillsEveryKeyOnce() {
    RetwisByKey retwis = new RetwisByKey(KEYS, 0);
    fill(retwis);
    assertThat(retwis.records()).isEqualTo(KEYS);
    assertThat(store.values).hasSize(KEYS);
    assertThat(store.writes).as("in the last transaction").hasSizeLessThanOrEqualTo(300);
    HashSet<String> names = new HashSet<>();
    for (int record = 0; record < KEYS; record++) {
      assertThat(store.values).containsKey(RetwisByKey.keyOf(record));
      names.add(retwis.recordName(record));
    }
    assertThat(names).hasSize(KEYS);
  }

  @Test
  void mixAndReadsAndWritesAreThoseOfThePapers() {
    RetwisByKey retwis = new RetwisByKey(KEYS, 1.2);
    fill(retwis);
    int draws = 50_000;
    int[] counts = new int[RetwisTransactionType.values().length];
    HashSet<Integer> lengths = new HashSet<>();
    Source source = retwis.source(0, new SplittableRandom(8));
    for (int i = 0; i < draws; i++) {
      Planned planned = next(source);
      Trace trace = run(planned);
      counts[planned.type()]++;
      String size = store.reads.size() + "r" + store.writes.size() + "w";
      boolean timeline = planned.type() == RetwisTransactionType.GET_TIMELINE.ordinal();
      assertThat(planned.readOnly()).isEqualTo(timeline);
      switch (RetwisTransactionType.values()[planned.type()]) {
        case ADD_USER -> assertThat(size).isEqualTo("1r3w");
        case FOLLOW -> assertThat(size).isEqualTo("2r2w");
        case POST_TWEET -> assertThat(size).isEqualTo("3r5w");
        case GET_TIMELINE -> lengths.add(store.reads.size());
      }
      assertThat(new HashSet<>(store.reads)).as("no key twice").hasSize(store.reads.size());
      assertThat(new HashSet<>(store.writes)).as("no key twice").hasSize(store.writes.size());
      int at = store.reads.size();
      for (@Nullable ObservedRead r = trace.lastRead(); r != null; r = r.previous()) {
        assertThat(RetwisByKey.keyOf(r.record())).isEqualTo(store.reads.get(--at));
      }
      assertThat(at).isZero();
    }
    assertThat(lengths).hasSize(10).contains(1, 10);
    for (RetwisTransactionType type : RetwisTransactionType.values()) {
      double share = 100.0 * counts[type.ordinal()] / draws;
      assertThat(share).as(type.label()).isCloseTo(type.percent(), within(0.8));
    }
  }

  @Test
  void popularityBelongsToSingleKeys() {
    RetwisByKey retwis = new RetwisByKey(KEYS, 0.9);
    Source source = retwis.source(0, new SplittableRandom(3));
    Map<Key, Integer> uses = new HashMap<>();
    int all = 20_000;
    for (int i = 0; i < all; i++) {
      Planned planned = next(source);
      run(planned);
      uses.merge(store.reads.getFirst(), 1, Integer::sum); // the others must differ from it
    }
    double sum = 0;
    for (int rank = 1; rank <= KEYS; rank++) {
      sum += Math.pow(rank, -0.9);
    }
    double most = uses.values().stream().mapToInt(n -> n).max().orElseThrow();
    assertThat(most / all).isCloseTo(1 / sum, within(0.01));
    assertThat(uses.size()).isGreaterThan(KEYS * 3 / 4);
  }

  @Test
  void whatIsWrittenDependsOnWhatIsRead() {
    RetwisByKey retwis = new RetwisByKey(12, 0);
    fill(retwis);
    Map<Key, Value> before = Map.copyOf(store.values);
    Source source = retwis.source(0, new SplittableRandom(1));
    for (int i = 0; i < 2_000; i++) {
      run(next(source));
    }
    assertThat(store.values).hasSize(12);
    store.values.forEach((key, value) -> assertThat(value).isNotEqualTo(before.get(key)));
  }

  @Test
  void tooFewKeysAndABadExponentAreRefused() {
    assertThatThrownBy(() -> new RetwisByKey(11, 0)).hasMessageContaining("keys must be 12 to");
    assertThatThrownBy(() -> new RetwisByKey(100, -1)).hasMessageContaining("zipf must be 0");
  }
}
