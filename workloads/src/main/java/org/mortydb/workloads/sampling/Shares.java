package org.mortydb.workloads.sampling;

import java.util.function.ToIntFunction;

/** Draws types of transactions by their shares. */
public final class Shares {
  private Shares() {}

  /**
   * The type that a uniform draw stands for.
   *
   * @param types all types
   * @param percent a type's share; the shares add up to 100
   * @param draw 0 to 99
   */
  public static <T> T pick(T[] types, ToIntFunction<T> percent, int draw) {
    int rest = draw;
    for (T type : types) {
      int share = percent.applyAsInt(type);
      if (rest < share) {
        return type;
      }
      rest -= share;
    }
    throw new IllegalArgumentException("the shares add up to less than " + draw + " %");
  }
}
