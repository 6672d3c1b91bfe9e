package org.mortydb.check.history;

import org.jspecify.annotations.Nullable;

/** An operation on a register, as the application saw it. */
public sealed interface RegisterOperation {

  /** The register's key. */
  String key();

  /** Wrote a value. */
  record WriteValue(String key, String value) implements RegisterOperation {}

  /** Read a value, the transaction's own if it wrote one before; null if there was none. */
  record ReadValue(String key, @Nullable String value) implements RegisterOperation {}
}
