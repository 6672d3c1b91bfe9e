package org.mortydb.workloads.load;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * The rate of an open loop.
 *
 * @param value transactions per second, or a share of the saturated rate; greater than 0
 * @param ofMax whether the value is a share
 */
public record Rate(double value, boolean ofMax) {
  private static final String MAX = "max";

  /** More than a queue needs to grow without end. */
  private static final double MOST_SHARE = 2;

  /** Checks the value. */
  public Rate {
    if (!(value > 0) || value == Double.POSITIVE_INFINITY) {
      throw new IllegalArgumentException("must be greater than 0");
    }
    if (ofMax && value > MOST_SHARE) {
      throw new IllegalArgumentException("must be at most max*2");
    }
  }

  /**
   * Reads a rate such as {@code 5000}, {@code max} or {@code max*0.5}.
   *
   * @throws IllegalArgumentException if it is none; the message continues the name of an option
   */
  public static Rate parse(String text) {
    String rest = text.strip();
    boolean ofMax = rest.startsWith(MAX);
    if (rest.equals(MAX)) {
      return new Rate(1, true);
    }
    if (ofMax) {
      rest = rest.substring(MAX.length()).strip();
      if (!rest.startsWith("*")) {
        throw wrong(text, null);
      }
      rest = rest.substring(1).strip();
    }
    double value;
    try {
      value = Double.parseDouble(rest);
    } catch (NumberFormatException e) {
      throw wrong(text, e);
    }
    return new Rate(value, ofMax);
  }

  private static IllegalArgumentException wrong(String text, @Nullable Throwable cause) {
    return new IllegalArgumentException(
        "must be transactions per second, such as 5000, or a share of the saturated rate, such as"
            + " max*0.5, not '"
            + text
            + "'",
        cause);
  }

  /** Returns the transactions per second, given the saturated rate. */
  public double perSecond(double saturated) {
    return ofMax ? value * saturated : value;
  }

  @Override
  public String toString() {
    String number = BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
    return ofMax ? MAX + "*" + number : number;
  }
}
