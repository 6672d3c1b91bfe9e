package org.mortydb.client;

/**
 * The first turn of a transaction in the continuation-passing style. Called once for each attempt,
 * with the same initial state; free of outside effects, and does not block.
 *
 * @param <S> the state's type
 */
@FunctionalInterface
public interface TransactionBody<S> {

  /** Begins; one turn, see {@link Transaction}. */
  void begin(Transaction<S> txn, Context<S> ctx);
}
