package org.mortydb.bench.simulated;

import java.util.Map;

/**
 * What a server, or a client with its share of the load generator, has to do, in nanoseconds.
 *
 * @param kinds by the name of the kind of message, as {@link #kindOf} gives it
 * @param others of kinds that are not named
 * @param timer of a timer that runs out
 * @param begin of a task from outside, such as the begin of a session's first transaction
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
