package org.mortydb.client;

/**
 * The application's state at one point of a transaction, and that point itself. Immutable. A
 * continuation that runs again, because a read became stale, gets the same state again. So put
 * everything that a continuation needs from earlier ones into the state, and make the state
 * immutable, such as a record.
 *
 * <p>A context is valid in the turn that it was passed to; see {@link Transaction}.
 *
 * @param <S> the state's type
 */
public interface Context<S> {

  /** The state. */
  S state();

  /** The same point with another state. */
  Context<S> with(S state);
}
