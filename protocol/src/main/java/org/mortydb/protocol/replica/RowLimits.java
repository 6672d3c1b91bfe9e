package org.mortydb.protocol.replica;

import org.mortydb.protocol.table.RowStore;

/**
 * When keys become rows, and where rows lie. With low limits a small table does everything that a
 * large one does: the simulator draws them.
 *
 * @param warmKeys so many keys that nobody uses stay objects between two ticks; 0 or more
 * @param pageBytes the size of the pages that rows lie in; a power of two, at least {@link
 *     RowStore#LEAST_PAGE_BYTES}
 * @param secret decides where keys lie in tables. A server chooses one that clients do not know:
 *     otherwise they could choose keys that all lie in one place
 */
public record RowLimits(int warmKeys, int pageBytes, long secret) {

  /** 512 keys, which fit in the cache of a processor, and pages of 1 MiB. */
  public static final RowLimits DEFAULTS = new RowLimits(512, 1 << 20);

  /** Limits with a secret that everybody knows. */
  public RowLimits(int warmKeys, int pageBytes) {
    this(warmKeys, pageBytes, 0);
  }

  /** These limits with another secret. */
  public RowLimits withSecret(long other) {
    return new RowLimits(warmKeys, pageBytes, other);
  }

  /**
   * Checks the limits.
   *
   * @throws IllegalArgumentException if a limit is out of its range
   */
  public RowLimits {
    if (warmKeys < 0) {
      throw new IllegalArgumentException("the number of warm keys must not be negative");
    }
    RowStore.checkPageBytes(pageBytes);
  }
}
