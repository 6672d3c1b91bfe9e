package org.mortydb.transport;

import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.Identity;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.wire.EncodedMessage;

/**
 * The one connection between two processes. Messages that are sent within one turn of the event
 * loop leave together, when the turn ends, in as few frames as possible.
 *
 * <p>A link promises nothing: messages for a link that is down are dropped and counted, and so are
 * those that are on their way when it goes down. What does arrive arrives in the order sent.
 *
 * <p>Everything on a link happens on its {@link #eventLoop}: all methods must be called there, but
 * for {@link #eventLoop} and {@link #counters}, which any thread may call.
 */
public interface Link {

  /** The event loop that owns the link. */
  EventLoop eventLoop();

  /** The process at the other end, as it introduced itself; null until the link is up first. */
  @Nullable PeerInfo peer();

  /** Who the peer is by its certificate; null without TLS, and until the link is up first. */
  @Nullable Identity identity();

  /**
   * Sends a message.
   *
   * @throws IllegalStateException when called outside the link's event loop
   */
  void send(Endpoint from, Endpoint to, Message message);

  /**
   * Sends a message that goes to several replicas and was therefore encoded before.
   *
   * @throws IllegalStateException when called outside the link's event loop
   */
  void send(Endpoint from, Endpoint to, EncodedMessage message);

  /** Whether messages have a chance to arrive. */
  boolean isUp();

  /**
   * Whether the link is up and not above its high water mark: a good sender begins nothing new when
   * it is. {@link #send} works all the same, up to the link's limit.
   */
  boolean isWritable();

  /**
   * Measures the round trip to the peer, which {@link LinkCounters#roundTripMicros} tells when the
   * answer is there, and what waits for it, which {@link LinkCounters#waitingBytes} tells at once.
   * Does nothing while the link is down, or an earlier answer is missing.
   *
   * @throws IllegalStateException when called outside the link's event loop
   */
  void ping();

  /** What went over the link so far. */
  LinkCounters counters();

  /** Closes the link for good: no call reaches its listener any more but a last onDown. */
  void close();
}
