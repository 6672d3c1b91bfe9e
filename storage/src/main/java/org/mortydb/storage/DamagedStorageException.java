package org.mortydb.storage;

/**
 * The stored files are not what was written: a file is damaged, missing, or belongs elsewhere.
 * Nothing was changed.
 */
public final class DamagedStorageException extends StorageException {
  static final String WAY_OUT =
      "; nothing was changed; move the directory away, and start the server again: with an empty"
          + " directory it rejoins the cluster. An older copy of the directory must not be used";

  DamagedStorageException(String what) {
    super(what + WAY_OUT);
  }
}
