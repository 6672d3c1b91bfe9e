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
 * Adya's G2: both transactions of a pair scan two tables for rows of the pair, and insert a row if
 * there is none. At most one may commit, although neither writes what the other has read.
 */
final class Pairs extends ReadThenWrite {
  private static final KeySpace<String, Long> A = KeySpace.of("row-a", Codecs.STRING, Codecs.INT64);
  private static final KeySpace<String, Long> B = KeySpace.of("row-b", Codecs.STRING, Codecs.INT64);
  private static final int CHUNK = 200;
  private static final int MOST_ROWS = 2 * CHUNK;
  private static final String INSERT = "insert";

  /** A transaction that inserts late meets others that have looked in the meantime. */
  private static final long LONGEST_PAUSE_NANOS = 20_000_000;

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
  @Nullable Object read(DirectTransaction txn, Request request) {
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

  @Override
  @Nullable Object look(DirectTransaction txn, Request request) {
    long pair = Values.number(request.value(), "pair");
    if (!rows(txn, A, pair, pair + 1).isEmpty() || !rows(txn, B, pair, pair + 1).isEmpty()) {
      throw txn.abort();
    }
    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS));
    return null;
  }

  @Override
  @Nullable Object write(DirectTransaction txn, Request request, @Nullable Object seen) {
    Object value = request.value();
    long id = Values.number(value, "id");
    boolean first = Values.get(value, "table").equals(Values.keyword("a"));
    txn.put((first ? A : B).key(bound(Values.number(value, "pair")) + "-" + id), id);
    return value;
  }
}
