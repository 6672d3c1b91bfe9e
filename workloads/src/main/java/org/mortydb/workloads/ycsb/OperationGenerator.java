package org.mortydb.workloads.ycsb;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.mortydb.workloads.sampling.Sampler;

/** Draws the operations of one session. Not safe for use by several threads. */
final class OperationGenerator {
  private static final int LETTERS = 26;

  private final YcsbOptions options;
  private final RandomGenerator random;
  private final Sampler records;
  private final AtomicInteger nextRecord;

  /** Texts are slices of this text. To draw every letter would take longer than to store it. */
  private final String letters;

  /**
   * @param nextRecord the next record to be inserted, shared by all sessions
   */
  OperationGenerator(YcsbOptions options, RandomGenerator random, AtomicInteger nextRecord) {
    this.options = options;
    this.random = random;
    this.nextRecord = nextRecord;
    int count = options.records();
    this.records =
        switch (options.popularity().in(options.mix())) {
          case BY_MIX -> throw new AssertionError("no distribution in effect");
          case UNIFORM -> Sampler.uniform(random, count);
          case ZIPF -> Sampler.zipf(random, count, options.zipf());
          case LATEST -> {
            Sampler ranks = Sampler.ranks(random, count, options.zipf());
            yield () -> nextRecord.get() - 1 - ranks.next();
          }
        };
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 2 * options.valueBytes(); i++) {
      text.append((char) ('a' + random.nextInt(LETTERS)));
    }
    this.letters = text.toString();
  }

  YcsbOperation[] next() {
    YcsbOperation[] operations = new YcsbOperation[options.operations()];
    for (int i = 0; i < operations.length; i++) {
      YcsbOperation.Kind kind = options.mix().kind(random.nextInt(100));
      int record =
          kind == YcsbOperation.Kind.INSERT ? nextRecord.getAndIncrement() : records.next();
      int length =
          kind == YcsbOperation.Kind.SCAN ? random.nextInt(1, options.scanLength() + 1) : 1;
      operations[i] = new YcsbOperation(kind, record, length, kind.writes() ? text() : "");
    }
    return operations;
  }

  private String text() {
    int from = random.nextInt(options.valueBytes() + 1);
    return letters.substring(from, from + options.valueBytes());
  }
}
