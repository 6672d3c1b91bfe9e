package org.mortydb.transport;

import org.jspecify.annotations.Nullable;
import org.mortydb.config.Identity;

/**
 * Decides whether a peer may connect. Called after cluster, version and certificate were checked.
 */
@FunctionalInterface
public interface PeerCheck {

  /**
   * The reason for refusing the peer, in one sentence for its operator; null if it is admitted.
   * Called on any event loop.
   *
   * @param identity the peer's identity by its certificate; null without TLS
   */
  @Nullable String refusal(PeerInfo peer, @Nullable Identity identity);
}
