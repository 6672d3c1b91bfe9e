package org.mortydb.cli;

import java.util.Locale;

/** For whom a command prints. */
public enum OutputFormat {
  /** For people. */
  TEXT,
  /** For other programs. */
  JSON;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
