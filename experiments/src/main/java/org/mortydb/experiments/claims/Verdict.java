package org.mortydb.experiments.claims;

import java.util.Comparator;

/** The verdict on a claim or a figure, from the best to none at all. */
public enum Verdict {
  /** Our figure is what the paper's lets expect, within the tolerance. */
  REPRODUCED("reproduced"),

  /** Our figure is outside of the tolerance, on the side that the paper claims. */
  DIRECTION_ONLY("reproduced in direction only"),

  /** Our figure contradicts the paper. */
  REFUTED("refuted"),

  /** There is no complete set of records. */
  NOT_RUN("not run here");

  /**
   * The order in which the verdicts on figures decide on a claim: one that is refuted outranks one
   * that was not run, which outranks the others.
   */
  static final Comparator<Verdict> BY_WEIGHT =
      Comparator.<Verdict, Boolean>comparing(verdict -> verdict == REFUTED)
          .thenComparing(Comparator.naturalOrder());

  private final String words;

  Verdict(String words) {
    this.words = words;
  }

  /** The verdict for readers. */
  public String words() {
    return words;
  }

  /** The name of its style on the page, and its value in JSON. */
  public String key() {
    return words.replace(' ', '-');
  }
}
