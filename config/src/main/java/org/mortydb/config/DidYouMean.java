package org.mortydb.config;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Suggests the name that a mistyped one may stand for. */
public final class DidYouMean {
  private DidYouMean() {}

  /** The end of a sentence about an unknown name: the likeliest one, and all there are. */
  public static String hint(String name, Collection<String> known) {
    String nearest = nearest(name, known);
    return (nearest == null ? ": " : ": did you mean '" + nearest + "'? ")
        + (known.isEmpty() ? "there are none here" : "there are " + String.join(", ", known));
  }

  /** The known name that a mistyped one most likely stands for; null if none is close. */
  public static @Nullable String nearest(String name, Collection<String> known) {
    String nearest = null;
    int least = Math.max(2, name.length() / 3) + 1;
    for (String candidate : known) {
      int distance = distance(name, candidate);
      if (distance < least && distance < Math.max(name.length(), candidate.length())) {
        least = distance;
        nearest = candidate;
      }
    }
    return nearest;
  }

  /** Returns the number of insertions, deletions, replacements, and swaps of adjacent letters. */
  private static int distance(String a, String b) {
    int[][] table = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      table[i][0] = i;
    }
    for (int j = 0; j <= b.length(); j++) {
      table[0][j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      for (int j = 1; j <= b.length(); j++) {
        int replaced = table[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        int least = Math.min(replaced, 1 + Math.min(table[i - 1][j], table[i][j - 1]));
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          least = Math.min(least, 1 + table[i - 2][j - 2]);
        }
        table[i][j] = least;
      }
    }
    return table[a.length()][b.length()];
  }
}
