package org.mortydb.bench.simulated;

import org.jspecify.annotations.Nullable;
import org.mortydb.bench.simulated.Handling.Kind;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;

/**
 * Passes what happens in a simulated cluster to its observer, and follows what causes what if the
 * observer wants to know. Does nothing as long as there is no observer. One thread runs all
 * machines, so there is one current handling.
 */
final class Observation {
  private final VirtualClock clock;
  private @Nullable ClusterObserver observer;
  private @Nullable Handling current;

  Observation(VirtualClock clock) {
    this.clock = clock;
  }

  /** Sets the observer. */
  void start(ClusterObserver seeing) {
    observer = seeing;
  }

  /** Whether there is an observer. */
  boolean isOn() {
    return observer != null;
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

  /** A replica starts to handle a message. */
  void received(ReplicaId at, Message message) {
    if (observer != null) {
      observer.received(at, message, clock.nanos());
    }
  }

  /**
   * A replica or a client emits a probe.
   *
   * @param nanos the begin of the step
   */
  void probed(Endpoint at, Probe probe, long nanos) {
    if (observer != null) {
      observer.probed(at, probe, nanos);
    }
  }

  /**
   * What the current handling causes, as long as it does not leave its process; null if nobody
   * follows.
   */
  @Nullable Passage passage(int region) {
    return observer != null && observer.follows()
        ? new Passage(current, region, clock.nanos())
        : null;
  }

  /** A handling begins. {@link #end} follows. */
  void begin(
      Kind kind,
      Endpoint at,
      int region,
      @Nullable Envelope envelope,
      @Nullable Passage passage,
      long turnNanos) {
    if (observer == null || !observer.follows()) {
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
