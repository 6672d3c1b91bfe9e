package org.mortydb.cli.backup;

import java.io.Serial;

/** A backup cannot be made, read or restored. The message says why, where, and what to do. */
public final class BackupException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** The kind of failure. */
  public enum Kind {
    /** The file is damaged, or is not a backup. */
    DAMAGED,
    /** The cluster holds keys already. */
    NOT_EMPTY,
    /** The cluster does not hold what was restored. */
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

  /** The kind of failure. */
  public Kind kind() {
    return kind;
  }
}
