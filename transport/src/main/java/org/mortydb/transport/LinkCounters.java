package org.mortydb.transport;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What went over a link since it was made, over all its connections. Written by the link's event
 * loop alone, read by any thread at any time.
 */
public final class LinkCounters {
  private final AtomicLong framesIn = new AtomicLong();
  private final AtomicLong framesOut = new AtomicLong();
  private final AtomicLong messagesIn = new AtomicLong();
  private final AtomicLong messagesOut = new AtomicLong();
  private final AtomicLong bytesIn = new AtomicLong();
  private final AtomicLong bytesOut = new AtomicLong();
  private final AtomicLong messagesDropped = new AtomicLong();

  private final AtomicLong roundTripMicros = new AtomicLong();

  private final AtomicLong waitingBytes = new AtomicLong();

  LinkCounters() {}

  /** All of it, as of now. */
  public LinkTraffic traffic() {
    return new LinkTraffic(
        framesIn(),
        framesOut(),
        messagesIn(),
        messagesOut(),
        bytesIn(),
        bytesOut(),
        messagesDropped());
  }

  /**
   * The last round trip that was measured, in microseconds: to the peer's event loop and back, the
   * delays of an emulated network and what was waiting before it included. 0 before the first, and
   * when the connection was lost.
   */
  public long roundTripMicros() {
    return roundTripMicros.getOpaque();
  }

  /** Frames received. */
  public long framesIn() {
    return framesIn.getOpaque();
  }

  /** Frames handed to the network. */
  public long framesOut() {
    return framesOut.getOpaque();
  }

  /** Messages received. */
  public long messagesIn() {
    return messagesIn.getOpaque();
  }

  /** Messages encoded for the network. */
  public long messagesOut() {
    return messagesOut.getOpaque();
  }

  /** Bytes received, handshakes included. */
  public long bytesIn() {
    return bytesIn.getOpaque();
  }

  /** Bytes handed to the network, handshakes left out. */
  public long bytesOut() {
    return bytesOut.getOpaque();
  }

  /** Messages that were not sent because the link was down, or because they fit into no frame. */
  public long messagesDropped() {
    return messagesDropped.getOpaque();
  }

  void frameIn() {
    add(framesIn, 1);
  }

  void frameOut(long bytes) {
    add(framesOut, 1);
    add(bytesOut, bytes);
  }

  void messageIn() {
    add(messagesIn, 1);
  }

  void messageOut() {
    add(messagesOut, 1);
  }

  void bytesIn(long bytes) {
    add(bytesIn, bytes);
  }

  void dropped() {
    add(messagesDropped, 1);
  }

  /**
   * Bytes that waited for the peer at the last {@link Link#ping}, those included that an emulated
   * delay holds back.
   */
  public long waitingBytes() {
    return waitingBytes.getOpaque();
  }

  void waiting(long bytes) {
    waitingBytes.setOpaque(bytes);
  }

  void roundTrip(long micros) {
    roundTripMicros.setOpaque(micros);
  }

  /** One writer, so no atomic addition is needed. */
  private static void add(AtomicLong counter, long n) {
    counter.setOpaque(counter.getPlain() + n);
  }
}
