package org.mortydb.storage;

/** How a data directory is used. */
public record StorageOptions(LogOptions log, CheckpointOptions checkpoints) {
  /** The usual limits. */
  public static StorageOptions of(Durability durability) {
    return new StorageOptions(LogOptions.of(durability), CheckpointOptions.DEFAULTS);
  }
}
