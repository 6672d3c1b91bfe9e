package org.mortydb.check.anomaly;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrays;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.check.anomaly.DependencyGraph.Dependency;
import org.mortydb.check.history.History;
import org.mortydb.check.history.Status;
import org.mortydb.check.history.ValueHash;
import org.mortydb.protocol.model.Outcome;

/**
 * A white-box check of systems whose serial order, if there is one, is not that of the positions.
 * The versions of a key are in the order of the positions of their writers. So all dependencies
 * between committed transactions are known.
 *
 * <p>The check has two parts:
 *
 * <ul>
 *   <li>Snapshot isolation. Some place in the order of commits must lie behind every version that a
 *       transaction has read or replaced, and before every version that follows one it has read.
 *   <li>Serializability. The dependencies must have no cycle. A cycle has its name after Adya.
 * </ul>
 *
 * <p>{@link Verdict#satisfies} tells which of them a history has passed. The check takes linear
 * time while there is no cycle. Versions of transactions whose outcome is unknown, and reads of
 * keys that were deleted, are in no order: they count as skipped.
 */
public final class VersionOrderChecker {
  private static final int NONE = -1;

  /** The version of a read before any write. */
  private static final int INITIAL = -2;

  private final History history;
  private final TxnIndex index;
  private final Status[] status;
  private final DependencyGraph graph;
  private final Anomalies anomalies = new Anomalies();

  /** The place of each transaction in the order of positions. */
  private final int[] place;

  /** The committed writes of each key, in order. */
  private final IntArrayList[] versions;

  /** The index of each committed write among those of its key. */
  private final int[] rank;

  private final int[] writerOfWrite;

  /** The keys that a committed transaction has deleted. */
  private final BitSet deleted = new BitSet();

  private long checked;
  private long skipped;

  private VersionOrderChecker(History history) {
    this.history = history;
    index = new TxnIndex(history);
    status = new Status[history.size()];
    graph = new DependencyGraph(history.size());
    place = new int[history.size()];
    versions = new IntArrayList[history.keys()];
    Arrays.setAll(versions, _ -> new IntArrayList(2));
    rank = new int[history.writes()];
    writerOfWrite = new int[history.writes()];
  }

  /**
   * Checks a history.
   *
   * @param outcomes a source for unknown outcomes
   */
  public static Verdict check(History history, OutcomeSource outcomes) {
    return new VersionOrderChecker(history).run(outcomes);
  }

  private Verdict run(OutcomeSource outcomes) {
    for (int t = 0; t < status.length; t++) {
      status[t] = history.status(t);
      if (status[t] == Status.UNKNOWN
          && outcomes.outcomeOf(history.txn(t)).orElse(null) instanceof Outcome.Abort) {
        status[t] = Status.ABORTED;
      }
    }
    int[] order = positionOrder();
    int[] committed = IntStream.of(order).filter(t -> status[t] == Status.COMMITTED).toArray();
    for (int t : committed) {
      install(t);
    }
    for (int t : committed) {
      check(t);
    }
    CycleReport.addCycles(graph, anomalies, this::name, this::explain);
    return anomalies.verdict(
        new Coverage(history.size(), committed.length, checked, skipped, graph.edges()));
  }

  private int[] positionOrder() {
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
    for (int i = 0; i < n; i++) {
      int t = order[i];
      place[t] = i;
      boolean isDuplicate =
          i > 0 && times[t] == times[order[i - 1]] && clients[t] == clients[order[i - 1]];
      if (isDuplicate) {
        anomalies.add(
            Kind.DUPLICATE_ID, List.of(name(t)), () -> "two transactions have the id " + name(t));
      }
    }
    return order;
  }

  private void install(int t) {
    for (int write = history.writesFrom(t); write < history.writesFrom(t + 1); write++) {
      writerOfWrite[write] = t;
      if (history.writeHash(write) == ValueHash.ABSENT) {
        deleted.set(history.writeKey(write));
      }
      IntArrayList all = versions[history.writeKey(write)];
      int last = all.isEmpty() ? NONE : all.getInt(all.size() - 1);
      if (last != NONE && writerOfWrite[last] == t) {
        all.set(all.size() - 1, write); // a transaction leaves its last write of a key
      } else {
        all.add(write);
      }
      rank[write] = all.size() - 1;
    }
  }

  private void check(int t) {
    int latest = NONE; // the place of the last commit that a snapshot must show
    int first = place[t]; // the place of the first commit that it must not show
    for (int write = history.writesFrom(t); write < history.writesFrom(t + 1); write++) {
      if (rank[write] > 0) {
        int before = versions[history.writeKey(write)].getInt(rank[write] - 1);
        graph.add(writerOfWrite[before], t, Dependency.WW, history.writeKey(write), before);
        latest = Math.max(latest, place[writerOfWrite[before]]);
      }
    }
    for (int read = history.readsFrom(t); read < history.readsFrom(t + 1); read++) {
      int version = resolve(t, read);
      if (version == NONE) {
        skipped++;
        continue;
      }
      checked++;
      int key = history.readKey(read);
      if (version != INITIAL) {
        graph.add(writerOfWrite[version], t, Dependency.WR, key, version);
        latest = Math.max(latest, place[writerOfWrite[version]]);
      }
      int next = version == INITIAL ? 0 : rank[version] + 1;
      if (next < versions[key].size()) {
        int replacement = versions[key].getInt(next);
        int writer = writerOfWrite[replacement];
        graph.add(t, writer, Dependency.RW, key, replacement);
        if (writer != t) {
          first = Math.min(first, place[writer]);
          checkUpdate(t, key, writer);
        }
      }
    }
    if (latest >= first) {
      int sees = latest;
      int misses = first;
      anomalies.add(
          Kind.NO_SNAPSHOT,
          List.of(name(t)),
          () ->
              "%s has read or replaced a version of the commit %d in the order, and has not seen"
                      .formatted(name(t), sees)
                  + " the commit "
                  + misses);
    }
  }

  /** The key of a read was replaced by another transaction. The reader must not write it then. */
  private void checkUpdate(int t, int key, int writer) {
    for (int write = history.writesFrom(t); write < history.writesFrom(t + 1); write++) {
      if (history.writeKey(write) == key && place[writer] < place[t]) {
        anomalies.add(
            Kind.LOST_UPDATE,
            List.of(name(t), name(writer)),
            () ->
                "%s read and wrote %s, and did not see that %s wrote it in between"
                    .formatted(name(t), history.key(key), name(writer)));
        return;
      }
    }
  }

  /** The write whose version was read, {@link #INITIAL}, or {@link #NONE} if that is not known. */
  private int resolve(int t, int read) {
    int key = history.readKey(read);
    if (history.readValueId(read) == 0) {
      if (history.readHash(read) != ValueHash.ABSENT) {
        report(Kind.WRONG_VALUE, t, read, "the initial version has no value");
        return NONE;
      }
      // A deleted key is shown like one that was never written, once that was long ago.
      return deleted.get(key) ? NONE : INITIAL;
    }
    int writer = index.find(history.readWriterTime(read), history.readWriterClient(read));
    if (writer == NONE) {
      report(Kind.UNKNOWN_WRITER, t, read, "its writer is not in the history");
      return NONE;
    }
    if (status[writer] == Status.UNKNOWN) {
      return NONE;
    }
    if (status[writer] == Status.ABORTED) {
      report(Kind.ABORTED_READ, t, read, "its writer aborted");
      return NONE;
    }
    int version = NONE;
    for (int write = history.writesFrom(writer); write < history.writesFrom(writer + 1); write++) {
      if (history.writeKey(write) == key) {
        version = write;
      }
    }
    if (version == NONE || history.writeValueId(version) != history.readValueId(read)) {
      report(Kind.INTERMEDIATE_READ, t, read, "its writer committed another version, or none");
      return NONE;
    }
    if (history.writeHash(version) != history.readHash(read)) {
      report(
          Kind.WRONG_VALUE,
          t,
          read,
          "that version's value is " + history.showValue(history.writeHash(version)));
      return NONE;
    }
    return version;
  }

  private void report(Kind kind, int t, int read, String text) {
    anomalies.add(
        kind,
        List.of(name(t)),
        () ->
            "%s read %s = %s, version %s: %s"
                .formatted(
                    name(t),
                    history.key(history.readKey(read)),
                    history.showValue(history.readHash(read)),
                    history.readVersion(read),
                    text));
  }

  private String name(int t) {
    return history.txn(t).toString();
  }

  private String explain(int edge, String from, String to) {
    String key = history.key(graph.key(edge)).toString();
    return switch (graph.dependency(edge)) {
      case WW -> from + " wrote " + key + ", which " + to + " replaced";
      case WR -> from + " wrote " + key + ", which " + to + " read";
      case RW -> from + " read " + key + ", which " + to + " replaced";
      case ORDER, REST -> from + " comes before " + to;
    };
  }
}
