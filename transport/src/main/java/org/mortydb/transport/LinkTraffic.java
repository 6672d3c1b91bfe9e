package org.mortydb.transport;

/**
 * The traffic of one or several links up to a moment, from {@link LinkCounters}.
 *
 * @param framesOut frames sent
 * @param messagesIn messages received
 * @param messagesOut messages sent
 * @param bytesIn bytes received, including handshakes
 * @param bytesOut bytes sent, excluding handshakes
 * @param messagesDropped messages not sent because the link was down or because they exceed the
 *     size of a frame
 */
public record LinkTraffic(
    long framesOut,
    long messagesIn,
    long messagesOut,
    long bytesIn,
    long bytesOut,
    long messagesDropped) {

  /** No traffic. */
  public static final LinkTraffic NONE = new LinkTraffic(0, 0, 0, 0, 0, 0);

  /** The sum of both. */
  public LinkTraffic plus(LinkTraffic other) {
    return new LinkTraffic(
        framesOut + other.framesOut,
        messagesIn + other.messagesIn,
        messagesOut + other.messagesOut,
        bytesIn + other.bytesIn,
        bytesOut + other.bytesOut,
        messagesDropped + other.messagesDropped);
  }
}
