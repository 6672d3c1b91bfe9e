package org.mortydb.protocol.message;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.View;

/** A replica's answer to a {@link Message.Recover} (docs/protocol.md, section 5). */
public sealed interface RecoverAnswer {

  /** The replica knows of no prepared execution. */
  int NO_EXECUTION = -1;

  /**
   * The replica promises the view: it does not vote in view 0 any more, and accepts nothing in a
   * lower view.
   *
   * @param accepted the outcome that it has accepted so far, or null
   * @param execution the highest execution that it was asked to prepare, or {@link #NO_EXECUTION}
   * @param votedCommit whether its commit vote for that execution still stands
   * @param participants the participants of that execution; empty without one
   * @param vague whether the replica may have voted on this execution or a higher one, told so
   *     before the vote was durable, and forgotten it in a restart
   */
  record Promised(
      @Nullable Accepted accepted,
      int execution,
      boolean votedCommit,
      List<Integer> participants,
      boolean vague)
      implements RecoverAnswer {

    /** A promise of a replica that has forgotten nothing. */
    public Promised(
        @Nullable Accepted accepted,
        int execution,
        boolean votedCommit,
        List<Integer> participants) {
      this(accepted, execution, votedCommit, participants, false);
    }
  }

  /** An outcome and the view in which it was accepted. */
  record Accepted(View view, Outcome value) {}

  /** The replica has promised a higher view already. */
  record Fenced(View view) implements RecoverAnswer {}

  /** The replica knows the outcome. */
  record Decided(Outcome outcome) implements RecoverAnswer {}
}
