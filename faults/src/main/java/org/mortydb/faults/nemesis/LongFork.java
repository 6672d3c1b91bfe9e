package org.mortydb.faults.nemesis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Codecs;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.KeySpace;

/** Single writes, each to a key of its own, and reads of groups of keys. */
final class LongFork implements Workload {
  private static final KeySpace<Long, Long> KEYS = KeySpace.of("fork", Codecs.INT64, Codecs.INT64);
  private static final int GROUP = 3;
  private static final int RECENT_GROUPS = 3;

  private long nextKey;

  @Override
  public Request next(RandomGenerator random) {
    if (random.nextBoolean()) {
      return new Request("write", List.of(Values.part("w", nextKey++, 1L)));
    }
    long group = Math.max(0, nextKey / GROUP - random.nextInt(RECENT_GROUPS));
    return new Request("read", group(group));
  }

  private static List<List<@Nullable Object>> group(long group) {
    List<List<@Nullable Object>> parts = new ArrayList<>();
    for (long key = group * GROUP; key < (group + 1) * GROUP; key++) {
      parts.add(Values.part("r", key, null));
    }
    return parts;
  }

  @Override
  public List<Request> closing() {
    List<Request> requests = new ArrayList<>();
    for (long group = 0; group * GROUP < nextKey; group++) {
      requests.add(new Request("read", group(group)));
    }
    return requests;
  }

  @Override
  public boolean writes(Request request) {
    return request.f().equals("write");
  }

  private static List<?> parts(Request request) {
    return (List<?>) Objects.requireNonNull(request.value());
  }

  @Override
  public @Nullable Object run(DirectTransaction txn, Request request) {
    List<@Nullable Object> done = new ArrayList<>();
    for (Object part : parts(request)) {
      done.add(run(txn, (List<?>) part, writes(request)));
    }
    return done;
  }

  private static List<?> run(DirectTransaction txn, List<?> part, boolean write) {
    long key = ((Number) part.get(1)).longValue();
    if (write) {
      txn.put(KEYS.key(key), 1L);
      return part;
    }
    return Values.part("r", key, txn.get(KEYS.key(key)));
  }

  @Override
  public Reply runInPieces(Runner runner, Request request) {
    List<@Nullable Object> done = new ArrayList<>();
    for (Object part : parts(request)) {
      Reply reply = runner.run(txn -> run(txn, (List<?>) part, writes(request)));
      if (!reply.ok()) {
        return reply;
      }
      done.add(reply.value());
    }
    return Reply.ok(done);
  }
}
