package org.mortydb.protocol.message;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.View;

/** What a replica answers to a Recover (docs/protocol.md, section 5). */
public sealed interface RecoverAnswer {

  /** No prepared execution is known to the replica. */
  int NO_EXECUTION = -1;

  /**
   * The replica promises the view: it votes in view 0 no more, and accepts nothing in a lower view.
   *
   * @param accepted what it has accepted so far, or null
   * @param execution the highest execution it was asked to prepare, or {@link #NO_EXECUTION}
   * @param votedCommit whether its vote to commit that execution stands
   * @param participants the participants of that execution; empty without one
   */
  record Promised(
      @Nullable Accepted accepted, int execution, boolean votedCommit, List<Integer> participants)
      implements RecoverAnswer {}

  /** An outcome accepted in a view. */
  record Accepted(View view, Outcome value) {}

  /** A higher view is promised already. */
  record Fenced(View view) implements RecoverAnswer {}

  /** The outcome is known. */
  record Decided(Outcome outcome) implements RecoverAnswer {}
}
