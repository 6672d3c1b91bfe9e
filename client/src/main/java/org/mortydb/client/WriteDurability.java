package org.mortydb.client;

import java.util.Locale;

/**
 * What a commit has survived when the application hears of it (docs/protocol.md, section 8,
 * Durability of a transaction). It concerns transactions that write. Whatever they choose, all
 * transactions stay serializable, and each commits in full or not at all.
 */
public enum WriteDurability {
  /** What the servers do for all transactions: the setting {@code server.durability}. */
  AS_SERVERS,

  /** The writes are forced to the disks: no crash undoes the commit. Needs such servers. */
  SYNC,

  /**
   * All replicas have the writes, and force them soon. The commit is undone only if, at that
   * moment, more than f replicas of a partition fail, at least one of them by a loss of power.
   */
  ASYNC;

  /**
   * Parses {@code sync} or {@code async}.
   *
   * @throws IllegalArgumentException if the text is neither
   */
  public static WriteDurability parse(String text) {
    return switch (text.trim().toLowerCase(Locale.ROOT)) {
      case "sync" -> SYNC;
      case "async" -> ASYNC;
      default ->
          throw new IllegalArgumentException(
              "'" + text + "' is no durability of a transaction: use sync or async");
    };
  }

  /** The name in the notation of {@link #parse}. */
  public String words() {
    return this == AS_SERVERS ? "as the servers" : name().toLowerCase(Locale.ROOT);
  }
}
