package org.mortydb.client;

/**
 * The application's state at one point of a transaction, and that point itself. Immutable: a
 * continuation that is called again, because a read before it became stale, gets the very context
 * it got before. It follows that everything a continuation needs from earlier ones belongs in the
 * state, and that the state itself is best immutable, such as a record.
 *
 * <p>A context is good for the turn that it was handed to; see {@link Transaction}.
 *
 * @param <S> the state's type
 */
public interface Context<S> {

  /** The state. */
  S state();

  /** The same point with another state. */
  Context<S> with(S state);
}
