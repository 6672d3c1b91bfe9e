package org.mortydb.workloads.transfer;

import java.util.concurrent.atomic.AtomicLong;

/** Ids of transfers, from 1, unique in a run. Safe for use by several threads. */
final class TransferIds {
  private final AtomicLong last = new AtomicLong();

  long next() {
    return last.incrementAndGet();
  }
}
