package org.mortydb.workloads.load;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Rounds numbers to meaningful decimals. */
public final class Rounded {
  private Rounded() {}

  /** The nearest number with this many decimals. */
  public static double to(int decimals, double value) {
    return BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_UP).doubleValue();
  }

  /** A quotient with four decimals; 0 when the divisor is 0. */
  public static double ratio(double dividend, double divisor) {
    return divisor == 0 ? 0 : to(4, dividend / divisor);
  }
}
