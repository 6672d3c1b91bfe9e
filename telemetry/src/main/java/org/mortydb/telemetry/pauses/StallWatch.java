package org.mortydb.telemetry.pauses;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Records how late a thread runs a task that is due every few milliseconds. That includes every
 * reason for which the thread's other work waits: a collection, a long turn, a processor that is
 * busy with other programs, a stopped process. A stall may have lasted up to {@link #BEAT_MICROS}
 * longer than it is measured.
 */
public final class StallWatch implements AutoCloseable {
  /** How often the task is due. */
  public static final long BEAT_MICROS = 5_000;

  /** Timers are so late without a stall. */
  static final long LEAST_MICROS = 2_000;

  private final PauseRecorder recorder;
  private final LongSupplier nanos;
  private final ScheduledFuture<?> beats;
  private long dueNanos;

  /**
   * Watches a thread until {@link #close}.
   *
   * @param thread runs tasks on one thread
   */
  public StallWatch(ScheduledExecutorService thread, PauseRecorder recorder) {
    this(thread, recorder, System::nanoTime);
  }

  StallWatch(ScheduledExecutorService thread, PauseRecorder recorder, LongSupplier nanos) {
    this.recorder = recorder;
    this.nanos = nanos;
    this.dueNanos = nanos.getAsLong() + TimeUnit.MICROSECONDS.toNanos(BEAT_MICROS);
    this.beats =
        thread.scheduleWithFixedDelay(this::beat, BEAT_MICROS, BEAT_MICROS, TimeUnit.MICROSECONDS);
  }

  private void beat() {
    long nowNanos = nanos.getAsLong();
    long lateMicros = TimeUnit.NANOSECONDS.toMicros(nowNanos - dueNanos);
    if (lateMicros >= LEAST_MICROS) {
      long endMicros = System.currentTimeMillis() * 1_000;
      recorder.add(new Pause(Pause.Kind.STALL, endMicros, lateMicros));
    }
    dueNanos = nanos.getAsLong() + TimeUnit.MICROSECONDS.toNanos(BEAT_MICROS);
  }

  @Override
  public void close() {
    beats.cancel(false);
  }
}
