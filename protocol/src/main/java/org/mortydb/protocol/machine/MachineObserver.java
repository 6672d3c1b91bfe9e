package org.mortydb.protocol.machine;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;

/**
 * Is told by a host what its machines do, for metrics and traces; changes nothing.
 *
 * <p>Calls that concern one replica, or one client, come one at a time, on the thread that owns it,
 * in the order in which things happened there; calls that concern others may come at the same time
 * on other threads. They must not block: the machine waits.
 */
public interface MachineObserver {

  /**
   * A machine told something.
   *
   * @param at the replica, or the client of the coordinator
   * @param nowMicros the machine's clock, in microseconds since 1970
   */
  void probed(Endpoint at, Probe probe, long nowMicros);

  /**
   * A message has arrived that a machine handles next.
   *
   * @param at the replica, or the client, that it is for
   * @param from who sent it
   * @param nowMicros the machine's clock, in microseconds since 1970
   */
  default void received(Endpoint at, Endpoint from, Message message, long nowMicros) {}

  /**
   * A message leaves, to one receiver. What waits for the log has waited.
   *
   * @param at the replica, or the client, that sends it
   * @param nowMicros the machine's clock, in microseconds since 1970
   */
  default void sent(Endpoint at, Endpoint to, Message message, long nowMicros) {}

  /**
   * A message leaves, to every replica of a partition. What waits for the log has waited.
   *
   * @param at the replica, or the client, that sends it
   * @param nowMicros the machine's clock, in microseconds since 1970
   */
  default void broadcast(Endpoint at, int partition, Message message, long nowMicros) {}

  /**
   * A client knows how an attempt at a transaction ended; its application hears of it next.
   *
   * @param at the client
   * @param attempt its number within the transaction, from 1
   * @param nowMicros the client's clock, in microseconds since 1970
   */
  default void completed(Endpoint at, Completion completion, int attempt, long nowMicros) {}

  /**
   * One observer for all of a list, told in its order. What one of them throws goes to {@code
   * onFailure}, and neither the others nor the machine notice.
   *
   * @return null when the list is empty: nobody listens then, and hosts say so
   */
  static @Nullable MachineObserver all(
      List<? extends MachineObserver> observers, Consumer<RuntimeException> onFailure) {
    return observers.isEmpty() ? null : new AllObservers(observers, onFailure);
  }
}
