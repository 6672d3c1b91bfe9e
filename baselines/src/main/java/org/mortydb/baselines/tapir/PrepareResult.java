package org.mortydb.baselines.tapir;

/** What a replica's validation of a transaction at a proposed stamp has found. */
public sealed interface PrepareResult {

  /** No conflict: the transaction is prepared at the replica. */
  Ok OK = new Ok();

  /** A conflict with a committed transaction that no other stamp would mend. */
  Abort ABORT = new Abort();

  /** A conflict with a prepared transaction, which may abort. */
  Abstain ABSTAIN = new Abstain();

  /** See {@link #OK}. */
  record Ok() implements PrepareResult {}

  /** See {@link #ABORT}. */
  record Abort() implements PrepareResult {}

  /** See {@link #ABSTAIN}. */
  record Abstain() implements PrepareResult {}

  /**
   * The transaction comes too early in the serial order.
   *
   * @param timeMicros a stamp of a later time may do; positive
   */
  record Retry(long timeMicros) implements PrepareResult {}
}
