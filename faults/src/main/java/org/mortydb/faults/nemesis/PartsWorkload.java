package org.mortydb.faults.nemesis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.DirectTransaction;

/**
 * Transactions whose parts each read or write one key, as Elle's: {@code [:r 3 nil]} or, for
 * instance, {@code [:append 3 1]}.
 */
abstract class PartsWorkload implements Workload {
  private static final int F = 0;
  private static final int KEY = 1;
  private static final int VALUE = 2;

  private final String write;

  /**
   * @param write the name of a part that writes
   */
  PartsWorkload(String write) {
    this.write = write;
  }

  /** Reads a key; returns its value in EDN. */
  abstract @Nullable Object read(DirectTransaction txn, long key);

  /** Writes a key. */
  abstract void write(DirectTransaction txn, long key, long value);

  /** A part that writes. */
  final List<@Nullable Object> writing(long key, long value) {
    return Values.part(write, key, value);
  }

  /** A request that reads keys. */
  static Request reading(String f, long from, long to) {
    List<List<@Nullable Object>> parts = new ArrayList<>();
    for (long key = from; key < to; key++) {
      parts.add(Values.part("r", key, null));
    }
    return new Request(f, parts);
  }

  /** Requests that read the keys from 0 on, so many in each. */
  static List<Request> readingAll(String f, long end, int count) {
    List<Request> requests = new ArrayList<>();
    for (long from = 0; from < end; from += count) {
      requests.add(reading(f, from, Math.min(end, from + count)));
    }
    return requests;
  }

  private static List<?> parts(Request request) {
    return (List<?>) Objects.requireNonNull(request.value());
  }

  @Override
  public boolean writes(Request request) {
    return parts(request).stream().anyMatch(part -> isWrite((List<?>) part));
  }

  private boolean isWrite(List<?> part) {
    return part.get(F).equals(Values.keyword(write));
  }

  @Override
  public @Nullable Object run(DirectTransaction txn, Request request) {
    List<@Nullable Object> done = new ArrayList<>();
    for (Object part : parts(request)) {
      done.add(run(txn, (List<?>) part));
    }
    return done;
  }

  private List<?> run(DirectTransaction txn, List<?> part) {
    long key = ((Number) part.get(KEY)).longValue();
    if (!isWrite(part)) {
      return Values.part("r", key, read(txn, key));
    }
    write(txn, key, ((Number) part.get(VALUE)).longValue());
    return part;
  }

  @Override
  public Reply runInPieces(Runner runner, Request request) {
    List<@Nullable Object> done = new ArrayList<>();
    for (Object part : parts(request)) {
      Reply reply = runner.run(txn -> run(txn, (List<?>) part));
      if (!reply.ok()) {
        return Reply.info("in-pieces");
      }
      done.add(reply.value());
    }
    return Reply.ok(done);
  }
}
