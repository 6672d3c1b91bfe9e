package org.mortydb.peers.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.mortydb.peers.cassandra.Statements.Shape;
import org.mortydb.peers.occ.UnusableException;
import org.mortydb.peers.occ.Versioned;
import org.mortydb.peers.occ.VersionedStore;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cassandra with Accord. A read of one row is linearizable. The commit is one Accord transaction
 * that reads all versions again, and writes if they are unchanged. It returns these reads, so a
 * transaction that loses continues with values of one point in time. A transaction without writes
 * is checked in the same way, unless it has read only one row.
 *
 * <p>Accord does not reveal the serial position of a transaction. For the check of the history,
 * commits also read the versions that they overwrite blindly. {@link VersionOrder} derives the
 * order from all versions. Positions are only numbers of transactions.
 */
final class AccordStore implements VersionedStore {
  /** The rows of a transaction that fills records. */
  private static final int AT_ONCE = 25;

  private static final int FILL_TRIES = 10;

  private static final Logger LOG = LoggerFactory.getLogger(AccordStore.class);

  private final CqlSession session;
  private final Statements statements;
  private final VersionOrder order;
  private final AtomicLong numbers = new AtomicLong();
  private final AtomicLong moments = new AtomicLong();
  private final Map<String, LongAdder> errors = new ConcurrentHashMap<>();
  private volatile boolean filling = true;

  /**
   * @param session the session, closed with the store
   * @param order receives all transactions
   */
  AccordStore(CqlSession session, VersionOrder order) {
    this.session = session;
    this.statements = new Statements(session);
    this.order = order;
  }

  /** Ends the filling, in which transactions that only write run in parts. */
  void filled() {
    filling = false;
  }

  /** The number of errors of the driver by kind, including the filling. */
  Map<String, Long> errors() {
    Map<String, Long> counts = new TreeMap<>();
    errors.forEach((error, count) -> counts.put(error, count.sum()));
    return counts;
  }

  @Override
  public CompletableFuture<Found> read(List<Key> keys, long moment) {
    if (keys.size() == 1) {
      return execute(statements.read().bind(bytes(keys.getFirst())))
          .thenApply(
              rows -> {
                Row row = rows.one();
                Versioned found = row == null ? Versioned.NOTHING : versioned(row, 0);
                return new Found(List.of(found), moments.incrementAndGet());
              });
    }
    return prepared(new Shape(Collections.nCopies(keys.size(), true), 0, List.of()))
        .thenCompose(
            statement -> execute(statement.bind(keys.stream().map(AccordStore::bytes).toArray())))
        .thenApply(
            rows -> new Found(versioned(keys.size(), rows.one()), moments.incrementAndGet()));
  }

  @Override
  public CompletableFuture<Answer> commit(Map<Key, Versioned> reads, Map<Key, Value> writes) {
    if (filling && reads.isEmpty()) {
      return fill(writes);
    }
    long number = numbers.incrementAndGet();
    List<Key> read = List.copyOf(reads.keySet());
    List<Key> blind = writes.keySet().stream().filter(key -> !reads.containsKey(key)).toList();
    List<Boolean> found = reads.values().stream().map(r -> !r.value().isAbsent()).toList();
    List<Boolean> deleted = writes.values().stream().map(Value::isAbsent).toList();
    List<@Nullable Object> values = new ArrayList<>();
    read.forEach(key -> values.add(bytes(key)));
    blind.forEach(key -> values.add(bytes(key)));
    if (!writes.isEmpty()) {
      for (Versioned one : reads.values()) {
        if (!one.value().isAbsent()) {
          values.add(one.version());
        }
      }
    }
    writes.forEach((key, value) -> addWrite(values, key, value, number));
    return prepared(new Shape(found, blind.size(), deleted))
        .thenCompose(statement -> execute(statement.bind(values.toArray())))
        .thenApply(rows -> answer(number, reads, blind, writes, rows.one()))
        .exceptionallyCompose(failure -> noAnswer(failure, number, reads, writes));
  }

  private static void addWrite(List<@Nullable Object> values, Key key, Value value, long number) {
    if (!value.isAbsent()) {
      values.add(ByteBuffer.wrap(value.bytes()));
      values.add(number);
    }
    values.add(bytes(key));
  }

  private Answer answer(
      long number,
      Map<Key, Versioned> reads,
      List<Key> blind,
      Map<Key, Value> writes,
      @Nullable Row row) {
    List<Versioned> now = versioned(reads.size(), row);
    Map<Key, Versioned> current = new LinkedHashMap<>();
    boolean same = true;
    int i = 0;
    for (Map.Entry<Key, Versioned> read : reads.entrySet()) {
      Versioned found = now.get(i++);
      same &= found.version() == read.getValue().version();
      current.put(read.getKey(), found);
    }
    if (!same) {
      return new Answer.Conflict(current, moments.incrementAndGet());
    }
    Map<Key, Long> overwritten = new HashMap<>();
    for (Key key : writes.keySet()) {
      Versioned before = current.get(key);
      int column = 2 * reads.size() + blind.indexOf(key);
      overwritten.put(key, before != null ? before.version() : version(row, column));
    }
    order.add(number, true, versions(reads), overwritten);
    return new Answer.Committed(new TxnId(number, 0, 0));
  }

  private CompletableFuture<Answer> noAnswer(
      Throwable failure, long number, Map<Key, Versioned> reads, Map<Key, Value> writes) {
    if (writes.isEmpty() || isUnusable(failure)) {
      return CompletableFuture.failedFuture(failure);
    }
    Map<Key, Long> overwritten = new HashMap<>();
    for (Key key : writes.keySet()) {
      Versioned read = reads.get(key);
      overwritten.put(key, read != null ? read.version() : VersionOrder.NOT_KNOWN);
    }
    order.add(number, false, versions(reads), overwritten);
    return CompletableFuture.completedFuture(new Answer.Unknown(new TxnId(number, 0, 0)));
  }

  private static boolean isUnusable(Throwable failure) {
    return failure instanceof UnusableException || failure.getCause() instanceof UnusableException;
  }

  /** Writes rows in parts. No other transaction accesses them yet. */
  private CompletableFuture<Answer> fill(Map<Key, Value> writes) {
    long number = numbers.incrementAndGet();
    List<Map.Entry<Key, Value>> rows = List.copyOf(writes.entrySet());
    CompletableFuture<?> done = CompletableFuture.completedFuture(null);
    for (int first = 0; first < rows.size(); first += AT_ONCE) {
      List<Map.Entry<Key, Value>> part =
          rows.subList(first, Math.min(first + AT_ONCE, rows.size()));
      done = done.thenCompose(before -> fillPart(part, number, FILL_TRIES));
    }
    return done.thenApply(
        all -> {
          Map<Key, Long> overwritten = new HashMap<>();
          writes.keySet().forEach(key -> overwritten.put(key, 0L));
          order.add(number, true, Map.of(), overwritten);
          return new Answer.Committed(new TxnId(number, 0, 0));
        });
  }

  /** Writes a part of the rows. A retry writes the same values again. */
  private CompletableFuture<AsyncResultSet> fillPart(
      List<Map.Entry<Key, Value>> rows, long number, int tries) {
    List<@Nullable Object> values = new ArrayList<>();
    rows.forEach(row -> addWrite(values, row.getKey(), row.getValue(), number));
    return prepared(new Shape(List.of(), 0, Collections.nCopies(rows.size(), false)))
        .thenCompose(statement -> execute(statement.bind(values.toArray())))
        .exceptionallyCompose(
            failure ->
                tries <= 1 || isUnusable(failure)
                    ? CompletableFuture.failedFuture(failure)
                    : fillPart(rows, number, tries - 1));
  }

  @Override
  public TxnId readAt(long moment, Map<Key, Versioned> reads) {
    long number = numbers.incrementAndGet();
    order.add(number, true, versions(reads), Map.of());
    return new TxnId(number, 0, 0);
  }

  @Override
  public TxnId newName() {
    return new TxnId(numbers.incrementAndGet(), 0, 0);
  }

  private CompletableFuture<PreparedStatement> prepared(Shape shape) {
    return usable(statements.commit(shape));
  }

  private CompletableFuture<AsyncResultSet> execute(BoundStatement statement) {
    return usable(session.executeAsync(statement));
  }

  /** Distinguishes permanent refusals from failures that allow a retry. */
  private <T> CompletableFuture<T> usable(CompletionStage<T> stage) {
    return stage
        .toCompletableFuture()
        .exceptionallyCompose(
            failure -> {
              Throwable cause =
                  failure instanceof CompletionException && failure.getCause() != null
                      ? failure.getCause()
                      : failure;
              count(cause);
              return CompletableFuture.failedFuture(
                  cause instanceof QueryValidationException
                      ? new UnusableException("Cassandra refuses: " + cause.getMessage(), cause)
                      : cause);
            });
  }

  private void count(Throwable error) {
    LongAdder count =
        errors.computeIfAbsent(error.getClass().getSimpleName(), name -> new LongAdder());
    if (count.sum() == 0) {
      LOG.warn("first error of this kind from Cassandra: {}", error.toString());
    }
    count.increment();
  }

  private static Map<Key, Long> versions(Map<Key, Versioned> reads) {
    Map<Key, Long> versions = new HashMap<>();
    reads.forEach((key, read) -> versions.put(key, read.version()));
    return versions;
  }

  /** The values of the reads, from the answer's first columns; all absent without a row. */
  private static List<Versioned> versioned(int keys, @Nullable Row row) {
    List<Versioned> found = new ArrayList<>(keys);
    for (int i = 0; i < keys; i++) {
      found.add(row == null ? Versioned.NOTHING : versioned(row, 2 * i));
    }
    return found;
  }

  private static Versioned versioned(Row row, int column) {
    ByteBuffer value = row.getByteBuffer(column + 1);
    if (value == null || row.isNull(column)) {
      return Versioned.NOTHING;
    }
    byte[] bytes = new byte[value.remaining()];
    value.get(bytes);
    return new Versioned(Value.wrap(bytes), row.getLong(column));
  }

  private static long version(@Nullable Row row, int column) {
    return row == null || row.isNull(column) ? 0 : row.getLong(column);
  }

  private static ByteBuffer bytes(Key key) {
    return ByteBuffer.wrap(key.bytes());
  }

  @Override
  public void close() {
    session.close();
  }
}
