package org.mortydb.experiments.claims;

/** Values of claims as texts. */
final class ClaimTexts {
  private ClaimTexts() {}

  /** A value of a figure with its unit; a quotient has none. */
  static String value(Claim claim, ClaimFigure figure, double value) {
    return figure.isRatio()
        ? ClaimFigure.number(value)
        : claim.runs().text(figure.metric(), value) + " " + claim.runs().unit(figure.metric());
  }

  /** The first line of a text. Reasons of failures may end with what a server has printed. */
  static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }

  /** Minutes as hours and minutes. */
  static String minutes(int minutes) {
    return minutes < 60
        ? minutes + " min"
        : minutes / 60 + " h" + (minutes % 60 == 0 ? "" : " " + minutes % 60 + " min");
  }
}
