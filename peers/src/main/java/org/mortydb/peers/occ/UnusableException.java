package org.mortydb.peers.occ;

import java.io.Serial;

/** A store refuses what it is asked, and would refuse it again: the run cannot go on. */
public final class UnusableException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** Says in a sentence which store refuses what. */
  public UnusableException(String message, Throwable cause) {
    super(message, cause);
  }
}
