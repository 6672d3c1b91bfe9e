package org.mortydb.transport;

import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;

/**
 * Learns what happens on a link. All calls come from the link's event loop, one at a time, and must
 * not block. An exception that escapes from a call closes the link.
 */
public interface LinkListener {

  /** The handshake is done: messages can be sent. */
  void onUp(Link link, PeerInfo peer);

  /**
   * A message arrived. {@code from} is checked as far as the transport can: a client speaks for
   * itself and its own transactions alone, and nobody else for it. Whether a server may speak for a
   * replica is for the listener to know.
   */
  void onMessage(Link link, Endpoint from, Endpoint to, Message message);

  /** All messages of one read from the network were delivered: a good moment to pass them on. */
  void onBatchEnd(Link link);

  /**
   * A link that was up is so no longer; what was on its way may be lost. A link made by {@link
   * TransportClient} tries to come up again unless it was closed.
   */
  void onDown(Link link, LinkFailure reason);

  /**
   * An attempt to connect failed before the link was up. There will be another one, after a while.
   * With {@link LinkFailure.Kind#REFUSED} it is no matter of waiting: somebody has to mend a
   * configuration.
   */
  default void onConnectFailed(Link link, LinkFailure reason) {}
}
