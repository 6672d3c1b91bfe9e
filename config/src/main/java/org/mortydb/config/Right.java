package org.mortydb.config;

import java.util.Locale;

/** What a client may do; each right implies those before it. */
public enum Right {
  /** Nothing, not even connect. */
  NONE,
  /** Run transactions that write nothing. */
  READ,
  /** Run transactions. */
  WRITE,
  /** Change the cluster itself. */
  ADMIN;

  /** Whether this right is enough where {@code other} is needed. */
  public boolean implies(Right other) {
    return compareTo(other) >= 0;
  }

  /** As written in configurations. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
