package org.mortydb.config;

import java.util.Locale;

/** The rights of clients; each right implies the rights before it. */
public enum Right {
  /** May not even connect. */
  NONE,
  /** May run transactions that write nothing. */
  READ,
  /** May run transactions. */
  WRITE,
  /** May change the cluster itself. */
  ADMIN;

  /** Whether this right includes {@code other}. */
  public boolean implies(Right other) {
    return compareTo(other) >= 0;
  }

  /** Returns the right as written in configurations. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
