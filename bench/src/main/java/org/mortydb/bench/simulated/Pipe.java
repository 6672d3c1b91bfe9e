package org.mortydb.bench.simulated;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.mortydb.bench.simulated.Observation.Passage;

/**
 * One direction of a connection between event loops of two processes. All messages of a turn leave
 * in one frame at its end, and arrive in order after the delay between the two regions.
 */
final class Pipe implements Loop.Outlet {
  private final SimulatedNetwork network;
  private final Loop sender;
  private final Loop receiver;
  private final int fromRegion;
  private final int toRegion;
  private final Consumer<Envelope> sink;
  private List<Envelope> frame = new ArrayList<>();
  private List<Envelope> closed = List.of();
  private long lastArrivalMicros;

  /**
   * @param sink receives messages, within turns of the receiver
   */
  Pipe(
      SimulatedNetwork network,
      Loop sender,
      int fromRegion,
      Loop receiver,
      int toRegion,
      Consumer<Envelope> sink) {
    this.network = network;
    this.sender = sender;
    this.receiver = receiver;
    this.fromRegion = fromRegion;
    this.toRegion = toRegion;
    this.sink = sink;
  }

  Loop sender() {
    return sender;
  }

  /** Adds a message to the frame of the sender's turn. */
  void add(Envelope envelope) {
    if (frame.isEmpty()) {
      sender.opened(this);
    }
    frame.add(envelope);
  }

  @Override
  public void close() {
    sender.charge(sender.costs().frameOut);
    closed = frame;
    frame = new ArrayList<>();
  }

  @Override
  public void leave(long nanos) {
    List<Envelope> sent = closed;
    closed = List.of();
    long arrival = VirtualClock.microsUp(nanos) + network.delayMicros(fromRegion, toRegion);
    lastArrivalMicros = Math.max(lastArrivalMicros, arrival);
    for (int i = 0; i < sent.size(); i++) {
      Passage passage = sent.get(i).passage();
      if (passage != null) {
        passage.left(fromRegion, nanos, lastArrivalMicros * VirtualClock.NANOS_PER_MICRO);
      }
    }
    network.deliver(lastArrivalMicros, () -> receiver.post(() -> arrive(sent)));
  }

  private void arrive(List<Envelope> sent) {
    receiver.charge(receiver.costs().frameIn);
    for (int i = 0; i < sent.size(); i++) {
      sink.accept(sent.get(i));
    }
  }
}
