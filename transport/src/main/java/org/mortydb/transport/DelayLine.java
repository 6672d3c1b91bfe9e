package org.mortydb.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Delays the frames of one connection to emulate a wide-area network. Frames keep their order, as
 * on a TCP connection: a frame with less jitter waits for the one before it.
 */
final class DelayLine {
  /**
   * Netty may round a wait of 10 ms or more to whole milliseconds. So the line sleeps in two steps,
   * and the second one is short.
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

  /** The size in bytes of the delayed frames. */
  long heldBytes() {
    return heldBytes;
  }

  /** Takes over a frame and writes it to the channel after the delay. */
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

  /** Drops the delayed frames. */
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
