package org.mortydb.client;

/**
 * The first turn of a transaction in the continuation-passing style. The client calls it once for
 * each attempt, with the same initial state. It has no outside effects, and does not block.
 *
 * @param <S> the state's type
 */
@FunctionalInterface
public interface TransactionBody<S> {

  /** Begins the transaction with one turn, see {@link Transaction}. */
  void begin(Transaction<S> txn, Context<S> ctx);
}
