package org.mortydb.transport;

import org.jspecify.annotations.Nullable;
import org.mortydb.config.Identity;

/** Decides who may connect, once cluster, version and certificate are known to agree. */
@FunctionalInterface
public interface PeerCheck {

  /**
   * One sentence for the peer's operator why it is not wanted, or null if it is. Called on any
   * event loop.
   *
   * @param identity who the peer is by its certificate; null without TLS
   */
  @Nullable String refusal(PeerInfo peer, @Nullable Identity identity);
}
