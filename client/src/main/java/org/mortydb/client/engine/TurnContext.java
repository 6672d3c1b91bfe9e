package org.mortydb.client.engine;

import org.mortydb.client.Context;

/**
 * A context, and the turn in which it is valid.
 *
 * @param transaction the driver that made it
 * @param turn the turn's number within the transaction
 * @param execution the execution that the turn belongs to
 */
record TurnContext<S>(
    ContinuationDriver<S> transaction, Attempt attempt, int turn, int execution, S state)
    implements Context<S> {
  @Override
  public TurnContext<S> with(S newState) {
    return new TurnContext<>(transaction, attempt, turn, execution, newState);
  }

  @Override
  public String toString() {
    return "context of turn " + turn + ", execution " + execution + ": " + state;
  }
}
