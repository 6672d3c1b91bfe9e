package org.mortydb.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Holds the frames of one connection back for the delay of an emulated wide-area network. Like a
 * TCP connection, it keeps their order: a frame with less jitter than the one before waits for it.
 */
final class DelayLine {
  /**
   * Netty may round a wait of 10 ms or more to whole milliseconds; so the line sleeps in two steps,
   * the second one short.
   */
  private static final long SHORT_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private record Held(ByteBuf frame, long deadlineNanos) {}

  private final Channel channel;
  private final long delayNanos;
  private final long jitterNanos;
  private final ArrayDeque<Held> held = new ArrayDeque<>();
  private long heldBytes;
  private long lastDeadlineNanos;
  private @Nullable Future<?> wakeUp;

  DelayLine(Channel channel, long delayMicros, long jitterMicros) {
    this.channel = channel;
    this.delayNanos = TimeUnit.MICROSECONDS.toNanos(delayMicros);
    this.jitterNanos = TimeUnit.MICROSECONDS.toNanos(jitterMicros);
    this.lastDeadlineNanos = System.nanoTime();
  }

  /** Bytes of the frames that are held. */
  long heldBytes() {
    return heldBytes;
  }

  /** Takes a frame over, to write it to the channel in due time. */
  void add(ByteBuf frame) {
    long jitter = jitterNanos == 0 ? 0 : ThreadLocalRandom.current().nextLong(jitterNanos + 1);
    long deadlineNanos = System.nanoTime() + delayNanos + jitter;
    if (deadlineNanos - lastDeadlineNanos > 0) {
      lastDeadlineNanos = deadlineNanos;
    }
    held.add(new Held(frame, lastDeadlineNanos));
    heldBytes += frame.readableBytes();
    if (held.size() == 1) {
      sleep();
    }
  }

  /** Drops what is held. */
  void clear() {
    if (wakeUp != null) {
      wakeUp.cancel(false);
    }
    held.forEach(h -> h.frame.release());
    held.clear();
    heldBytes = 0;
  }

  private void release() {
    boolean written = false;
    long nowNanos = System.nanoTime();
    for (Held head = held.peek();
        head != null && head.deadlineNanos - nowNanos <= 0;
        head = held.peek()) {
      held.remove();
      heldBytes -= head.frame.readableBytes();
      var _ = channel.write(head.frame, channel.voidPromise());
      written = true;
    }
    if (written) {
      channel.flush();
    }
    if (!held.isEmpty()) {
      sleep();
    }
  }

  private void sleep() {
    Held head = held.peek();
    if (head == null) {
      return;
    }
    long waitNanos = head.deadlineNanos - System.nanoTime();
    long stepNanos = waitNanos > SHORT_WAIT_NANOS ? waitNanos - SHORT_WAIT_NANOS : waitNanos;
    wakeUp = channel.eventLoop().schedule(this::release, stepNanos, TimeUnit.NANOSECONDS);
  }
}
