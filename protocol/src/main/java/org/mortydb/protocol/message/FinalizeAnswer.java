package org.mortydb.protocol.message;

import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.View;

/** A home replica's answer to a {@link Message.Finalize} (docs/protocol.md, section 4). */
public sealed interface FinalizeAnswer {

  /** The replica accepted the proposed value in the proposed view. */
  record Accepted() implements FinalizeAnswer {}

  /**
   * The replica has promised a higher view.
   *
   * @param view the view that it has promised
   */
  record Fenced(View view) implements FinalizeAnswer {}

  /** The replica knows the outcome. */
  record Decided(Outcome outcome) implements FinalizeAnswer {}
}
