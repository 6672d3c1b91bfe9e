package org.mortydb.protocol.machine;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;

/**
 * Observes the machines of a host, for metrics and traces; changes nothing.
 *
 * <p>The calls for one replica or one client come one at a time, in order, on the thread that owns
 * it. Calls for others may come at the same time on other threads. An observer must not block,
 * because the machine waits for it.
 */
public interface MachineObserver {

  /**
   * A machine has made a probe.
   *
   * @param at the replica, or the client of the coordinator
   * @param nowMicros the machine's clock, in microseconds since 1970
   */
  void probed(Endpoint at, Probe probe, long nowMicros);

  /**
   * A message has arrived. The machine handles it next.
   *
   * @param at the replica, or the client, that receives it
   * @param from the sender
   * @param nowMicros the machine's clock, in microseconds since 1970
   */
  default void received(Endpoint at, Endpoint from, Message message, long nowMicros) {}

  /**
   * A message leaves for one receiver. Its wait for the log, if any, is over.
   *
   * @param at the replica, or the client, that sends it
   * @param nowMicros the machine's clock, in microseconds since 1970
   */
  default void sent(Endpoint at, Endpoint to, Message message, long nowMicros) {}

  /**
   * A message leaves for every replica of a partition. Its wait for the log, if any, is over.
   *
   * @param at the replica, or the client, that sends it
   * @param nowMicros the machine's clock, in microseconds since 1970
   */
  default void broadcast(Endpoint at, int partition, Message message, long nowMicros) {}

  /**
   * An attempt at a transaction has ended. The client's application hears of it next.
   *
   * @param at the client
   * @param attempt its number within the transaction, from 1
   * @param nowMicros the client's clock, in microseconds since 1970
   */
  default void completed(Endpoint at, Completion completion, int attempt, long nowMicros) {}

  /**
   * Combines observers into one that calls them in order. An exception of one of them goes to
   * {@code onFailure}, and does not affect the others or the machine.
   *
   * @return null when the list is empty, so that hosts need not make probes
   */
  static @Nullable MachineObserver all(
      List<? extends MachineObserver> observers, Consumer<RuntimeException> onFailure) {
    return observers.isEmpty() ? null : new AllObservers(observers, onFailure);
  }
}
