package org.mortydb.transport;

/**
 * What went over a link, or over several, up to a moment. See {@link LinkCounters}.
 *
 * @param framesIn frames received
 * @param framesOut frames handed to the network
 * @param messagesIn messages received
 * @param messagesOut messages encoded for the network
 * @param bytesIn bytes received, handshakes included
 * @param bytesOut bytes handed to the network, handshakes left out
 * @param messagesDropped messages that were not sent because the link was down, or because they fit
 *     into no frame
 */
public record LinkTraffic(
    long framesIn,
    long framesOut,
    long messagesIn,
    long messagesOut,
    long bytesIn,
    long bytesOut,
    long messagesDropped) {

  /** Nothing. */
  public static final LinkTraffic NONE = new LinkTraffic(0, 0, 0, 0, 0, 0, 0);

  /** Both together. */
  public LinkTraffic plus(LinkTraffic other) {
    return new LinkTraffic(
        framesIn + other.framesIn,
        framesOut + other.framesOut,
        messagesIn + other.messagesIn,
        messagesOut + other.messagesOut,
        bytesIn + other.bytesIn,
        bytesOut + other.bytesOut,
        messagesDropped + other.messagesDropped);
  }
}
