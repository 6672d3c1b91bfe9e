package org.mortydb.storage;

/** Another process uses the data directory. */
public final class DirectoryInUseException extends StorageException {
  DirectoryInUseException(String message) {
    super(message);
  }
}
