package org.mortydb.protocol.message;

import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;

/** What a replica answers to a Prepare (section 3). */
public sealed interface PrepareAnswer {

  /** The replica voted. */
  record Voted(Vote vote) implements PrepareAnswer {}

  /**
   * The replica has seen a higher execution and votes on lower ones no more.
   *
   * @param execution the highest execution seen
   */
  record Superseded(int execution) implements PrepareAnswer {}

  /**
   * A recovery holds the replica's promise, or an outcome was accepted: no votes in view 0 any
   * more.
   *
   * @param view the view promised or accepted
   */
  record Fenced(View view) implements PrepareAnswer {}

  /** The outcome is known. */
  record Decided(Outcome outcome) implements PrepareAnswer {}
}
