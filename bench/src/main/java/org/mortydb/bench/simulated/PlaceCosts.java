package org.mortydb.bench.simulated;

import java.util.Map;

/**
 * The costs of a server, or of a client with its share of the load generator, in nanoseconds.
 *
 * @param kinds the costs by kind of message, with the names of {@link #kindOf}
 * @param others the costs of all other kinds
 * @param timer the cost of an expired timer
 * @param begin the cost of a task from outside, such as the begin of a session's first transaction
 */
public record PlaceCosts(Map<String, KindCost> kinds, KindCost others, double timer, double begin) {

  /** The name of a kind of message. */
  public static String kindOf(Class<?> message) {
    Class<?> outer = message.getDeclaringClass();
    return outer == null
        ? message.getSimpleName()
        : outer.getSimpleName() + "." + message.getSimpleName();
  }
}
