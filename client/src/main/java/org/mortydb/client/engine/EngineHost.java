package org.mortydb.client.engine;

import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;

/**
 * What a {@link ClientEngine} needs of the world. Called only from within the engine's own methods;
 * never blocks and never calls the engine back from within.
 */
public interface EngineHost {

  /** The wall clock in microseconds since 1970; may jump, in either direction. */
  long nowMicros();

  /** Sends a message, once, with no promise of delivery. */
  void send(Endpoint to, Message message);

  /** Sends one message to every replica of a partition. */
  void broadcast(int partition, Message message);

  /**
   * Calls {@link ClientEngine#onTimer} once after a delay, unless cancelled. A timer is scheduled
   * at most once at a time: the engine cancels it before it schedules it again.
   *
   * @param delayMicros microseconds from now by a clock that does not jump, 0 or more
   */
  void schedule(long delayMicros, EngineTimer timer);

  /** Cancels a scheduled timer, which must not fire any more. */
  void cancel(EngineTimer timer);

  /**
   * Calls {@link ClientEngine#onBatchEnd} once, after the messages that have arrived together with
   * the current one. The engine asks at most once before the call comes.
   */
  void awaitBatchEnd();

  /**
   * Application code that cannot be answered otherwise (a result handler) has thrown, or a
   * coordinator has found a broken invariant. The engine goes on with other transactions when this
   * returns.
   */
  void onError(Throwable error);

  /** Who this client is to the servers, as the subject of a sentence. */
  default String self() {
    return "this client";
  }

  /** Whether anybody listens to probes; asked before one is made. */
  default boolean probing() {
    return false;
  }

  /** Tells an observer what happened; changes nothing. */
  default void probe(Probe probe) {}
}
