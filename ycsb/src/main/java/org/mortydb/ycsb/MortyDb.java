package org.mortydb.ycsb;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.Vector;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Client;
import org.mortydb.client.ClientClosedException;
import org.mortydb.client.LimitExceededException;
import org.mortydb.client.MalformedValueException;
import org.mortydb.client.NotAuthorizedException;
import org.mortydb.client.OverloadedException;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TransactionRefusedException;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * The binding of Morty for YCSB: {@code site.ycsb.Client -db org.mortydb.ycsb.MortyDb}. Each
 * operation is a transaction. A record is one value with all its fields. docs/reference/ycsb.md
 * explains the properties.
 *
 * <p>YCSB creates one for each thread; all share a client.
 */
public final class MortyDb extends DB {
  /** The transaction lost conflicts in all its attempts. */
  public static final Status ABORTED =
      new Status("ABORTED", "The transaction lost conflicts in all its attempts.");

  /** The transaction was not decided in time and had no effect. */
  public static final Status TIMEOUT =
      new Status("TIMEOUT", "The transaction was not decided in time, and was aborted.");

  /** The transaction was not decided in time, and its outcome is unknown. */
  public static final Status OUTCOME_UNKNOWN =
      new Status("OUTCOME_UNKNOWN", "The transaction may have committed or not.");

  private static final ThreadLocal<MortyDb> OF_THREAD = new ThreadLocal<>();
  private static final AtomicBoolean TOLD_ABOUT_SCANS = new AtomicBoolean();
  private static final AtomicBoolean TOLD_ABOUT_REFUSAL = new AtomicBoolean();

  private @Nullable SharedStore store;

  @Override
  public void init() throws DBException {
    store = SharedStore.open(getProperties());
    OF_THREAD.set(this);
  }

  @Override
  public void cleanup() {
    OF_THREAD.remove();
    if (store != null) {
      store.close();
      store = null;
    }
  }

  /**
   * The binding of the calling thread. Workloads need it for {@link #transact}, because YCSB hides
   * bindings behind a wrapper.
   *
   * @throws IllegalStateException if the run uses another binding
   */
  public static MortyDb ofThread() {
    MortyDb db = OF_THREAD.get();
    if (db == null) {
      throw new IllegalStateException(
          "transactions of several operations need -db " + MortyDb.class.getName());
    }
    return db;
  }

  private SharedStore store() {
    return Objects.requireNonNull(store, "init was not called");
  }

  // ---- transactions of several operations ---------------------------------------------------

  /**
   * The result of a transaction.
   *
   * @param status {@link Status#OK} if it committed
   * @param value the result of its body; null unless it committed
   */
  public record Outcome<R>(Status status, @Nullable R value) {}

  /**
   * Runs several operations as one transaction, and waits for its end. The body runs again after a
   * stale read, so it must not have outside effects.
   */
  public <R> Outcome<R> transact(Function<TransactionOperations, R> body) {
    return run(store().client().options(), body);
  }

  /** Runs several read operations as one transaction. */
  public <R> Outcome<R> query(Function<TransactionOperations, R> body) {
    return run(store().client().options().forReading(), body);
  }

  private <R> Outcome<R> run(TransactionOptions options, Function<TransactionOperations, R> body) {
    SharedStore of = store();
    Client client = of.client();
    try {
      return switch (client.<R>run(
          options, txn -> body.apply(new TransactionOperations(of, txn)))) {
        case Result.Committed<R>(R value, var info) -> new Outcome<>(Status.OK, value);
        case Result.AbortedByApplication<R> aborted -> new Outcome<>(ABORTED, null);
        case Result.AbortedByConflict<R>(var reason, var info) ->
            switch (reason) {
              case DEADLINE -> new Outcome<>(TIMEOUT, null);
              case NOT_SERVING -> new Outcome<>(Status.SERVICE_UNAVAILABLE, null);
              case NOT_AUTHORIZED -> new Outcome<>(Status.FORBIDDEN, null);
              default -> new Outcome<>(ABORTED, null);
            };
        case Result.OutcomeUnknown<R> unknown -> new Outcome<>(OUTCOME_UNKNOWN, null);
      };
    } catch (OverloadedException | ClientClosedException e) {
      return new Outcome<>(Status.SERVICE_UNAVAILABLE, null);
    } catch (NotAuthorizedException e) {
      return new Outcome<>(Status.FORBIDDEN, null);
    } catch (LimitExceededException | MalformedValueException | TransactionRefusedException e) {
      tellOnce(TOLD_ABOUT_REFUSAL, e);
      return new Outcome<>(Status.BAD_REQUEST, null);
    }
  }

  // ---- single operations --------------------------------------------------------------------

  @Override
  public Status read(
      String table,
      String key,
      @Nullable Set<String> fields,
      @Nullable Map<String, ByteIterator> result) {
    Outcome<Found> outcome = query(in -> new Found(in.read(table, key)));
    if (outcome.value == null) {
      return outcome.status;
    }
    if (outcome.value.fields == null) {
      return Status.NOT_FOUND;
    }
    if (result != null) {
      copy(outcome.value.fields, fields, result);
    }
    return Status.OK;
  }

  private record Found(@Nullable SortedMap<String, byte[]> fields) {}

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    Fields fields = fields(values);
    return transact(
            operations -> {
              operations.insert(table, key, fields);
              return true;
            })
        .status;
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    Fields fields = fields(values);
    return orNotFound(transact(operations -> operations.update(table, key, fields)));
  }

  @Override
  public Status delete(String table, String key) {
    return orNotFound(transact(operations -> operations.delete(table, key)));
  }

  /**
   * Reads records in the order of their keys, all at one point in time.
   *
   * @return {@link Status#NOT_IMPLEMENTED} if the cluster's system has no scans, {@link
   *     Status#BAD_REQUEST} for more than {@link TransactionOperations#MAX_SCANNED} records
   */
  @Override
  public Status scan(
      String table,
      String startkey,
      int recordcount,
      @Nullable Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    Outcome<List<SortedMap<String, byte[]>>> outcome;
    try {
      outcome = query(operations -> operations.scan(table, startkey, recordcount));
    } catch (UnsupportedOperationException e) {
      tellOnce(TOLD_ABOUT_SCANS, e);
      return Status.NOT_IMPLEMENTED;
    }
    if (outcome.value != null) {
      for (SortedMap<String, byte[]> record : outcome.value) {
        HashMap<String, ByteIterator> values = new HashMap<>();
        copy(record, fields, values);
        result.add(values);
      }
    }
    return outcome.status;
  }

  private static Status orNotFound(Outcome<Boolean> outcome) {
    return Boolean.FALSE.equals(outcome.value) ? Status.NOT_FOUND : outcome.status;
  }

  /** Prints a reason once, because YCSB only counts statuses. */
  private static void tellOnce(AtomicBoolean told, RuntimeException reason) {
    if (!told.getAndSet(true)) {
      System.err.println("morty: " + reason.getMessage());
    }
  }

  // ---- values -------------------------------------------------------------------------------

  /** Copies YCSB's values, which can be read only once, for re-executions. */
  private static Fields fields(Map<String, ByteIterator> values) {
    TreeMap<String, byte[]> fields = new TreeMap<>();
    values.forEach((name, value) -> fields.put(name, value.toArray()));
    return new Fields(fields);
  }

  private static void copy(
      SortedMap<String, byte[]> record,
      @Nullable Set<String> fields,
      Map<String, ByteIterator> result) {
    record.forEach(
        (name, value) -> {
          if (fields == null || fields.contains(name)) {
            result.put(name, new ByteArrayByteIterator(value));
          }
        });
  }
}
