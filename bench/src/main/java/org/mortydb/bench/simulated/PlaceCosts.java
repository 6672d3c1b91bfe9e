package org.mortydb.bench.simulated;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

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

  /**
   * These costs with the kinds of messages that only another measurement has. The other measurement
   * may be of a slower machine: its costs count by the median ratio of the kinds that both have.
   */
  PlaceCosts completed(PlaceCosts other) {
    double decode = ratio(other, KindCost::decode);
    double step = ratio(other, KindCost::step);
    double encode = ratio(other, KindCost::encode);
    Map<String, KindCost> all = new TreeMap<>(kinds);
    other.kinds.forEach(
        (kind, cost) ->
            all.putIfAbsent(
                kind,
                new KindCost(
                    Math.round(cost.decode() * decode),
                    Math.round(cost.step() * step),
                    Math.round(cost.encode() * encode))));
    return new PlaceCosts(all, others, timer, begin);
  }

  /** The median ratio of a cost here to that of another measurement; 1 if no kind has both. */
  private double ratio(PlaceCosts other, ToDoubleFunction<KindCost> cost) {
    double[] ratios =
        kinds.entrySet().stream()
            .filter(one -> other.kinds.containsKey(one.getKey()))
            .mapToDouble(
                one ->
                    cost.applyAsDouble(one.getValue())
                        / cost.applyAsDouble(other.kinds.getOrDefault(one.getKey(), others)))
            .filter(ratio -> ratio > 0 && Double.isFinite(ratio))
            .sorted()
            .toArray();
    int n = ratios.length;
    return n == 0 ? 1 : (ratios[(n - 1) / 2] + ratios[n / 2]) / 2;
  }
}
