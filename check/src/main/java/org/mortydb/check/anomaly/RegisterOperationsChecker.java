package org.mortydb.check.anomaly;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.check.history.ClientTransaction;
import org.mortydb.check.history.HistoryRecorder;
import org.mortydb.check.history.RegisterOperation;
import org.mortydb.check.history.Status;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * A black-box check of register histories with all operations in program order. It checks each
 * transaction against itself, looks for intermediate values, and passes the rest to {@link
 * RegisterChecker}.
 */
public final class RegisterOperationsChecker {
  private final List<ClientTransaction<RegisterOperation>> transactions;
  private final Anomalies anomalies = new Anomalies();

  /** The transactions that overwrote their own value, by key and value. */
  private final Map<String, Map<String, ClientTransaction<RegisterOperation>>> overwritten =
      new TreeMap<>();

  /** The values that transactions which did not abort wrote last, by key. */
  private final Map<String, Set<String>> writtenLast = new TreeMap<>();

  private final List<String> names = new ArrayList<>();
  private final HistoryRecorder recorder = new HistoryRecorder();

  private RegisterOperationsChecker(List<ClientTransaction<RegisterOperation>> transactions) {
    this.transactions = transactions;
  }

  /** Checks a history. */
  public static Verdict check(
      List<ClientTransaction<RegisterOperation>> transactions, Order order) {
    return new RegisterOperationsChecker(transactions).run(order);
  }

  private Verdict run(Order order) {
    transactions.forEach(this::noteOverwritten);
    transactions.forEach(this::replay);
    return RegisterChecker.check(recorder.finish(), order, anomalies, names::get);
  }

  private void noteOverwritten(ClientTransaction<RegisterOperation> t) {
    Map<String, String> last = new TreeMap<>();
    for (RegisterOperation operation : t.operations()) {
      if (operation instanceof RegisterOperation.WriteValue(String key, String value)) {
        String before = last.put(key, value);
        if (before != null && !before.equals(value)) {
          overwritten.computeIfAbsent(key, _ -> new TreeMap<>()).put(before, t);
        }
      }
    }
    last.forEach(
        (key, value) -> {
          overwritten.getOrDefault(key, new TreeMap<>()).remove(value, t);
          if (t.status() != Status.ABORTED) {
            writtenLast.computeIfAbsent(key, _ -> new TreeSet<>()).add(value);
          }
        });
  }

  private void replay(ClientTransaction<RegisterOperation> t) {
    Map<String, String> written = new LinkedHashMap<>();
    Map<String, @Nullable String> expected = new TreeMap<>();
    List<VersionedValue> reads = new ArrayList<>();
    for (RegisterOperation operation : t.operations()) {
      switch (operation) {
        case RegisterOperation.WriteValue(String key, String value) -> {
          written.put(key, value);
          expected.put(key, value);
        }
        case RegisterOperation.ReadValue(String key, @Nullable String value) -> {
          if (t.status() != Status.COMMITTED) {
            continue;
          }
          if (!expected.containsKey(key)) {
            expected.put(key, value);
            addRead(t, key, value, reads);
          } else if (!Objects.equals(expected.get(key), value)) {
            reportInternal(t, key, value, expected.get(key));
          }
        }
      }
    }
    if (t.status() == Status.UNKNOWN && written.isEmpty()) {
      return; // Recorded without writes, it would count as a writer of any value.
    }
    List<Write> writes = new ArrayList<>();
    written.forEach((key, value) -> writes.add(new Write(Key.of(key), 1, Value.of(value))));
    names.add(t.name());
    recorder.record(
        t.session(),
        t.beginMicros(),
        t.endMicros(),
        new TxnId(names.size(), 1, 0),
        t.status(),
        reads,
        writes);
  }

  private void addRead(
      ClientTransaction<RegisterOperation> t,
      String key,
      @Nullable String value,
      List<VersionedValue> reads) {
    ClientTransaction<RegisterOperation> writer = overwriterOf(key, value);
    if (writer != null && !writer.equals(t)) {
      boolean aborted = writer.status() == Status.ABORTED;
      anomalies.add(
          aborted ? Kind.ABORTED_READ : Kind.INTERMEDIATE_READ,
          List.of(t.name(), writer.name()),
          () ->
              "%s read %s = '%s', which %s overwrote itself%s"
                  .formatted(
                      t.name(), key, value, writer.name(), aborted ? " before it aborted" : ""));
      return;
    }
    Value read = value == null ? Value.ABSENT : Value.of(value);
    reads.add(new VersionedValue(Key.of(key), WriteId.INITIAL, read, true));
  }

  /** The transaction that overwrote its own value, unless others left that value. */
  private @Nullable ClientTransaction<RegisterOperation> overwriterOf(
      String key, @Nullable String value) {
    Set<String> left = writtenLast.get(key);
    Map<String, ClientTransaction<RegisterOperation>> known = overwritten.get(key);
    return value == null || known == null || (left != null && left.contains(value))
        ? null
        : known.get(value);
  }

  private void reportInternal(
      ClientTransaction<RegisterOperation> t,
      String key,
      @Nullable String value,
      @Nullable String expected) {
    anomalies.add(
        Kind.INTERNAL,
        List.of(t.name()),
        () ->
            "%s read %s = %s, but had read or written %s before"
                .formatted(t.name(), key, value, expected));
  }
}
