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
 * Cassandra with Accord: a read is a read of one row, which Accord makes linearizable; the commit
 * is one Accord transaction that reads the versions of all that was read again, and writes if they
 * are the same. It answers what it has read, so a transaction that loses begins again with values
 * of one moment. A transaction that writes nothing is checked in the same way, unless it has read
 * one row.
 *
 * <p>Accord does not tell where in its order a transaction is. So that the history can be checked,
 * commits also read the version of what they overwrite without having read it; from these the order
 * is found later, see {@link VersionOrder}. Positions are numbers of transactions, nothing more.
 */
final class AccordStore implements VersionedStore {
  /** Rows that one transaction writes while the records are filled. */
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
   * @param session closed with the store
   * @param order is told of all transactions
   */
  AccordStore(CqlSession session, VersionOrder order) {
    this.session = session;
    this.statements = new Statements(session);
    this.order = order;
  }

  /** Ends the time in which transactions that only write are made in parts, one after the other. */
  void filled() {
    filling = false;
  }

  /** How often the driver reported which error, the fill included. */
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

  /** Writes rows that nobody else writes or reads yet, some of them at a time. */
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

  /** Rows that get the same again are as they were, so it can be tried again. */
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

  /** Tells what would be refused again from what may be tried again. */
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
      LOG.warn("the first error of this kind from Cassandra: {}", error.toString());
    }
    count.increment();
  }

  private static Map<Key, Long> versions(Map<Key, Versioned> reads) {
    Map<Key, Long> versions = new HashMap<>();
    reads.forEach((key, read) -> versions.put(key, read.version()));
    return versions;
  }

  /** The keys that were read, from the answer's first columns; none was there without a row. */
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
