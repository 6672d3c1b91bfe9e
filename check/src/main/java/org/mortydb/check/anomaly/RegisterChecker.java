package org.mortydb.check.anomaly;

import it.unimi.dsi.fastutil.HashCommon;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.check.anomaly.DependencyGraph.Dependency;
import org.mortydb.check.history.History;
import org.mortydb.check.history.Status;
import org.mortydb.check.history.ValueHash;

/**
 * A black-box check of reads and writes. It uses keys and values only, and no ids, timestamps or
 * versions.
 *
 * <p>A value that only one transaction wrote to a key identifies its writer. A transaction that
 * read a key and wrote it replaced exactly the value it read, which orders the writes. So with
 * unique values and without blind writes the order of versions is known. A blind write comes after
 * the versions that are known to follow the unwritten key without a gap, and after their readers;
 * nothing else is known of it. Reads of values with several writers, and absent reads of keys that
 * were ever deleted, count as skipped.
 */
public final class RegisterChecker {
  private static final int NONE = -1;

  /** The version of a read about which nothing can be inferred. */
  private static final int UNCLEAR = -2;

  /** The version of a read before any write. */
  private static final int INITIAL = -3;

  private final History history;
  private final Anomalies anomalies;
  private final IntFunction<String> names;
  private final DependencyGraph graph;
  private final int[] writerOfWrite;

  /**
   * The only write of a value to a key by a transaction that did not abort; {@link #UNCLEAR} if
   * there are several. A write of an unknown transaction took effect if a transaction has read it.
   */
  private final Long2IntOpenHashMap writeOf = new Long2IntOpenHashMap();

  /** The same for aborted transactions. */
  private final Long2IntOpenHashMap abortedWriteOf = new Long2IntOpenHashMap();

  /** The transaction that read and replaced the value of each write. */
  private final int[] successor;

  /** The transaction that read each key unwritten and wrote it. */
  private final int[] firstWriter;

  /** The keys that a committed or unknown transaction deleted. */
  private final BitSet deleted = new BitSet();

  /** The writes that a transaction has read. */
  private final BitSet seen = new BitSet();

  private final int[] versionRead;

  /** Whether an unknown transaction has unknown writes. */
  private boolean contentUnknown;

  private long checked;
  private long skipped;

  private RegisterChecker(History history, Anomalies anomalies, IntFunction<String> names) {
    this.history = history;
    this.anomalies = anomalies;
    this.names = names;
    graph = new DependencyGraph(history.size());
    writerOfWrite = new int[history.writes()];
    successor = new int[history.writes()];
    firstWriter = new int[history.keys()];
    versionRead = new int[history.reads()];
    Arrays.fill(successor, NONE);
    Arrays.fill(firstWriter, NONE);
    writeOf.defaultReturnValue(NONE);
    abortedWriteOf.defaultReturnValue(NONE);
  }

  /** Checks a history for plain serializability. */
  public static Verdict check(History history) {
    return check(history, Order.NONE);
  }

  /** Checks a history. */
  public static Verdict check(History history, Order order) {
    return check(history, order, new Anomalies(), t -> history.txn(t).toString());
  }

  /**
   * Checks a history with anomalies that are already known.
   *
   * @param names the names of the transactions by index
   */
  static Verdict check(History history, Order order, Anomalies known, IntFunction<String> names) {
    return new RegisterChecker(history, known, names).run(order);
  }

  private Verdict run(Order order) {
    int[] committed =
        IntStream.range(0, history.size())
            .filter(t -> history.status(t) == Status.COMMITTED)
            .toArray();
    for (int t = 0; t < history.size(); t++) {
      registerWrites(t);
    }
    for (int t : committed) {
      resolveReads(t);
    }
    for (int t : committed) {
      addReplacements(t);
    }
    addBlindWrites(committed);
    for (int t : committed) {
      addAntiDependencies(t);
    }
    OrderEdges.add(
        graph, order, committed, history::session, history::beginMicros, history::endMicros);
    CycleReport.addCycles(graph, anomalies, this::name, this::explain);
    return anomalies.verdict(
        new Coverage(history.size(), committed.length, checked, skipped, graph.edges()));
  }

  private void registerWrites(int t) {
    Status status = history.status(t);
    contentUnknown |=
        status == Status.UNKNOWN && history.writesFrom(t) == history.writesFrom(t + 1);
    for (int write = history.writesFrom(t); write < history.writesFrom(t + 1); write++) {
      writerOfWrite[write] = t;
      int key = history.writeKey(write);
      long hash = history.writeHash(write);
      if (status == Status.ABORTED) {
        abortedWriteOf.put(pair(key, hash), write);
      } else if (hash == ValueHash.ABSENT) {
        deleted.set(key);
      } else {
        int other = writeOf.put(pair(key, hash), write);
        if (other != NONE && (other == UNCLEAR || writerOfWrite[other] != t)) {
          writeOf.put(pair(key, hash), UNCLEAR);
        }
      }
    }
  }

  private void resolveReads(int t) {
    for (int read = history.readsFrom(t); read < history.readsFrom(t + 1); read++) {
      int version = resolve(t, read);
      versionRead[read] = version;
      if (version == UNCLEAR) {
        skipped++;
      } else {
        checked++;
        if (version != INITIAL) {
          seen.set(version);
          graph.add(writerOfWrite[version], t, Dependency.WR, history.readKey(read), version);
        }
      }
      checkRepeated(t, read);
    }
  }

  private int resolve(int t, int read) {
    int key = history.readKey(read);
    long hash = history.readHash(read);
    if (hash == ValueHash.ABSENT) {
      // A transaction with unknown writes may have deleted the key.
      return deleted.get(key) || contentUnknown ? UNCLEAR : INITIAL;
    }
    int write = writeOf.get(pair(key, hash));
    if (write >= 0 && writerOfWrite[write] == t) {
      // It wrote the same value that it had read. The earlier writer aborted or is unknown.
      write = NONE;
    }
    if (write != NONE) {
      return write;
    }
    int aborted = abortedWriteOf.get(pair(key, hash));
    if (aborted != NONE) {
      int writer = writerOfWrite[aborted];
      anomalies.add(
          Kind.ABORTED_READ,
          List.of(name(t), name(writer)),
          () -> saw(t, read) + ", which " + name(writer) + " wrote and which aborted");
    } else if (!contentUnknown) {
      anomalies.add(
          Kind.UNKNOWN_WRITER,
          List.of(name(t)),
          () -> saw(t, read) + ", which no committed transaction wrote");
    }
    return UNCLEAR;
  }

  private void checkRepeated(int t, int read) {
    for (int other = history.readsFrom(t); other < read; other++) {
      if (history.readKey(other) == history.readKey(read)
          && history.readHash(other) != history.readHash(read)) {
        int earlier = other;
        anomalies.add(
            Kind.INTERNAL,
            List.of(name(t)),
            () -> saw(t, read) + ", after " + history.showValue(history.readHash(earlier)));
        return;
      }
    }
  }

  /** A transaction that read and wrote a key directly follows the version that it read. */
  private void addReplacements(int t) {
    for (int write = history.writesFrom(t); write < history.writesFrom(t + 1); write++) {
      int read = readOf(t, history.writeKey(write));
      if (read == NONE || versionRead[read] == UNCLEAR) {
        continue;
      }
      int version = versionRead[read];
      int key = history.readKey(read);
      int other = version == INITIAL ? firstWriter[key] : successor[version];
      if (other == NONE) {
        if (version == INITIAL) {
          firstWriter[key] = t;
        } else {
          successor[version] = t;
          graph.add(writerOfWrite[version], t, Dependency.WW, key, version);
        }
      } else if (other != t) {
        anomalies.add(
            Kind.LOST_UPDATE,
            List.of(name(t), name(other)),
            () -> saw(t, read) + " and replaced it, as " + name(other) + " did");
      }
    }
  }

  private int readOf(int t, int key) {
    for (int read = history.readsFrom(t); read < history.readsFrom(t + 1); read++) {
      if (history.readKey(read) == key) {
        return read;
      }
    }
    return NONE;
  }

  /**
   * The last version of a key's known beginning. Each of its versions was read and replaced by the
   * writer of the next one, so no blind write lies between them.
   */
  private int endOfBeginning(int key) {
    int version = INITIAL;
    for (int next = firstWriter[key]; next != NONE; next = successor[version]) {
      version = writeBy(next, key);
    }
    return version;
  }

  private int writeBy(int t, int key) {
    int write = history.writesFrom(t + 1) - 1;
    while (history.writeKey(write) != key) {
      write--;
    }
    return write;
  }

  /**
   * The writer of the last version of a key's beginning, and the readers of that version, come
   * before all blind writers of the key, through a helper per key.
   */
  private void addBlindWrites(int[] committed) {
    int[] helper = new int[history.keys()];
    int[] end = new int[history.keys()];
    Arrays.fill(helper, NONE);
    for (int key = 0; key < history.keys(); key++) {
      end[key] = endOfBeginning(key);
      if (end[key] != INITIAL) {
        helper[key] = graph.addHelper();
        graph.add(writerOfWrite[end[key]], helper[key], Dependency.WW, key, end[key]);
      }
    }
    for (int t : committed) {
      for (int read = history.readsFrom(t); read < history.readsFrom(t + 1); read++) {
        int key = history.readKey(read);
        if (versionRead[read] == end[key]) {
          if (helper[key] == NONE) {
            helper[key] = graph.addHelper();
          }
          graph.add(t, helper[key], Dependency.RW, key, end[key]);
        }
      }
    }
    for (int t = 0; t < history.size(); t++) {
      for (int write = history.writesFrom(t); write < history.writesFrom(t + 1); write++) {
        int key = history.writeKey(write);
        boolean happened = history.status(t) == Status.COMMITTED || seen.get(write);
        if (happened && helper[key] != NONE && readOf(t, key) == NONE) {
          graph.add(helper[key], t, Dependency.REST, key, write);
        }
      }
    }
  }

  private void addAntiDependencies(int t) {
    for (int read = history.readsFrom(t); read < history.readsFrom(t + 1); read++) {
      int version = versionRead[read];
      int key = history.readKey(read);
      if (version == UNCLEAR) {
        continue;
      }
      int next = version == INITIAL ? firstWriter[key] : successor[version];
      if (next != NONE) {
        graph.add(t, next, Dependency.RW, key, version);
      }
    }
  }

  private String name(int t) {
    return names.apply(t);
  }

  private String saw(int t, int read) {
    return name(t)
        + " read "
        + history.key(history.readKey(read))
        + " = "
        + history.showValue(history.readHash(read));
  }

  private String explain(int edge, String first, String second) {
    int version = graph.detail(edge);
    String value =
        history.key(graph.key(edge))
            + " = "
            + (version < 0 ? "absent" : history.showValue(history.writeHash(version)));
    return switch (graph.dependency(edge)) {
      case WW ->
          isToBlindWrites(edge)
              ? first + " wrote " + value + ", before " + second + " wrote without reading"
              : first + " wrote " + value + ", which " + second + " read and replaced";
      case WR -> first + " wrote " + value + ", which " + second + " read";
      case RW -> first + " read " + value + ", which " + second + " replaced";
      case ORDER, REST -> first + " comes before " + second;
    };
  }

  private boolean isToBlindWrites(int edge) {
    return graph.to(edge) >= graph.transactions();
  }

  private static long pair(int key, long hash) {
    return HashCommon.mix(hash + key * 0x9E3779B97F4A7C15L);
  }
}
