package org.mortydb.cli.verify;

import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import org.mortydb.client.TransactionInfo;

/** Counts how transactions ended. Safe for use by several threads. */
final class Tally {
  final LongAdder committed = new LongAdder();
  final LongAdder aborted = new LongAdder();
  final LongAdder unknown = new LongAdder();
  final LongAdder reexecutions = new LongAdder();
  final LongAdder latencyMicros = new LongAdder();
  final LongAccumulator longestMicros = new LongAccumulator(Math::max, 0);

  void committed(TransactionInfo info, long micros) {
    committed.increment();
    reexecutions.add(info.reexecutions());
    latencyMicros.add(micros);
    longestMicros.accumulate(micros);
  }
}
