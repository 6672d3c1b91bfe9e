package org.mortydb.storage;

/** Options for the use of a data directory. */
public record StorageOptions(LogOptions log, CheckpointOptions checkpoints) {
  /** The usual limits. */
  public static StorageOptions of(Durability durability) {
    return new StorageOptions(LogOptions.of(durability), CheckpointOptions.DEFAULTS);
  }
}
