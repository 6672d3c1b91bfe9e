package org.mortydb.transport;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The traffic of a link since it was created, over all its connections. Only the link's event loop
 * writes it; any thread may read it.
 */
public final class LinkCounters {
  private final AtomicLong framesOut = new AtomicLong();
  private final AtomicLong messagesIn = new AtomicLong();
  private final AtomicLong messagesOut = new AtomicLong();
  private final AtomicLong bytesIn = new AtomicLong();
  private final AtomicLong bytesOut = new AtomicLong();
  private final AtomicLong messagesDropped = new AtomicLong();
  private final AtomicLong roundTripMicros = new AtomicLong();
  private final AtomicLong clockAheadMicros = new AtomicLong();
  private final AtomicLong waitingBytes = new AtomicLong();
  private final AtomicLong slotMicros = new AtomicLong();

  LinkCounters() {}

  /** The traffic until now. */
  public LinkTraffic traffic() {
    return new LinkTraffic(
        framesOut.getOpaque(),
        messagesIn.getOpaque(),
        messagesOut.getOpaque(),
        bytesIn.getOpaque(),
        bytesOut.getOpaque(),
        messagesDropped.getOpaque());
  }

  /**
   * The last measured round trip in microseconds, to the peer's event loop and back. It includes
   * emulated delays and the time in queues. 0 before the first measurement and after a connection
   * was lost.
   */
  public long roundTripMicros() {
    return roundTripMicros.getOpaque();
  }

  /**
   * How far the peer's clock was ahead of the own one at the last round trip, with an error of at
   * most half the round trip. 0 before the first measurement and after a connection was lost.
   */
  public long clockAheadMicros() {
    return clockAheadMicros.getOpaque();
  }

  /**
   * The longest region slots that clients would use, in microseconds, as the peer said last. Any
   * number: the peer may not be honest.
   */
  public long slotMicros() {
    return slotMicros.getOpaque();
  }

  /** The backlog in bytes at the last {@link Link#ping}, including emulated delays. */
  public long waitingBytes() {
    return waitingBytes.getOpaque();
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

  void waiting(long bytes) {
    waitingBytes.setOpaque(bytes);
  }

  void slots(long micros) {
    slotMicros.setOpaque(micros);
  }

  void roundTrip(long micros, long aheadMicros) {
    clockAheadMicros.setOpaque(aheadMicros);
    roundTripMicros.setOpaque(micros);
  }

  /** One thread writes, so no atomic addition is needed. */
  private static void add(AtomicLong counter, long n) {
    counter.setOpaque(counter.getPlain() + n);
  }
}
