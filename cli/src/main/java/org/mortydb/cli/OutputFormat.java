package org.mortydb.cli;

import java.util.Locale;

/** The form of what a command prints. */
public enum OutputFormat {
  /** Text for people. */
  TEXT,
  /** JSON for programs. */
  JSON;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
