package org.mortydb.cli.text;

import java.util.Locale;

/** Numbers of bytes for people. */
public final class Sizes {
  private Sizes() {}

  /** A number of bytes, such as {@code 12 MB}. */
  public static String text(long bytes) {
    return bytes < 10_000
        ? bytes + " bytes"
        : bytes < 10_000_000
            ? String.format(Locale.ROOT, "%,.0f kB", bytes / 1e3)
            : String.format(Locale.ROOT, "%,.0f MB", bytes / 1e6);
  }
}
