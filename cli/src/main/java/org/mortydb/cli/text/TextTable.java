package org.mortydb.cli.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** A table as text, whose columns are as wide as their longest cells. */
public final class TextTable {
  private static final String GAP = "  ";
  private static final String NONE = "-";

  private final IntPredicate left;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * Creates a table without rows.
   *
   * @param left whether a column, counted from 0, is aligned left; all others are aligned right
   */
  public TextTable(IntPredicate left) {
    this.left = left;
  }

  /** Adds a row. A cell that is null is shown as a dash; a row without cells is an empty line. */
  public TextTable row(@Nullable Object... cells) {
    rows.add(Arrays.stream(cells).map(cell -> cell == null ? NONE : String.valueOf(cell)).toList());
    return this;
  }

  /** A number as a cell; null for null. */
  public static @Nullable String number(String format, @Nullable Number number) {
    return number == null ? null : String.format(Locale.ROOT, format, number);
  }

  /** Microseconds as a cell, in milliseconds with two decimals. */
  public static String millis(long micros) {
    return String.format(Locale.ROOT, "%,.2f", micros / 1e3);
  }

  /** The text, with a line break at the end of each row. */
  @Override
  public String toString() {
    List<Integer> widths = new ArrayList<>();
    for (List<String> row : rows) {
      for (int column = 0; column < row.size(); column++) {
        int width = row.get(column).length();
        if (column == widths.size()) {
          widths.add(width);
        } else {
          widths.set(column, Math.max(widths.get(column), width));
        }
      }
    }
    StringBuilder out = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < row.size(); column++) {
        String cell = row.get(column);
        String blanks = " ".repeat(widths.get(column) - cell.length());
        line.append(column == 0 ? "" : GAP)
            .append(left.test(column) ? cell + blanks : blanks + cell);
      }
      out.append(line.toString().stripTrailing()).append(System.lineSeparator());
    }
    return out.toString();
  }
}
