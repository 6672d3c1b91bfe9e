package org.mortydb.workloads.transfer;

import java.util.concurrent.atomic.AtomicLong;

/** Ids of transfers, unique in a run, from 1. Safe for use by several threads. */
final class TransferIds {
  private final AtomicLong last = new AtomicLong();

  long next() {
    return last.incrementAndGet();
  }
}
