package org.mortydb.storage;

/**
 * More was appended than the log's buffer holds, because the disk is slower than the appenders. The
 * record was not appended. {@link Log#isCongested()} tells in time.
 */
public final class LogFullException extends RuntimeException {
  LogFullException(String message) {
    super(message);
  }
}
