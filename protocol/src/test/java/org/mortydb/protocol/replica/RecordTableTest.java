package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

class RecordTableTest {
  private final RecordTable records = new RecordTable(RowLimits.DEFAULTS);

  private void add(long micros, int count) {
    for (int i = 0; i < count; i++) {
      records.add(new TxnRecord(new TxnId(micros, i, 0)));
    }
  }

  /** Goes through all records in parts, as a copy of the outcomes does. */
  private List<Integer> parts(int atLeast, TxnId end) {
    List<Integer> sizes = new ArrayList<>();
    for (TxnId from = TxnId.INITIAL; from.isBefore(end); ) {
      TxnId next = records.after(from, atLeast);
      assertThat(next).isGreaterThan(from);
      sizes.add(records.between(from, next).size());
      from = next;
    }
    return sizes;
  }

  @Test
  void partsWithAFullBucketEach() {
    add(1, 3);
    add(RecordTable.BUCKET_MICROS, 2);
    add(2 * RecordTable.BUCKET_MICROS, 1);
    assertThat(parts(2, new TxnId(1_000_000, 0, 0))).containsExactly(3, 2, 1);
  }

  @Test
  void partsOfSeveralBuckets() {
    for (int bucket = 0; bucket < 5; bucket++) {
      add(bucket * RecordTable.BUCKET_MICROS + 1, 2);
    }
    assertThat(parts(3, new TxnId(1_000_000, 0, 0))).containsExactly(4, 4, 2);
  }

  /** A transaction without an outcome takes so many bytes. */
  private static final int BYTES = new TxnRecord(new TxnId(1, 1, 0)).standingBytes();

  private static TxnId end(long micros) {
    return new TxnId(micros, Long.MAX_VALUE, 0);
  }

  @Test
  void aPlaceUpToWhichFewBytesAre() {
    long bucket = RecordTable.BUCKET_MICROS;
    add(bucket + 1, 3);
    add(bucket + 2, 3);
    add(bucket + 3, 1);
    add(2 * bucket + 5, 4);
    TxnId to = end(10 * bucket - 1);
    assertThat(records.upTo(TxnId.INITIAL, to, 11L * BYTES)).as("all of them").isEqualTo(to);
    assertThat(records.upTo(TxnId.INITIAL, to, 10L * BYTES))
        .as("whole buckets")
        .isEqualTo(end(2 * bucket - 1));
    assertThat(records.upTo(TxnId.INITIAL, to, 6L * BYTES))
        .as("a part of a bucket")
        .isEqualTo(end(bucket + 2));
    assertThat(records.upTo(TxnId.INITIAL, to, 1))
        .as("those of one microsecond at least")
        .isEqualTo(end(bucket + 1));
    assertThat(records.upTo(end(bucket + 1), to, 4L * BYTES))
        .as("those above the first place")
        .isEqualTo(end(2 * bucket - 1));
    assertThat(records.upTo(end(bucket), end(bucket + 1), 1))
        .as("not above the last place")
        .isEqualTo(end(bucket + 1));
    assertThat(records.upTo(to, end(bucket), 1)).as("nothing").isEqualTo(end(bucket));
  }

  // ---- rest ---------------------------------------------------------------------------------

  private static TxnId txn(SplittableRandom random) {
    return new TxnId(random.nextInt(1_000_000), random.nextInt(3) - 1, random.nextInt(5));
  }

  private static Key key(SplittableRandom random) {
    return Key.of("k".repeat(1 + random.nextInt(3)));
  }

  private static WriteId version(SplittableRandom random) {
    return random.nextInt(4) == 0 ? WriteId.INITIAL : new WriteId(txn(random), 1);
  }

  private static Value value(SplittableRandom random, int mostBytes) {
    return random.nextInt(4) == 0
        ? Value.ABSENT
        : Value.wrap(new byte[random.nextInt(mostBytes + 1)]);
  }

  private static ExecutionRecord execution(SplittableRandom random, int mostBytes) {
    List<Read> reads = new ArrayList<>();
    List<Write> writes = new ArrayList<>();
    List<KeyRange> ranges = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      reads.add(new Read(key(random), version(random)));
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      writes.add(new Write(key(random), 1 + random.nextInt(3), value(random, mostBytes)));
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      ranges.add(new KeyRange(key(random), random.nextBoolean() ? null : Key.of("z")));
    }
    KeyState[] readKeys =
        reads.stream().map(read -> new KeyState(read.key())).toArray(KeyState[]::new);
    KeyState[] writeKeys =
        writes.stream().map(write -> new KeyState(write.key())).toArray(KeyState[]::new);
    return new ExecutionRecord(
        random.nextInt(300),
        reads,
        ranges,
        writes,
        List.of(0, 300),
        false,
        false,
        -1,
        readKeys,
        writeKeys);
  }

  /** A transaction that is open, aborted, or committed and installed. */
  private static TxnRecord record(SplittableRandom random, TxnId id, int mostBytes) {
    TxnRecord txn = new TxnRecord(id);
    ExecutionRecord execution = execution(random, mostBytes);
    txn.raiseExecution(execution.number());
    switch (random.nextInt(4)) {
      case 0 -> txn.ask(execution);
      case 1 -> {
        txn.decide(Outcome.ABORT);
        txn.clear();
      }
      default -> {
        txn.ask(execution);
        txn.decide(Outcome.commit(execution.number(), execution.participants()));
        txn.install(execution);
        execution.release();
      }
    }
    return txn;
  }

  private static List<Object> stateOf(TxnRecord txn) {
    List<Object> state = new ArrayList<>();
    state.add(txn.id().toString());
    state.add(String.valueOf(txn.outcome()));
    state.add(txn.isInstalled());
    state.add(txn.execution());
    txn.copy(TxnId.INITIAL, state::add);
    return state;
  }

  private static List<List<Object>> statesOf(Collection<TxnRecord> txns) {
    return txns.stream().map(RecordTableTest::stateOf).toList();
  }

  private static List<List<Object>> before(RecordTable table, int mark) {
    List<List<Object>> states = new ArrayList<>();
    table.before(mark, txn -> states.add(stateOf(txn)));
    return states;
  }

  @Test
  void recordsAtRestTellWhatTheyTold() {
    for (int seed = 0; seed < 30; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      RecordTable resting = new RecordTable(RowLimits.DEFAULTS);
      TreeMap<TxnId, TxnRecord> model = new TreeMap<>();
      for (int step = 0; step < 100; step++) {
        TxnId from = txn(random);
        TxnId to = txn(random);
        switch (random.nextInt(12)) {
          case 0 -> {
            resting.removeUninstalled(from, txn -> assertThat(txn.isInstalled()).isFalse());
            model.headMap(from, true).values().removeIf(txn -> !txn.isInstalled());
          }
          case 1 -> {
            TxnId executions = from.isAfter(to) ? from : to;
            resting.removeUninstalled(executions, txn -> {});
            resting.forget(executions, from);
            model.headMap(executions, true).values().removeIf(txn -> !txn.isInstalled());
            model.headMap(executions, true).values().forEach(TxnRecord::forgetExecution);
            model.headMap(from, true).clear();
          }
          case 2 -> {
            if (model.get(from) == null) {
              TxnRecord removed = record(random, from, 10);
              resting.add(removed);
              resting.remove(removed);
            }
          }
          default -> {
            if (!model.containsKey(from)) {
              long seedOfOne = random.nextLong();
              TxnRecord txn = record(new SplittableRandom(seedOfOne), from, 3_000);
              resting.add(txn);
              model.put(from, record(new SplittableRandom(seedOfOne), from, 3_000));
              if (txn.isInstalled()) {
                resting.installed(txn);
              }
            }
          }
        }
        resting.rest();

        assertThat(resting.size()).isEqualTo(model.size());
        assertThat(statesOf(resting.between(from, to)))
            .hasSameElementsAs(
                statesOf(
                    to.isAfter(from) ? model.subMap(from, false, to, true).values() : List.of()));
        assertThat(statesOf(resting.above(from)))
            .hasSameElementsAs(statesOf(model.tailMap(from, false).values()));
        assertThat(before(resting, 1)).hasSameElementsAs(statesOf(model.values()));
        model.forEach(
            (id, txn) ->
                assertThat(Objects.requireNonNull(resting.get(id)))
                    .extracting(RecordTableTest::stateOf)
                    .isEqualTo(stateOf(txn)));
        assertThat(resting.get(new TxnId(2_000_000, 1, 0))).isNull();
      }
    }
  }

  @Test
  void onlyWhatIsInstalledAndShortComesToRest() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 1_000; i++) {
      TxnRecord txn = record(random, new TxnId(i, 0, 0), 9_000);
      records.add(txn);
      records.installed(txn);
      records.rest();
      ExecutionRecord latest = txn.latest();
      boolean isLong = latest != null && latest.mostBytes() > 8_000;
      if (!txn.isInstalled() || isLong) {
        assertThat(records.get(txn.id())).isSameAs(txn);
      } else {
        assertThat(records.get(txn.id())).isNotNull().isNotSameAs(txn);
      }
    }
    assertThat(records.awake()).hasSizeBetween(250, 600);
    records.removeUninstalled(new TxnId(1_000, 0, 0), txn -> {});
    records.forget(new TxnId(500, 0, 0), new TxnId(300, 0, 0));
    for (int i = 301; i <= 500; i++) {
      TxnRecord txn = records.get(new TxnId(i, 0, 0));
      assertThat(txn == null ? null : txn.latest()).isNull();
    }
    records.forget(new TxnId(1_000, 0, 0), new TxnId(1_000, 0, 0));
    assertThat(records.size()).isZero();
    assertThat(records.oldestMicros()).isEqualTo(Long.MAX_VALUE);
  }
}
