package org.mortydb.config;

import java.time.Duration;
import org.mortydb.protocol.model.Limits;

/**
 * The limits of a link.
 *
 * @param lowWaterMarkBytes a link is writable again when at most this much waits for the peer
 * @param highWaterMarkBytes a link is not writable while more than this waits for the peer; a
 *     server then stops reading from that client
 * @param maxOutboundBytes a connection is closed when more than this waits for the peer; greater
 *     than the longest frame
 * @param connectTimeout how long to wait for a connection
 * @param handshakeTimeout how long to wait for the peer's Hello
 * @param minBackoff the wait before the second attempt to connect; doubles with every failure
 * @param maxBackoff the longest wait between two attempts to connect
 */
public record LinkOptions(
    int lowWaterMarkBytes,
    int highWaterMarkBytes,
    int maxOutboundBytes,
    Duration connectTimeout,
    Duration handshakeTimeout,
    Duration minBackoff,
    Duration maxBackoff) {

  /** 512 KiB and 1 MiB water marks, 64 MiB outbound, 3 s and 5 s timeouts, 20 ms to 2 s backoff. */
  public static final LinkOptions DEFAULTS =
      new LinkOptions(
          512 * 1024,
          1024 * 1024,
          64 * 1024 * 1024,
          Duration.ofSeconds(3),
          Duration.ofSeconds(5),
          Duration.ofMillis(20),
          Duration.ofSeconds(2));

  /**
   * @throws IllegalArgumentException when a limit is out of its range
   */
  public LinkOptions {
    if (lowWaterMarkBytes < 1 || highWaterMarkBytes < lowWaterMarkBytes) {
      throw new IllegalArgumentException(
          "water marks must be positive, and the low one not above the high one");
    }
    if (maxOutboundBytes <= Limits.MAX_FRAME_BYTES || maxOutboundBytes <= highWaterMarkBytes) {
      throw new IllegalArgumentException(
          "maxOutboundBytes must be above the high water mark and the frame limit, "
              + Limits.MAX_FRAME_BYTES);
    }
    requirePositive(connectTimeout);
    requirePositive(handshakeTimeout);
    requirePositive(minBackoff);
    if (maxBackoff.compareTo(minBackoff) < 0) {
      throw new IllegalArgumentException("the longest backoff must not be below the shortest");
    }
  }

  private static void requirePositive(Duration time) {
    if (!time.isPositive()) {
      throw new IllegalArgumentException("times must be positive");
    }
  }
}
