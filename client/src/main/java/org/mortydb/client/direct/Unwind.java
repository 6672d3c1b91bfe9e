package org.mortydb.client.direct;

import java.io.Serial;

/**
 * Leaves a body whose run is superseded. An {@link Error}, so that bodies that catch exceptions let
 * it pass. It has no stack trace, because it is control flow.
 */
final class Unwind extends Error {
  @Serial private static final long serialVersionUID = 1;

  static final Unwind UNWIND = new Unwind();

  private Unwind() {
    super(
        "the transaction's body is left, to run again or not at all: let this error pass",
        null,
        false,
        false);
  }
}
