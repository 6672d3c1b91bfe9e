package org.mortydb.workloads.rows;

import java.io.Serial;

/** A value under one of the workload's keys is not what the workload writes there. */
public final class CorruptRecordException extends IllegalArgumentException {
  @Serial private static final long serialVersionUID = 1L;

  /** Says what is wrong with it. */
  public CorruptRecordException(String message) {
    super(message);
  }

  CorruptRecordException(String message, Throwable cause) {
    super(message, cause);
  }
}
