package org.mortydb.protocol.machine;

/**
 * The interface between the protocol and the rest of the program. A machine is single-threaded and
 * pure: it takes an event and the time, changes its own state, and answers with effects. It has no
 * clock, thread, lock, randomness, log or file. Its host (Netty in production, the simulator in
 * tests) calls {@link #step} from one thread at a time, and carries the effects out in order.
 *
 * @param <E> the effects that the machine has
 */
@FunctionalInterface
public interface StateMachine<E extends Effects> {

  /**
   * Handles one event.
   *
   * @param nowMicros the host's clock in microseconds; may jump in either direction
   * @param event the event
   * @param out takes the effects; valid only during the call
   */
  void step(long nowMicros, Event event, E out);
}
