package org.mortydb.transport;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The memory that large frames of a server's clients take while they arrive. When it is too much,
 * the client whose frame has been arriving for the longest time loses its connection. Safe for use
 * by several threads.
 */
final class UnfinishedFrames {
  /** How many bytes they may take together. */
  static final long MOST_BYTES = 128L * 1024 * 1024;

  /** The bytes of each connection with an unfinished frame, the oldest first. */
  private final Map<LinkHandler, Integer> bytes = new LinkedHashMap<>();

  private long total;

  /** A connection's unfinished frame takes another number of bytes; 0 if it has none any more. */
  synchronized void changed(LinkHandler connection, int now) {
    Integer before = now == 0 ? bytes.remove(connection) : bytes.put(connection, now);
    total += now - (before == null ? 0 : before);
    while (total > MOST_BYTES) {
      var oldest = bytes.entrySet().iterator().next();
      bytes.remove(oldest.getKey());
      total -= oldest.getValue();
      oldest.getKey().failUnfinished();
    }
  }

  /** How many bytes they take. */
  synchronized long total() {
    return total;
  }
}
