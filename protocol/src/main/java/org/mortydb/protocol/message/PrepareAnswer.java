package org.mortydb.protocol.message;

import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;

/** A replica's answer to a {@link Message.Prepare} (docs/protocol.md, section 3). */
public sealed interface PrepareAnswer {

  /** The replica voted. */
  record Voted(Vote vote) implements PrepareAnswer {}

  /**
   * The replica has seen a higher execution, so it does not vote on lower ones.
   *
   * @param execution the highest execution that it has seen
   */
  record Superseded(int execution) implements PrepareAnswer {}

  /**
   * The replica has promised a view to a recovery, or has accepted an outcome. It does not vote in
   * view 0 any more.
   *
   * @param view the view that it has promised or accepted
   */
  record Fenced(View view) implements PrepareAnswer {}

  /**
   * The replica has voted to commit, on no condition, and its vote is written but perhaps not
   * forced yet. The vote itself follows once it is durable. Only an answer to a Prepare that is
   * {@link Message.Prepare#async}.
   */
  record Written() implements PrepareAnswer {}

  /** The replica knows the outcome. */
  record Decided(Outcome outcome) implements PrepareAnswer {}
}
