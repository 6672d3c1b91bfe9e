package org.mortydb.storage;

import java.io.IOException;

/** Storage cannot be used. The message names the file, the place in it, and what to do. */
public class StorageException extends IOException {
  /** With what happened. */
  public StorageException(String message) {
    super(message);
  }

  /** With what happened, and the failure behind it. */
  public StorageException(String message, Throwable cause) {
    super(message, cause);
  }
}
