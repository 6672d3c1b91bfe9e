package org.mortydb.faults.nemesis;

import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Codecs;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.KeySpace;

/** Single writes, each to a key of its own, and reads of groups of keys. */
final class LongFork extends PartsWorkload {
  private static final KeySpace<Long, Long> KEYS = KeySpace.of("fork", Codecs.INT64, Codecs.INT64);
  private static final int GROUP = 3;
  private static final int RECENT_GROUPS = 3;

  private long nextKey;

  LongFork() {
    super("w");
  }

  @Override
  @Nullable Object read(DirectTransaction txn, long key) {
    return txn.get(KEYS.key(key));
  }

  @Override
  void write(DirectTransaction txn, long key, long value) {
    txn.put(KEYS.key(key), value);
  }

  @Override
  public Request next(RandomGenerator random) {
    if (random.nextBoolean()) {
      return new Request("write", List.of(writing(nextKey++, 1)));
    }
    long group = Math.max(0, nextKey / GROUP - random.nextInt(RECENT_GROUPS));
    return reading("read", group * GROUP, (group + 1) * GROUP);
  }

  @Override
  public List<Request> closing() {
    return readingAll("read", Math.ceilDiv(nextKey, (long) GROUP) * GROUP, GROUP);
  }
}
