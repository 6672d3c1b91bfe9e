package org.mortydb.faults.nemesis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Codecs;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.KeySpace;
import org.mortydb.client.TypedKey;

/**
 * A number that only grows, spread over several keys: a transaction reads them all and writes one
 * more than the highest into one of them.
 */
final class Counters implements Workload {
  private static final KeySpace<Long, Long> COUNTERS =
      KeySpace.of("counter", Codecs.INT64, Codecs.INT64);
  private static final int COUNT = 8;
  private static final int LOOK_ONE_OF = 3;
  private static final Request LOOK = new Request("look", null);

  private static TypedKey<Long> counter(long counter) {
    return COUNTERS.key(counter);
  }

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
  public @Nullable Object run(DirectTransaction txn, Request request) {
    List<Long> saw = numbers(txn);
    return writes(request) ? raise(txn, request, saw) : Values.map("saw", saw);
  }

  private static List<Long> numbers(DirectTransaction txn) {
    List<TypedKey<Long>> keys = new ArrayList<>();
    for (int counter = 0; counter < COUNT; counter++) {
      keys.add(counter(counter));
    }
    List<Long> numbers = new ArrayList<>();
    for (Long number : txn.getAll(keys)) {
      numbers.add(number == null ? 0 : number);
    }
    return numbers;
  }

  private static Map<Object, @Nullable Object> raise(
      DirectTransaction txn, Request request, List<Long> saw) {
    long counter = Values.number(request.value(), "counter");
    long number = Collections.max(saw) + 1;
    txn.put(counter(counter), number);
    return Values.map("counter", counter, "number", number, "saw", saw);
  }

  @Override
  public Reply runInPieces(Runner runner, Request request) {
    if (!writes(request)) {
      return runner.run(txn -> run(txn, request));
    }
    Reply looked = runner.run(Counters::numbers);
    if (!looked.ok()) {
      return looked;
    }
    List<Long> saw = new ArrayList<>();
    for (Object number : (List<?>) Objects.requireNonNull(looked.value())) {
      saw.add((Long) number);
    }
    return runner.run(txn -> raise(txn, request, saw));
  }
}
