package org.mortydb.config;

import java.util.regex.Pattern;

/** The rule for names of clusters, regions and servers: safe in logs, paths and commands. */
public final class Names {
  /** The rule in words, for use after "must be". */
  public static final String RULE =
      "1 to 64 of letters, digits, '.', '_' and '-', and neither '.' nor '..'";

  private static final Pattern NAME = Pattern.compile("(?!\\.{1,2}$)[A-Za-z0-9._-]{1,64}");

  private Names() {}

  /** Whether {@code text} can be a name. */
  public static boolean isValid(String text) {
    return NAME.matcher(text).matches();
  }
}
