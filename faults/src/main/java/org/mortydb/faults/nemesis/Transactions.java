package org.mortydb.faults.nemesis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.DirectTransaction;

/**
 * Transactions of one to four parts that read and write, over a few keys at a time; a key that was
 * written often makes way for a new one. As Elle's generators do.
 */
abstract class Transactions implements Workload {
  private static final int KEYS = 6;
  private static final int MOST_PARTS = 4;
  private static final int MOST_WRITES = 24;
  private static final int CLOSING_READS = 8;
  private static final int F = 0;
  private static final int KEY = 1;
  private static final int VALUE = 2;

  private final String write;
  private final long[] keys = new long[KEYS];
  private final int[] writes = new int[KEYS];
  private long nextKey;

  /**
   * @param write the name of a part that writes
   */
  Transactions(String write) {
    this.write = write;
    for (int i = 0; i < KEYS; i++) {
      keys[i] = nextKey++;
    }
  }

  /** What a key holds, as a value of EDN. */
  abstract @Nullable Object read(DirectTransaction txn, long key);

  /** Writes a key. */
  abstract void write(DirectTransaction txn, long key, long value);

  @Override
  public Request next(RandomGenerator random) {
    List<List<@Nullable Object>> parts = new ArrayList<>();
    int count = 1 + random.nextInt(MOST_PARTS);
    for (int i = 0; i < count; i++) {
      // Every key is half as popular as the one before it.
      int place = Math.min(KEYS - 1, Integer.numberOfTrailingZeros(random.nextInt() | 1 << KEYS));
      if (random.nextBoolean()) {
        parts.add(Values.part("r", keys[place], null));
      } else {
        parts.add(Values.part(write, keys[place], (long) ++writes[place]));
        if (writes[place] == MOST_WRITES) {
          keys[place] = nextKey++;
          writes[place] = 0;
        }
      }
    }
    return new Request("txn", parts);
  }

  @Override
  public List<Request> closing() {
    List<Request> requests = new ArrayList<>();
    for (long from = 0; from < nextKey; from += CLOSING_READS) {
      List<List<@Nullable Object>> parts = new ArrayList<>();
      for (long key = from; key < Math.min(nextKey, from + CLOSING_READS); key++) {
        parts.add(Values.part("r", key, null));
      }
      requests.add(new Request("txn", parts));
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
