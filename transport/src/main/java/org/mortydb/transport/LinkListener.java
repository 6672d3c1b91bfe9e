package org.mortydb.transport;

import java.util.concurrent.CompletableFuture;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;

/**
 * Receives the events of a link. All calls come from the link's event loop, one at a time, and must
 * not block. An exception from a call closes the link.
 */
public interface LinkListener {

  /** The handshake is complete: messages can be sent. */
  void onUp(Link link, PeerInfo peer);

  /**
   * A message arrived. The link has checked {@code from} as far as it can: a client sends in its
   * own name and about its own transactions only. The listener must check whether a server may send
   * in the name of a replica.
   */
  void onMessage(Link link, Endpoint from, Endpoint to, Message message);

  /**
   * A client or a newcomer asks. The listener must check whether the peer may. A newcomer, for
   * which {@link #onUp} was not called, asks for the layout only.
   *
   * @return the answer, completed by any thread
   */
  default CompletableFuture<Reply> onQuestion(Link link, Question question) {
    return CompletableFuture.completedFuture(
        new Reply.Refused("this process answers no questions: ask a server"));
  }

  /**
   * A peer says which region slots it would use (docs/protocol.md, section 12).
   *
   * @param slotMicros what it says, any number
   * @return the longest slots that peers would use, in microseconds; 0 for none
   */
  default int onSlots(Link link, int slotMicros) {
    return 0;
  }

  /**
   * Whether a client's messages have to wait until {@link Link#goOn} is called. Asked after each
   * message of a client. The link then reads no more from the client.
   */
  default boolean hasEnough(Link link) {
    return false;
  }

  /**
   * All messages of one read from the network were delivered. The listener can now pass them on as
   * a batch.
   */
  void onBatchEnd(Link link);

  /**
   * The link went down; messages on their way may be lost. A link made by {@link TransportClient}
   * reconnects unless it was closed.
   */
  void onDown(Link link, LinkFailure reason);

  /**
   * An attempt to connect failed before the link was up. The link tries again after a back-off.
   * After {@link LinkFailure.Kind#REFUSED} it succeeds only once a configuration is corrected.
   */
  default void onConnectFailed(Link link, LinkFailure reason) {}
}
