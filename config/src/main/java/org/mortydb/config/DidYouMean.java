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

  private static @Nullable String nearest(String name, Collection<String> known) {
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

  /** Returns Levenshtein's distance: the number of insertions, deletions and replacements. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
