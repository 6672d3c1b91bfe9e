package org.mortydb.bench.simulated;

import java.util.Map;
import org.mortydb.protocol.message.Message;

/** The scaled costs of servers or clients, prepared for fast look-up. In nanoseconds. */
final class Costs {
  /** A {@link KindCost} in whole nanoseconds. */
  record Kind(long decode, long step, long encode) {}

  /** No costs. */
  static final Costs FREE =
      new Costs(TransportCosts.NONE, new PlaceCosts(Map.of(), new KindCost(0, 0, 0), 0, 0), 1);

  /** The costs of a log's writing thread beside its {@link StorageCosts}: it wakes event loops. */
  static Costs ofWriter(TransportCosts transport) {
    return new Costs(
        new TransportCosts(0, 0, 0, 0, transport.handover(), 0),
        new PlaceCosts(Map.of(), new KindCost(0, 0, 0), 0, 0),
        1);
  }

  final long wake;
  final long turn;
  final long frameIn;
  final long frameOut;
  final long handover;
  final long timer;
  final long begin;
  private final ClassValue<Kind> kinds;

  /**
   * @param scale the factor of the costs of the place
   */
  Costs(TransportCosts transport, PlaceCosts place, double scale) {
    wake = Math.round(transport.wake());
    turn = Math.round(transport.turn());
    frameIn = Math.round(transport.frameIn());
    frameOut = Math.round(transport.frameOut());
    handover = Math.round(transport.handover());
    timer = Math.round(place.timer() * scale);
    begin = Math.round(place.begin() * scale);
    kinds =
        new ClassValue<>() {
          @Override
          protected Kind computeValue(Class<?> type) {
            KindCost cost = place.kinds().getOrDefault(PlaceCosts.kindOf(type), place.others());
            return new Kind(
                Math.round(cost.decode() * scale),
                Math.round(cost.step() * scale),
                Math.round(cost.encode() * scale));
          }
        };
  }

  Kind of(Message message) {
    return kinds.get(message.getClass());
  }
}
