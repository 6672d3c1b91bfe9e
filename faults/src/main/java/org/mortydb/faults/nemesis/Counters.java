package org.mortydb.faults.nemesis;

import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Codecs;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.KeySpace;
import org.mortydb.client.TypedKey;

/**
 * A number that only grows, spread over several keys: a transaction reads them all and writes one
 * more than the highest into one of them.
 */
class Counters extends ReadThenWrite {
  private static final KeySpace<Long, Long> COUNTERS =
      KeySpace.of("counter", Codecs.INT64, Codecs.INT64);
  static final int COUNT = 8;
  private static final int LOOK_ONE_OF = 3;
  private static final Request LOOK = new Request("look", null);

  @Override
  public Request next(RandomGenerator random) {
    return random.nextInt(LOOK_ONE_OF) == 0
        ? LOOK
        : new Request("raise", Values.map("counter", (long) random.nextInt(COUNT)));
  }

  @Override
  public List<Request> closing() {
    return List.of(LOOK);
  }

  @Override
  public boolean writes(Request request) {
    return !request.f().equals(LOOK.f());
  }

  @Override
  @Nullable Object read(DirectTransaction txn, Request request) {
    return Values.map("saw", look(txn, request));
  }

  @Override
  List<Long> look(DirectTransaction txn, Request request) {
    List<TypedKey<Long>> keys = LongStream.range(0, COUNT).mapToObj(COUNTERS::key).toList();
    return txn.getAll(keys).stream().map(number -> number == null ? 0L : number).toList();
  }

  @Override
  @Nullable Object write(DirectTransaction txn, Request request, @Nullable Object seen) {
    long counter = Values.number(request.value(), "counter");
    long number = 0;
    for (Object saw : (List<?>) Objects.requireNonNull(seen)) {
      number = Math.max(number, (Long) saw);
    }
    number++;
    txn.put(COUNTERS.key(counter), number);
    return Values.map("counter", counter, "number", number, "saw", seen);
  }
}
