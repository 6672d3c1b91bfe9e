package org.mortydb.protocol.message;

import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.View;

/** What a home replica answers to a Finalize (section 4). */
public sealed interface FinalizeAnswer {

  /** The proposed value was accepted in the proposed view. */
  record Accepted() implements FinalizeAnswer {}

  /**
   * A higher view is promised.
   *
   * @param view the view promised
   */
  record Fenced(View view) implements FinalizeAnswer {}

  /** The outcome is known. */
  record Decided(Outcome outcome) implements FinalizeAnswer {}
}
