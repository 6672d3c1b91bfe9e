package org.mortydb.baselines.tapir;

/** The result of a replica's validation of a transaction at a proposed stamp. */
public sealed interface PrepareResult {

  /** No conflict: the transaction is prepared at the replica. */
  Ok OK = new Ok();

  /** A conflict with a committed transaction at every stamp. */
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
   * The proposed stamp is too early in the serial order.
   *
   * @param timeMicros the time that a new stamp must be after; positive
   */
  record Retry(long timeMicros) implements PrepareResult {}
}
