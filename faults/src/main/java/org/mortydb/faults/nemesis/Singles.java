package org.mortydb.faults.nemesis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Codecs;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.KeySpace;
import org.mortydb.client.TypedKey;

/**
 * Reads, writes and compare-and-set of single registers, few at a time. A new register replaces one
 * that was used often, so that the search for an order of its operations stays short.
 */
final class Singles extends ReadThenWrite {
  private static final KeySpace<Long, Long> SINGLES =
      KeySpace.of("single", Codecs.INT64, Codecs.INT64);
  private static final int REGISTERS = 3;
  private static final int MOST_OPERATIONS = 100;
  private static final int VALUES = 5;
  private static final int KINDS = 4;
  private static final String READ = "read";
  private static final String WRITE = "write";

  private final long[] ids = new long[REGISTERS];
  private final int[] operations = new int[REGISTERS];
  private long nextId;

  Singles() {
    for (int i = 0; i < REGISTERS; i++) {
      ids[i] = nextId++;
    }
  }

  private static List<@Nullable Object> pair(@Nullable Object first, @Nullable Object second) {
    List<@Nullable Object> pair = new ArrayList<>();
    pair.add(first);
    pair.add(second);
    return pair;
  }

  @Override
  public Request next(RandomGenerator random) {
    int place = random.nextInt(REGISTERS);
    long id = ids[place];
    operations[place]++;
    if (operations[place] == MOST_OPERATIONS) {
      ids[place] = nextId++;
      operations[place] = 0;
    }
    long value = random.nextInt(VALUES);
    return switch (random.nextInt(KINDS)) {
      case 0 -> read(id);
      case 1 -> new Request(WRITE, pair(id, value));
      default -> new Request("cas", pair(id, pair((long) random.nextInt(VALUES), value)));
    };
  }

  private static Request read(long id) {
    return new Request(READ, pair(id, null));
  }

  @Override
  public List<Request> closing() {
    List<Request> requests = new ArrayList<>();
    for (long id = 0; id < nextId; id++) {
      requests.add(read(id));
    }
    return requests;
  }

  @Override
  public boolean writes(Request request) {
    return !request.f().equals(READ);
  }

  private static List<?> list(@Nullable Object value) {
    return (List<?>) Objects.requireNonNull(value);
  }

  private static TypedKey<Long> key(Request request) {
    return SINGLES.key((Long) list(request.value()).getFirst());
  }

  @Override
  @Nullable Object read(DirectTransaction txn, Request request) {
    return pair(list(request.value()).getFirst(), txn.get(key(request)));
  }

  /** Aborts a compare-and-set whose register holds another value. */
  @Override
  @Nullable Object look(DirectTransaction txn, Request request) {
    Object value = list(request.value()).getLast();
    if (value instanceof List<?> cas && !cas.getFirst().equals(txn.get(key(request)))) {
      throw txn.abort();
    }
    return null;
  }

  @Override
  @Nullable Object write(DirectTransaction txn, Request request, @Nullable Object seen) {
    Object value = list(request.value()).getLast();
    txn.put(key(request), (Long) (value instanceof List<?> cas ? cas.getLast() : value));
    return request.value();
  }
}
