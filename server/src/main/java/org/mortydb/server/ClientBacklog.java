package org.mortydb.server;

import java.util.concurrent.atomic.AtomicLong;
import org.mortydb.transport.Link;

/**
 * The messages of one client's connection that wait for the server's other loops. Bounded by bytes:
 * while they are too many, nothing is read from the client, so that it waits instead of others.
 */
final class ClientBacklog {
  /** How many bytes may wait. At least one message may. */
  static final long MOST_BYTES = 128 * 1024;

  private final Link link;
  private final AtomicLong bytes = new AtomicLong();

  ClientBacklog(Link link) {
    this.link = link;
  }

  boolean isFull() {
    return bytes.get() >= MOST_BYTES;
  }

  /** A message waits from now on. */
  void add(long messageBytes) {
    bytes.addAndGet(messageBytes);
  }

  /** A message waits no more. For any thread. */
  void remove(long messageBytes) {
    long before = bytes.getAndAdd(-messageBytes);
    if (before >= MOST_BYTES && before - messageBytes < MOST_BYTES) {
      link.eventLoop().execute(link::goOn);
    }
  }
}
