package org.mortydb.peers.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.mortydb.client.Codecs;
import org.mortydb.peers.cassandra.OneShotTransfer.Move;
import org.mortydb.peers.occ.UnusableException;
import org.mortydb.peers.occ.Versioned;
import org.mortydb.peers.occ.VersionedStore;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;

/** Executes the commands of {@link OneShotTransfer}, without conflicts. */
final class OneShotTransferStore implements VersionedStore {
  static final String TABLE = "morty.account";

  /** The accounts that a transaction opens. */
  private static final int AT_ONCE = 25;

  private static final int OPEN_TRIES = 10;

  private final CqlSession session;
  private final PreparedStatement move;
  private final PreparedStatement balance;
  private final AtomicLong numbers = new AtomicLong();

  OneShotTransferStore(CqlSession session) {
    this.session = session;
    this.move =
        session.prepare(
            """
            BEGIN TRANSACTION
            LET payer = (SELECT balance FROM %1$s WHERE id = ?);
            SELECT payer.balance;
            IF payer.balance >= ? THEN
            UPDATE %1$s SET balance -= ? WHERE id = ?;
            UPDATE %1$s SET balance += ? WHERE id = ?;
            END IF
            COMMIT TRANSACTION\
            """
                .formatted(TABLE));
    this.balance = session.prepare("SELECT balance FROM " + TABLE + " WHERE id = ?");
  }

  /** The balance of an account. Blocks. */
  long balance(long account) {
    Row row = session.execute(balance.bind(account)).one();
    return Objects.requireNonNull(row, () -> "no account " + account).getLong(0);
  }

  @Override
  public CompletableFuture<Found> read(List<Key> keys, long moment) {
    throw new UnsupportedOperationException("one-shot transfers have no reads");
  }

  @Override
  public CompletableFuture<Answer> commit(Map<Key, Versioned> reads, Map<Key, Value> writes) {
    TxnId name = newName();
    Map.Entry<Key, Value> first = writes.entrySet().iterator().next();
    if (!OneShotTransfer.isMove(first.getKey())) {
      return open(writes).thenApply(all -> new Answer.Committed(name));
    }
    Move command = OneShotTransfer.move(first.getValue().bytes());
    BoundStatement statement =
        move.bind(
            command.from(),
            command.amount(),
            command.amount(),
            command.from(),
            command.amount(),
            command.to());
    return session
        .executeAsync(statement)
        .toCompletableFuture()
        .<Answer>thenApply(rows -> new Answer.Committed(name))
        .exceptionallyCompose(
            failure ->
                failure instanceof QueryValidationException
                        || failure.getCause() instanceof QueryValidationException
                    ? CompletableFuture.failedFuture(
                        new UnusableException("Cassandra refuses: " + failure, failure))
                    : CompletableFuture.completedFuture(new Answer.Unknown(name)));
  }

  /** Inserts accounts in parts. */
  private CompletableFuture<?> open(Map<Key, Value> writes) {
    List<Map.Entry<Key, Value>> rows = List.copyOf(writes.entrySet());
    CompletableFuture<?> done = CompletableFuture.completedFuture(null);
    for (int first = 0; first < rows.size(); first += AT_ONCE) {
      List<Map.Entry<Key, Value>> part =
          rows.subList(first, Math.min(first + AT_ONCE, rows.size()));
      done = done.thenCompose(before -> openPart(part, OPEN_TRIES));
    }
    return done;
  }

  /** Inserts a part of the accounts. A retry inserts the same values again. */
  private CompletableFuture<?> openPart(List<Map.Entry<Key, Value>> rows, int tries) {
    String statement =
        "BEGIN TRANSACTION\n"
            + ("INSERT INTO " + TABLE + " (id, balance) VALUES (?, ?);\n").repeat(rows.size())
            + "COMMIT TRANSACTION";
    List<Object> values = new ArrayList<>();
    for (Map.Entry<Key, Value> row : rows) {
      values.add(OneShotTransfer.account(row.getKey()));
      values.add(Codecs.INT64.decode(row.getValue().bytes()));
    }
    // The driver caches prepared statements.
    CompletableFuture<?> opened =
        session
            .prepareAsync(statement)
            .thenCompose(prepared -> session.executeAsync(prepared.bind(values.toArray())))
            .toCompletableFuture();
    return tries <= 1
        ? opened
        : opened
            .<Object>thenApply(rowSet -> rowSet)
            .exceptionallyCompose(failure -> openPart(rows, tries - 1).thenApply(all -> all));
  }

  @Override
  public TxnId readAt(long moment, Map<Key, Versioned> reads) {
    return newName();
  }

  @Override
  public TxnId newName() {
    return new TxnId(numbers.incrementAndGet(), 0, 0);
  }

  @Override
  public void close() {
    session.close();
  }
}
