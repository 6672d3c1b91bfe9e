package org.mortydb.faults.nemesis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Codecs;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.Entry;
import org.mortydb.client.KeySpace;

/** A growing set: each element has a key of its own, and a read scans all. */
final class Elements implements Workload {
  private static final KeySpace<String, Long> ELEMENTS =
      KeySpace.of("element", Codecs.STRING, Codecs.INT64);
  private static final int READ_EVERY = 20;
  private static final int MOST = 1_000;
  private static final String READ = "read";

  private long nextElement;

  @Override
  public Request next(RandomGenerator random) {
    return random.nextInt(READ_EVERY) == 0
        ? new Request(READ, null)
        : new Request("add", nextElement++);
  }

  @Override
  public List<Request> closing() {
    return List.of(new Request(READ, null));
  }

  @Override
  public boolean writes(Request request) {
    return !request.f().equals(READ);
  }

  @Override
  public @Nullable Object run(DirectTransaction txn, Request request) {
    if (!writes(request)) {
      return all(txn);
    }
    long element = ((Number) Objects.requireNonNull(request.value())).longValue();
    txn.put(ELEMENTS.key(name(element)), element);
    return element;
  }

  private static String name(long element) {
    return "%010d".formatted(element);
  }

  private static List<Long> all(DirectTransaction txn) {
    List<Long> all = new ArrayList<>();
    String from = name(0);
    while (true) {
      List<Entry<String, Long>> some = txn.scan(ELEMENTS.from(from), MOST);
      some.forEach(entry -> all.add(entry.value()));
      if (some.size() < MOST) {
        return all;
      }
      from = name(all.getLast() + 1);
    }
  }

  /** Reads even and odd elements apart. */
  @Override
  public Reply runInPieces(Runner runner, Request request) {
    if (writes(request)) {
      return runner.run(txn -> run(txn, request));
    }
    Reply last = Reply.ok(null);
    List<Object> all = new ArrayList<>();
    for (int half = 0; half < 2 && last.ok(); half++) {
      boolean odd = half == 1;
      last = runner.run(txn -> all(txn).stream().filter(e -> e % 2 == (odd ? 1 : 0)).toList());
      if (last.ok()) {
        all.addAll((List<?>) Objects.requireNonNull(last.value()));
      }
    }
    return last.ok() ? Reply.ok(all) : last;
  }
}
