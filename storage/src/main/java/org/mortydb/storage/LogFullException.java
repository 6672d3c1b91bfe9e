package org.mortydb.storage;

/**
 * The buffer of the log is full, because the disk is slower than the appenders. The record was not
 * appended. {@link Log#isCongested()} warns in time.
 */
public final class LogFullException extends RuntimeException {
  LogFullException(String message) {
    super(message);
  }
}
