package org.mortydb.cli.backup;

import java.io.Serial;

/** A backup could not be made, read or restored; the message tells why, where, and what to do. */
public final class BackupException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** What is wrong. */
  public enum Kind {
    /** The file does not hold what was written, or is no backup. */
    DAMAGED,
    /** The cluster holds keys already. */
    NOT_EMPTY,
    /** The cluster holds something else than what was restored. */
    DIFFERENT,
    /** Something could not be reached, read or written. */
    FAILED
  }

  private final Kind kind;

  BackupException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  BackupException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** What is wrong. */
  public Kind kind() {
    return kind;
  }
}
