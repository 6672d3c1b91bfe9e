package org.mortydb.workloads.load;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Numbers with as many decimals as mean something. */
public final class Rounded {
  private Rounded() {}

  /** The nearest number with so many decimals. */
  public static double to(int decimals, double value) {
    return BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_UP).doubleValue();
  }

  /** A quotient, to four decimals, 0 when there is nothing to divide by. */
  public static double ratio(double dividend, double divisor) {
    return divisor == 0 ? 0 : to(4, dividend / divisor);
  }
}
