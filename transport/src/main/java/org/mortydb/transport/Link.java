package org.mortydb.transport;

import io.netty.channel.EventLoop;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.Identity;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.wire.EncodedMessage;

/**
 * The connection between two processes. Messages that are sent within one turn of the event loop
 * leave together at the end of the turn, in as few frames as possible.
 *
 * <p>A link does not guarantee delivery. It drops and counts messages while it is down, and loses
 * messages on their way when it goes down. Messages that arrive do so in the order in which they
 * were sent.
 *
 * <p>All methods must be called on the link's {@link #eventLoop}, except {@link #eventLoop} and
 * {@link #counters}, which any thread may call.
 */
public interface Link {

  /** The event loop that owns the link. */
  EventLoop eventLoop();

  /**
   * The process at the other end, as it introduced itself; null until the link is up for the first
   * time.
   */
  @Nullable PeerInfo peer();

  /**
   * The peer's identity by its certificate; null without TLS, and until the link is up for the
   * first time.
   */
  @Nullable Identity identity();

  /** The versions of the current or latest connection; null until the link is up. */
  @Nullable LinkVersions versions();

  /**
   * Asks the server at the other end about itself. Servers ask each other for maps alone.
   *
   * @return the answer; {@link LinkDownException} if the link goes down before, {@link
   *     IllegalStateException} if it is down or waits for an answer already
   * @throws IllegalStateException when called outside the link's event loop
   */
  CompletableFuture<Reply> ask(Question question);

  /**
   * Sends a message.
   *
   * @throws IllegalStateException when called outside the link's event loop
   */
  void send(Endpoint from, Endpoint to, Message message);

  /**
   * Sends a message that several replicas receive and that was therefore encoded once.
   *
   * @throws IllegalStateException when called outside the link's event loop
   */
  void send(Endpoint from, Endpoint to, EncodedMessage message);

  /** Whether the link is connected and the handshake is complete. */
  boolean isUp();

  /**
   * Measures the round trip to the peer. {@link LinkCounters#roundTripMicros} has the result once
   * the answer arrives; {@link LinkCounters#waitingBytes} has the size of the backlog at once. Does
   * nothing while the link is down or an earlier answer is missing.
   *
   * @throws IllegalStateException when called outside the link's event loop
   */
  void ping();

  /**
   * The same, and tells the peer the region slots that this client would use. {@link
   * LinkCounters#slotMicros} has what others have told it once the answer arrives.
   *
   * @param slotMicros the length in microseconds; 0 for none
   * @throws IllegalStateException when called outside the link's event loop
   */
  default void ping(int slotMicros) {
    ping();
  }

  /**
   * Delivers messages again after {@link LinkListener#hasEnough} has held them up.
   *
   * @throws IllegalStateException when called outside the link's event loop
   */
  void goOn();

  /** The link's traffic so far. */
  LinkCounters counters();

  /**
   * Closes the connection, and tells the peer why. A link that this side made connects again.
   *
   * @param reason one sentence for the peer's operator
   * @throws IllegalStateException when called outside the link's event loop
   */
  void refuse(String reason);

  /** Closes the link for good. The listener gets at most one more call, onDown. */
  void close();
}
