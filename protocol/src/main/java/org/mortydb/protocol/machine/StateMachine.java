package org.mortydb.protocol.machine;

/**
 * The one seam between the protocol and the world. A machine is single-threaded and pure: it gets
 * an event and the time, changes its own state, and answers with effects. It has no clock, thread,
 * lock, randomness, log or file; whoever hosts it (Netty in production, the simulator in tests)
 * calls {@link #step} from one thread at a time and carries the effects out in the order given.
 *
 * @param <E> the effects that the machine has
 */
@FunctionalInterface
public interface StateMachine<E extends Effects> {

  /**
   * Handles one event.
   *
   * @param nowMicros the host's clock in microseconds; may jump, in either direction
   * @param event what happened
   * @param out receives the effects, valid during the call only
   */
  void step(long nowMicros, Event event, E out);
}
