package org.mortydb.cli.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.check.journal.HistoryLog;
import org.mortydb.check.journal.ReplayVerdict;
import org.mortydb.check.journal.SerialReplay;
import org.mortydb.client.Client;
import org.mortydb.client.Codecs;
import org.mortydb.client.DirectBody;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.Entry;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TransactionInfo;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.model.TxnId;

/** Sessions of the check, on stores in memory that keep their promise or break it. */
final class ProbeSessionTest {
  private static final int RECORDS = 6;
  private static final KeySpace<Long, Probe> KEYS =
      KeySpace.of("probes", Codecs.INT64, Probe.CODEC);

  /** How the transaction with a number ends. */
  private enum End {
    COMMITTED,
    ABORTED,
    UNKNOWN_AND_COMMITTED,
    UNKNOWN_AND_ABORTED,
    /** The store says that the transaction committed, and has lost its writes. */
    LOST
  }

  private static ReplayVerdict check(End unusual) throws Exception {
    MapStore store = new MapStore(number -> number % 7 == 3, unusual);
    try (HistoryFolder folder = new HistoryFolder()) {
      HistoryLog log = folder.newLog();
      SplittableRandom random = new SplittableRandom(1);
      Tally tally = new Tally();
      List<ProbeSession> sessions = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        sessions.add(new ProbeSession(i, store, KEYS, log, tally, random));
      }
      for (int i = 0; i < 300; i++) {
        sessions.get(i % 3).run(Plan.draw(RECORDS, random), () -> true);
      }
      assertThat(sessions.getFirst().run(Plan.deleteAll(RECORDS), () -> true)).isTrue();
      assertThat(store.values).isEmpty();
      assertThat(log.size()).isEqualTo(tally.committed.sum() + tally.unknown.sum());
      assertThat(tally.aborted.sum() > 0).isEqualTo(unusual == End.ABORTED);
      assertThat(tally.unknown.sum() > 0)
          .isEqualTo(unusual == End.UNKNOWN_AND_COMMITTED || unusual == End.UNKNOWN_AND_ABORTED);
      return SerialReplay.check(folder.closeLogs(), RECORDS, Long::toString);
    }
  }

  @Test
  void whatAStoreMayDoIsSerializable() throws Exception {
    for (End end : List.of(End.COMMITTED, End.ABORTED)) {
      assertThat(check(end).violations()).as(end.name()).isZero();
    }
    for (End end : List.of(End.UNKNOWN_AND_COMMITTED, End.UNKNOWN_AND_ABORTED)) {
      ReplayVerdict verdict = check(end);
      assertThat(verdict.violations()).as(end.name()).isZero();
      assertThat(verdict.unknown()).isPositive();
    }
  }

  @Test
  void lostWritesAreFound() throws Exception {
    assertThat(check(End.LOST).violations()).isPositive();
  }

  /** A store of one thread. */
  private static final class MapStore implements Client {
    private final Map<TypedKey<?>, Object> values = new HashMap<>();
    private final Predicate<Integer> isUnusual;
    private final End unusual;
    private int number;

    MapStore(Predicate<Integer> isUnusual, End unusual) {
      this.isUnusual = isUnusual;
      this.unusual = unusual;
    }

    @Override
    public <R extends @Nullable Object> Result<R> run(
        TransactionOptions options, DirectBody<R> body) {
      TransactionInfo info = new TransactionInfo(new TxnId(++number, 1, 0), 1, 0, null, 1);
      MapTransaction txn = new MapTransaction(new HashMap<>(values));
      R value = body.run(txn);
      End end = isUnusual.test(number) ? unusual : End.COMMITTED;
      if (end == End.COMMITTED || end == End.UNKNOWN_AND_COMMITTED) {
        values.clear();
        values.putAll(txn.values);
      }
      return switch (end) {
        case COMMITTED, LOST -> new Result.Committed<>(value, info);
        case ABORTED -> new Result.AbortedByConflict<>(AbortReason.CONFLICT, info);
        case UNKNOWN_AND_COMMITTED, UNKNOWN_AND_ABORTED -> new Result.OutcomeUnknown<>(info);
      };
    }

    @Override
    public <R extends @Nullable Object> Result<R> run(DirectBody<R> body) {
      return run(options(), body);
    }

    @Override
    public <S> CompletableFuture<Result<S>> execute(S initialState, TransactionBody<S> body) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <S> CompletableFuture<Result<S>> execute(
        S initialState, TransactionOptions options, TransactionBody<S> body) {
      throw new UnsupportedOperationException();
    }

    @Override
    public TransactionOptions options() {
      return TransactionOptions.DEFAULTS;
    }

    @Override
    public void close() {}
  }

  private record MapTransaction(Map<TypedKey<?>, Object> values) implements DirectTransaction {
    @Override
    public int attempt() {
      return 1;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <V> @Nullable V get(TypedKey<V> key) {
      return (V) values.get(key);
    }

    @Override
    public <V> List<@Nullable V> getAll(List<? extends TypedKey<? extends V>> keys) {
      List<@Nullable V> found = new ArrayList<>();
      keys.forEach(key -> found.add(get(key)));
      return found;
    }

    @Override
    public <V> void put(TypedKey<V> key, V value) {
      values.put(key, value);
    }

    @Override
    public void delete(TypedKey<?> key) {
      values.remove(key);
    }

    @Override
    public <K, V> List<Entry<K, V>> scan(TypedRange<K, V> range, int limit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <V> PendingRead<V> getAsync(TypedKey<V> key) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Error abort() {
      throw new UnsupportedOperationException();
    }
  }
}
