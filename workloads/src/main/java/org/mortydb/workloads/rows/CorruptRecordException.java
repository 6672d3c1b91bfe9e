package org.mortydb.workloads.rows;

import java.io.Serial;

/** A value under one of the workload's keys has an invalid encoding. */
public final class CorruptRecordException extends IllegalArgumentException {
  @Serial private static final long serialVersionUID = 1L;

  /**
   * @param message the error, in a sentence
   */
  public CorruptRecordException(String message) {
    super(message);
  }

  CorruptRecordException(String message, Throwable cause) {
    super(message, cause);
  }
}
