package org.mortydb.experiments.claims;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A figure of the paper, and the rule by which the same figure of our records is judged.
 *
 * @param name its name for readers
 * @param paper the paper's figure
 * @param expectation how our figure must relate to it
 * @param tolerance the tolerated deviation, as a share of the paper's figure
 * @param direction the side on which our figure must be at least; null if only the expectation
 *     counts
 * @param metric the name of the metric, of {@link ClaimRuns}
 * @param of the coordinates of the points whose metric it is
 * @param to the coordinates of the points that it is divided by; null if it is no ratio
 * @param best which of several points counts, on each side; null if there is only one
 */
public record ClaimFigure(
    String name,
    double paper,
    Expectation expectation,
    double tolerance,
    @Nullable Direction direction,
    String metric,
    Map<String, String> of,
    @Nullable Map<String, String> to,
    @Nullable Best best) {

  /** For sums of binary fractions that stand for decimal ones. */
  private static final double ROUNDING = 1e-9;

  /** Copies the maps. */
  public ClaimFigure {
    of = Map.copyOf(of);
    to = to == null ? null : Map.copyOf(to);
  }

  /** How our figure must relate to the paper's. */
  public enum Expectation {
    /** Neither more nor less, within the tolerance. */
    ABOUT,
    /** As much or more. */
    AT_LEAST,
    /** As much or less. */
    AT_MOST;

    /** Its name in claims. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** Which of several points counts. */
  public enum Best {
    /** The one with the highest value. */
    MAX,
    /** The one with the lowest value. */
    MIN
  }

  /**
   * A side of a limit.
   *
   * @param above whether it is above the limit
   * @param limit the limit, which is on neither side
   */
  public record Direction(boolean above, double limit) {
    /** Whether a value is on this side. */
    public boolean holds(double value) {
      return above ? value > limit : value < limit;
    }

    /** In words. */
    @Override
    public String toString() {
      return (above ? "above " : "below ") + number(limit);
    }
  }

  /** Whether it is the quotient of two values. */
  public boolean isRatio() {
    return to != null;
  }

  /** The lowest value that meets the expectation. */
  public double least() {
    return expectation == Expectation.AT_MOST ? Double.NEGATIVE_INFINITY : paper - slack();
  }

  /** The highest value that meets the expectation. */
  public double most() {
    return expectation == Expectation.AT_LEAST ? Double.POSITIVE_INFINITY : paper + slack();
  }

  private double slack() {
    return Math.abs(paper) * tolerance;
  }

  /** The verdict on our figure: reproduced, in direction only, or refuted. */
  public Verdict judge(double here) {
    double rounding = Math.abs(paper) * ROUNDING;
    if (here >= least() - rounding && here <= most() + rounding) {
      return Verdict.REPRODUCED;
    }
    return direction != null && direction.holds(here) ? Verdict.DIRECTION_ONLY : Verdict.REFUTED;
  }

  /** What the rule expects, in words, without the unit. */
  public String expected() {
    return switch (expectation) {
      case ABOUT -> number(least()) + " to " + number(most());
      case AT_LEAST -> "at least " + number(least());
      case AT_MOST -> "at most " + number(most());
    };
  }

  /** A number with as many digits as a reader needs. */
  static String number(double value) {
    if (Double.isInfinite(value)) {
      return "infinite";
    }
    double size = Math.abs(value);
    String format = size >= 1_000 ? "%,.0f" : size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.3f";
    String text = String.format(Locale.ROOT, format, value);
    return text.contains(".") ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
  }
}
