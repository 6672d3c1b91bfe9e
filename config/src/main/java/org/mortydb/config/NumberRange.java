package org.mortydb.config;

/**
 * The values that a number may have. Infinity and NaN are in no range.
 *
 * @param least the lower bound
 * @param open whether the lower bound itself is excluded
 * @param most the upper bound, included; infinite for none
 */
public record NumberRange(double least, boolean open, double most) {
  /** A probability or a share. */
  public static final NumberRange SHARE = of(0, 1);

  /** Zero or more. */
  public static final NumberRange NOT_NEGATIVE = atLeast(0);

  /** One or more. */
  public static final NumberRange POSITIVE = atLeast(1);

  /** Both bounds included. */
  public static NumberRange of(double least, double most) {
    return new NumberRange(least, false, most);
  }

  /** A bound, or more. */
  public static NumberRange atLeast(double least) {
    return of(least, Double.POSITIVE_INFINITY);
  }

  /** Greater than a bound. */
  public static NumberRange above(double least) {
    return above(least, Double.POSITIVE_INFINITY);
  }

  /** Greater than a bound, and at most another one. */
  public static NumberRange above(double least, double most) {
    return new NumberRange(least, true, most);
  }

  /** Whether a value is in the range. */
  public boolean contains(double value) {
    return (open ? value > least : value >= least)
        && value <= most
        && value < Double.POSITIVE_INFINITY;
  }

  /** A number as text, without a fraction that is zero. */
  public static String text(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  @Override
  public String toString() {
    boolean bounded = most < Double.POSITIVE_INFINITY;
    if (open) {
      return "greater than " + text(least) + (bounded ? " and at most " + text(most) : "");
    }
    return text(least) + (bounded ? " to " + text(most) : " or more");
  }
}
