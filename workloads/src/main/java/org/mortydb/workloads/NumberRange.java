package org.mortydb.workloads;

/**
 * What a number may be. Infinity and NaN are in no range.
 *
 * @param least the lower bound
 * @param open whether the lower bound itself is excluded
 * @param most the upper bound, included; infinite for none
 */
public record NumberRange(double least, boolean open, double most) {
  /** A probability or a share. */
  public static final NumberRange SHARE = new NumberRange(0, false, 1);

  /** Zero or more. */
  public static final NumberRange NOT_NEGATIVE =
      new NumberRange(0, false, Double.POSITIVE_INFINITY);

  /** Greater than a bound, and at most another one. */
  public static NumberRange above(double least, double most) {
    return new NumberRange(least, true, most);
  }

  boolean contains(double value) {
    return (open ? value > least : value >= least)
        && value <= most
        && value < Double.POSITIVE_INFINITY;
  }

  /** A number without a fraction that is zero. */
  static String text(double value) {
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
