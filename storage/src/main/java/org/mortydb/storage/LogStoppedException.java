package org.mortydb.storage;

/** The log takes nothing any more: it was closed, or writing failed, as the cause says. */
public final class LogStoppedException extends RuntimeException {
  LogStoppedException(String message) {
    super(message);
  }

  LogStoppedException(StorageException cause) {
    super(cause.getMessage(), cause);
  }
}
