package org.mortydb.faults.nemesis;

import org.jspecify.annotations.Nullable;
import org.mortydb.client.DirectTransaction;

/** A workload whose writes depend on what the same transaction has read before. */
abstract class ReadThenWrite implements Workload {
  /** Carries out a request that only reads. */
  abstract @Nullable Object read(DirectTransaction txn, Request request);

  /** The first half of a request that writes: reads, or aborts. */
  abstract @Nullable Object look(DirectTransaction txn, Request request);

  /**
   * The second half of a request that writes.
   *
   * @param seen what the first half returned
   */
  abstract @Nullable Object write(DirectTransaction txn, Request request, @Nullable Object seen);

  @Override
  public final @Nullable Object run(DirectTransaction txn, Request request) {
    return writes(request) ? write(txn, request, look(txn, request)) : read(txn, request);
  }

  @Override
  public final Reply runInPieces(Runner runner, Request request) {
    if (!writes(request)) {
      return runner.run(txn -> read(txn, request));
    }
    Reply looked = runner.run(txn -> look(txn, request));
    return looked.ok() ? runner.run(txn -> write(txn, request, looked.value())) : looked;
  }
}
