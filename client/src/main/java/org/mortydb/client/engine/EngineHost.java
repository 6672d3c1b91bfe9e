package org.mortydb.client.engine;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Topology;

/**
 * Clock, network and timers of a {@link ClientEngine}. The engine calls its host only from within
 * the engine's own methods. The host never blocks, and never calls the engine back from within.
 */
public interface EngineHost {

  /** The wall clock in microseconds since 1970; may jump, in either direction. */
  long nowMicros();

  /**
   * The time that has passed since some moment, in microseconds, by a clock that does not jump:
   * deadlines count by it. By default the wall clock, for hosts whose clock is never set.
   */
  default long elapsedMicros() {
    return nowMicros();
  }

  /** Sends a message, once, with no promise of delivery. */
  void send(Endpoint to, Message message);

  /** Sends one message to every replica of a partition. */
  void broadcast(int partition, Message message);

  /**
   * Calls {@link ClientEngine#onTimer} once after a delay, unless the timer is cancelled. The
   * engine cancels a timer before it schedules it again.
   *
   * @param delayMicros microseconds from now, 0 or more, by a clock that does not jump
   */
  void schedule(long delayMicros, EngineTimer timer);

  /** Cancels a scheduled timer: it must not fire. */
  void cancel(EngineTimer timer);

  /**
   * Calls {@link ClientEngine#onBatchEnd} once, after the messages that have arrived together with
   * the current one. The engine asks at most once before the call comes.
   */
  void awaitBatchEnd();

  /**
   * Calls {@link ClientEngine#perform} with a task, soon, on the thread of this engine. Other
   * engines of the same client call it, on their own threads.
   */
  void handOver(Runnable task);

  /**
   * Reports an exception that no transaction can be failed with: a result handler or a listener
   * threw, or a coordinator or driver has broken an invariant. The engine continues with other
   * transactions when this method returns.
   */
  void onError(Throwable error);

  /**
   * The delay to the farthest other region that has replicas, one way, in microseconds, as it was
   * measured last; 0 if it is not known, or there is no other region.
   */
  default long delayMicros() {
    return 0;
  }

  /**
   * The longest region slots that clients of the cluster would use, this one among them, in
   * microseconds, as servers have said last; 0 if it is not known. Nobody has checked the number.
   */
  default long longestSlotMicros() {
    return 0;
  }

  /**
   * A map of the cluster as this client sees it, with the distances of its replicas; null if the
   * host cannot reach servers that it does not know yet.
   */
  default @Nullable Topology topology(ClusterMap map) {
    return null;
  }

  /** The name of this client for error messages, as the subject of a sentence. */
  default String self() {
    return "this client";
  }

  /** Whether an observer listens to probes. The engine asks before it makes one. */
  default boolean probing() {
    return false;
  }

  /** Passes a probe to the observer; changes nothing. */
  default void probe(Probe probe) {}
}
