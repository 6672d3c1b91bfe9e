package org.mortydb.cli.verify;

import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;

/**
 * What one transaction of {@link RunningCheck} does: it reads records, then writes and deletes.
 *
 * @param reads the records that it reads
 * @param together whether it reads them in parallel; else one after the other
 * @param puts the records that it writes
 * @param deletes the records that it deletes
 */
record Plan(List<Long> reads, boolean together, List<Long> puts, List<Long> deletes) {
  private static final int MOST_READ = 4;

  /** Draws a plan: three in ten only read, one in ten deletes a record. */
  static Plan draw(int records, RandomGenerator random) {
    int count = 2 + random.nextInt(MOST_READ - 1);
    List<Long> some = random.longs(0, records).distinct().limit(count).boxed().toList();
    int draw = random.nextInt(10);
    if (draw < 3) {
      return new Plan(some, true, List.of(), List.of());
    }
    return draw < 9
        ? new Plan(some, false, some.subList(0, 2), List.of())
        : new Plan(some, false, some.subList(1, 2), some.subList(0, 1));
  }

  /** Reads and deletes all records. */
  static Plan deleteAll(int records) {
    List<Long> all = LongStream.range(0, records).boxed().toList();
    return new Plan(all, true, List.of(), all);
  }

  boolean readOnly() {
    return puts.isEmpty() && deletes.isEmpty();
  }
}
