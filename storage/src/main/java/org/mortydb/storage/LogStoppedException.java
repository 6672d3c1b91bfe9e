package org.mortydb.storage;

/** The log accepts no more records: it was closed, or a write failed, which is the cause. */
public final class LogStoppedException extends RuntimeException {
  LogStoppedException(String message) {
    super(message);
  }

  LogStoppedException(StorageException cause) {
    super(cause.getMessage(), cause);
  }
}
