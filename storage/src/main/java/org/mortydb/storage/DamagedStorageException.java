package org.mortydb.storage;

/**
 * The stored files are not what was written: a file is damaged, missing, or belongs elsewhere.
 * Nothing was changed.
 */
public final class DamagedStorageException extends StorageException {
  static final String WAY_OUT =
      "; nothing was changed; restore the whole directory from a copy, or let the server rejoin the"
          + " cluster with an empty one";

  DamagedStorageException(String what) {
    super(what + WAY_OUT);
  }
}
