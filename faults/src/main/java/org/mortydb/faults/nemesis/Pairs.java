package org.mortydb.faults.nemesis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Codecs;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.Entry;
import org.mortydb.client.KeySpace;

/**
 * Adya's G2: of a pair of transactions both scan for rows of the pair in two tables, and insert one
 * if there are none. At most one may commit, though neither writes what the other has read.
 */
final class Pairs implements Workload {
  private static final KeySpace<String, Long> A = KeySpace.of("row-a", Codecs.STRING, Codecs.INT64);
  private static final KeySpace<String, Long> B = KeySpace.of("row-b", Codecs.STRING, Codecs.INT64);
  private static final int CHUNK = 200;
  private static final int MOST_ROWS = 2 * CHUNK;
  private static final String INSERT = "insert";

  /** Who has begun early and inserts late meets those that have looked meanwhile. */
  private static final long MOST_THOUGHT_NANOS = 20_000_000;

  private long nextId;

  @Override
  public Request next(RandomGenerator random) {
    long id = nextId++;
    return new Request(
        INSERT,
        Values.map("pair", id / 2, "table", Values.keyword(id % 2 == 0 ? "a" : "b"), "id", id));
  }

  @Override
  public List<Request> closing() {
    List<Request> requests = new ArrayList<>();
    for (long from = 0; from <= nextId / 2; from += CHUNK) {
      requests.add(new Request("rows", Values.map("from", from, "to", from + CHUNK)));
    }
    return requests;
  }

  @Override
  public boolean writes(Request request) {
    return request.f().equals(INSERT);
  }

  @Override
  public @Nullable Object run(DirectTransaction txn, Request request) {
    if (writes(request)) {
      look(txn, request);
      return insert(txn, request);
    }
    long from = Values.number(request.value(), "from");
    long to = Values.number(request.value(), "to");
    return Values.map(
        "from",
        from,
        "to",
        to,
        "rows",
        Values.map("a", rows(txn, A, from, to), "b", rows(txn, B, from, to)));
  }

  private static String bound(long pair) {
    return "%010d".formatted(pair);
  }

  private static List<Long> rows(
      DirectTransaction txn, KeySpace<String, Long> table, long from, long to) {
    return txn.scan(table.range(bound(from), bound(to)), MOST_ROWS).stream()
        .map(Entry::value)
        .toList();
  }

  private static @Nullable Object look(DirectTransaction txn, Request request) {
    long pair = Values.number(request.value(), "pair");
    if (!rows(txn, A, pair, pair + 1).isEmpty() || !rows(txn, B, pair, pair + 1).isEmpty()) {
      throw txn.abort();
    }
    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(MOST_THOUGHT_NANOS));
    return null;
  }

  private static @Nullable Object insert(DirectTransaction txn, Request request) {
    Object value = request.value();
    long id = Values.number(value, "id");
    boolean first = Values.get(value, "table").equals(Values.keyword("a"));
    txn.put((first ? A : B).key(bound(Values.number(value, "pair")) + "-" + id), id);
    return value;
  }

  @Override
  public Reply runInPieces(Runner runner, Request request) {
    if (!writes(request)) {
      return runner.run(txn -> run(txn, request));
    }
    Reply looked = runner.run(txn -> look(txn, request));
    return looked.ok() ? runner.run(txn -> insert(txn, request)) : looked;
  }
}
