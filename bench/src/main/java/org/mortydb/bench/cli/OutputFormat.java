package org.mortydb.bench.cli;

import java.util.Locale;

/** For whom a command prints. */
enum OutputFormat {
  /** For people. */
  TEXT,
  /** For other programs. */
  JSON;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
