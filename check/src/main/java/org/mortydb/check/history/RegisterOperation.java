package org.mortydb.check.history;

import org.jspecify.annotations.Nullable;

/** An operation on a register, as the application saw it. */
public sealed interface RegisterOperation {

  /** The register's key. */
  String key();

  /** A write of a value. */
  record WriteValue(String key, String value) implements RegisterOperation {}

  /** A read, which may return the transaction's own write; null if there was no value. */
  record ReadValue(String key, @Nullable String value) implements RegisterOperation {}
}
