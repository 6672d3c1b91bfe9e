package org.mortydb.check.anomaly;

import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrays;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.check.history.History;
import org.mortydb.check.history.Status;
import org.mortydb.check.history.ValueHash;
import org.mortydb.protocol.model.Outcome;

/**
 * A white-box check: the committed transactions must be serializable in the order of their ids.
 * Each committed read must have returned the newest committed write of its key below its reader,
 * with the same version id and the same value (invariants I3 and I4 of docs/protocol.md).
 *
 * <p>A transaction of unknown outcome counts as committed if a committed one read from it. Only
 * those of its writes that others read are known.
 *
 * <p>The check is one pass in timestamp order: linear time, and some 20 bytes per transaction and
 * key in addition to the history.
 */
public final class TimestampOrderChecker {
  private static final int NOBODY = -1;

  private final History history;
  private final TxnIndex index;
  private final Status[] status;
  private final Anomalies anomalies = new Anomalies();

  /** The first committed read of each known write of an unknown transaction. */
  private final Int2ObjectOpenHashMap<IntArrayList> inferredWrites = new Int2ObjectOpenHashMap<>();

  /** The newest committed write of each key so far: its writer, number and hash. */
  private final int[] lastWriter;

  private final int[] lastValueId;
  private final long[] lastHash;

  private TimestampOrderChecker(History history) {
    this.history = history;
    index = new TxnIndex(history);
    status = new Status[history.size()];
    lastWriter = new int[history.keys()];
    lastValueId = new int[history.keys()];
    lastHash = new long[history.keys()];
    Arrays.fill(lastWriter, NOBODY);
  }

  /** Checks a history without further outcomes. */
  public static Verdict check(History history) {
    return check(history, OutcomeSource.NONE);
  }

  /**
   * Checks a history.
   *
   * @param outcomes a source for unknown outcomes
   */
  public static Verdict check(History history, OutcomeSource outcomes) {
    return new TimestampOrderChecker(history).run(outcomes);
  }

  private Verdict run(OutcomeSource outcomes) {
    resolve(outcomes);
    inferWrites();
    int[] order = timestampOrder();
    long committed = 0;
    long reads = 0;
    for (int i = 0; i < order.length; i++) {
      int t = order[i];
      if (i > 0 && sameId(order[i - 1], t)) {
        anomalies.add(
            () -> anomaly(Kind.DUPLICATE_ID, "two transactions have the id " + history.txn(t), t));
      }
      if (status[t] == Status.COMMITTED) {
        committed++;
        for (int read = history.readsFrom(t); read < history.readsFrom(t + 1); read++) {
          checkRead(t, read);
          reads++;
        }
        install(t);
      } else if (inferredWrites.containsKey(t)) {
        committed++;
        installInferred(t);
      }
    }
    return anomalies.verdict(new Coverage(history.size(), committed, reads, 0, 0));
  }

  private void resolve(OutcomeSource outcomes) {
    for (int t = 0; t < status.length; t++) {
      status[t] = history.status(t);
      if (status[t] == Status.UNKNOWN) {
        Optional<Outcome> outcome = outcomes.outcomeOf(history.txn(t));
        if (outcome.isPresent() && outcome.get() instanceof Outcome.Abort) {
          status[t] = Status.ABORTED;
        }
      }
    }
  }

  /** Collects the reads of committed transactions from unknown ones. */
  private void inferWrites() {
    for (int t = 0; t < status.length; t++) {
      if (status[t] != Status.COMMITTED) {
        continue;
      }
      for (int read = history.readsFrom(t); read < history.readsFrom(t + 1); read++) {
        if (history.readValueId(read) == 0) {
          continue;
        }
        int writer = index.find(history.readWriterTime(read), history.readWriterClient(read));
        if (writer != NOBODY
            && status[writer] == Status.UNKNOWN
            && !wrote(writer, history.readKey(read))) {
          inferredWrites.computeIfAbsent(writer, _ -> new IntArrayList()).add(read);
        }
      }
    }
  }

  private int[] timestampOrder() {
    int n = history.size();
    int[] order = new int[n];
    long[] times = new long[n];
    long[] clients = new long[n];
    for (int t = 0; t < n; t++) {
      order[t] = t;
      times[t] = history.timeMicros(t);
      clients[t] = history.clientId(t);
    }
    LongArrays.radixSortIndirect(order, times, clients, true);
    return order;
  }

  private void install(int t) {
    for (int write = history.writesFrom(t); write < history.writesFrom(t + 1); write++) {
      set(history.writeKey(write), t, history.writeValueId(write), history.writeHash(write));
    }
  }

  private void installInferred(int t) {
    for (int read : inferredWrites.get(t)) {
      set(history.readKey(read), t, history.readValueId(read), history.readHash(read));
    }
  }

  private void set(int key, int writer, int valueId, long hash) {
    lastWriter[key] = writer;
    lastValueId[key] = valueId;
    lastHash[key] = hash;
  }

  private void checkRead(int t, int read) {
    int key = history.readKey(read);
    int last = lastWriter[key];
    if (history.readValueId(read) == 0) {
      if (history.readHash(read) != ValueHash.ABSENT) {
        report(Kind.WRONG_VALUE, t, read, NOBODY, "the initial version has no value");
      } else if (last != NOBODY && lastHash[key] != ValueHash.ABSENT) {
        reportMissedWrite(t, read, last);
      }
      return; // a deleted key is shown like one that was never written, once that was long ago
    }
    int writer = index.find(history.readWriterTime(read), history.readWriterClient(read));
    if (writer == NOBODY) {
      report(Kind.UNKNOWN_WRITER, t, read, NOBODY, "its writer is not in the history");
    } else if (!isBefore(writer, t)) {
      report(Kind.FUTURE_READ, t, read, writer, "its writer comes after the reader");
    } else if (status[writer] == Status.ABORTED) {
      report(Kind.ABORTED_READ, t, read, writer, "its writer aborted");
    } else if (writer != last && wrote(writer, key)) {
      reportMissedWrite(t, read, last);
    } else if (writer != last) {
      String text = "its writer committed without a write of this key";
      report(Kind.INTERMEDIATE_READ, t, read, writer, text);
    } else if (lastValueId[key] != history.readValueId(read)) {
      String text = "its writer committed " + lastVersion(key) + " instead";
      report(Kind.INTERMEDIATE_READ, t, read, writer, text);
    } else if (lastHash[key] != history.readHash(read)) {
      String text = "that version's value is " + history.showValue(lastHash[key]);
      report(Kind.WRONG_VALUE, t, read, writer, text);
    }
  }

  private boolean wrote(int writer, int key) {
    if (status[writer] == Status.UNKNOWN) {
      IntArrayList reads = inferredWrites.get(writer);
      return reads != null && reads.intStream().anyMatch(read -> history.readKey(read) == key);
    }
    for (int write = history.writesFrom(writer); write < history.writesFrom(writer + 1); write++) {
      if (history.writeKey(write) == key) {
        return true;
      }
    }
    return false;
  }

  private void reportMissedWrite(int t, int read, int last) {
    String text =
        "it should have read "
            + lastVersion(history.readKey(read))
            + ", the newest committed write below it";
    report(Kind.MISSED_WRITE, t, read, last, text);
  }

  private void report(Kind kind, int t, int read, int other, String text) {
    anomalies.add(
        () -> {
          String saw =
              history.txn(t)
                  + " (committed) read "
                  + history.key(history.readKey(read))
                  + " = "
                  + history.showValue(history.readHash(read))
                  + ", version "
                  + history.readVersion(read)
                  + "; "
                  + text;
          return other == NOBODY ? anomaly(kind, saw, t) : anomaly(kind, saw, t, other);
        });
  }

  private Anomaly anomaly(Kind kind, String text, int... transactions) {
    List<String> names =
        Arrays.stream(transactions).mapToObj(t -> history.txn(t).toString()).toList();
    return new Anomaly(kind, names, text);
  }

  private String lastVersion(int key) {
    return history.showValue(lastHash[key])
        + ", version "
        + history.txn(lastWriter[key])
        + "/"
        + lastValueId[key];
  }

  private boolean isBefore(int a, int b) {
    return history.timeMicros(a) < history.timeMicros(b)
        || (history.timeMicros(a) == history.timeMicros(b)
            && history.clientId(a) < history.clientId(b));
  }

  private boolean sameId(int a, int b) {
    return history.timeMicros(a) == history.timeMicros(b)
        && history.clientId(a) == history.clientId(b);
  }
}
