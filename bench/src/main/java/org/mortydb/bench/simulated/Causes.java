package org.mortydb.bench.simulated;

import org.jspecify.annotations.Nullable;
import org.mortydb.bench.simulated.Handling.Kind;
import org.mortydb.protocol.model.Endpoint;

/**
 * Follows what causes what in a simulated cluster, for an observer that wants to know. One thread
 * runs all machines, so there is one current handling.
 */
final class Causes {
  private final VirtualClock clock;
  private final ClusterObserver observer;
  private @Nullable Handling current;

  Causes(VirtualClock clock, ClusterObserver observer) {
    this.clock = clock;
    this.observer = observer;
  }

  /** The way of a message or a timer from its cause to its handling. */
  static final class Passage {
    private final @Nullable Handling cause;
    private int fromRegion;
    private long leftNanos;
    private long arrivedNanos;

    private Passage(@Nullable Handling cause, int fromRegion, long nanos) {
      this.cause = cause;
      this.fromRegion = fromRegion;
      this.leftNanos = nanos;
      this.arrivedNanos = nanos;
    }

    /** The message leaves its process. */
    void left(int region, long atNanos, long arrivalNanos) {
      fromRegion = region;
      leftNanos = atNanos;
      arrivedNanos = arrivalNanos;
    }

    /** The timer is due. */
    void due(long nanos) {
      arrivedNanos = nanos;
    }
  }

  /**
   * What the current handling causes, as long as it does not leave its process; null if the
   * observer does not follow.
   */
  static @Nullable Passage passage(@Nullable Causes causes, int region) {
    return causes == null || !causes.observer.follows()
        ? null
        : new Passage(causes.current, region, causes.clock.nanos());
  }

  /** A handling begins. {@link #end} follows. */
  void begin(
      Kind kind,
      Endpoint at,
      int region,
      @Nullable Envelope envelope,
      @Nullable Passage passage,
      long turnNanos) {
    if (!observer.follows()) {
      return;
    }
    long now = clock.nanos();
    Handling handling =
        new Handling(
            kind,
            at,
            passage == null ? region : passage.fromRegion,
            region,
            envelope == null ? null : envelope.message(),
            passage == null ? null : passage.cause,
            passage == null ? now : passage.leftNanos,
            passage == null ? now : passage.arrivedNanos,
            turnNanos,
            now);
    current = handling;
    observer.handled(handling);
  }

  /** The handling ends. */
  void end() {
    current = null;
  }
}
