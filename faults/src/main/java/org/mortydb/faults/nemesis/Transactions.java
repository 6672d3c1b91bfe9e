package org.mortydb.faults.nemesis;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Transactions of one to four reads and writes over few keys at a time. A new key replaces a key
 * that was written often. Elle's generators do the same.
 */
abstract class Transactions extends PartsWorkload {
  private static final int KEYS = 6;
  private static final int MOST_PARTS = 4;
  private static final int MOST_WRITES = 24;
  private static final int CLOSING_READS = 8;

  private final long[] keys = new long[KEYS];
  private final int[] writes = new int[KEYS];
  private long nextKey;

  /**
   * @param write the name of a part that writes
   */
  Transactions(String write) {
    super(write);
    for (int i = 0; i < KEYS; i++) {
      keys[i] = nextKey++;
    }
  }

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
        parts.add(writing(keys[place], ++writes[place]));
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
    return readingAll("txn", nextKey, CLOSING_READS);
  }
}
