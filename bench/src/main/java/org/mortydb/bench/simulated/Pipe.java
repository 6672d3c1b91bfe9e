package org.mortydb.bench.simulated;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * One direction of a connection between event loops of two processes. What is sent in a turn leaves
 * as one frame at its end, and arrives, in order, after the delay between the two regions.
 */
final class Pipe implements Loop.Outlet {
  private final Wire wire;
  private final Loop sender;
  private final Loop receiver;
  private final int fromRegion;
  private final int toRegion;
  private final Consumer<Envelope> sink;
  private List<Envelope> frame = new ArrayList<>();
  private List<Envelope> closed = List.of();
  private long lastArrivalMicros;

  /**
   * @param sink takes what arrives, within turns of the receiver
   */
  Pipe(
      Wire wire,
      Loop sender,
      int fromRegion,
      Loop receiver,
      int toRegion,
      Consumer<Envelope> sink) {
    this.wire = wire;
    this.sender = sender;
    this.receiver = receiver;
    this.fromRegion = fromRegion;
    this.toRegion = toRegion;
    this.sink = sink;
  }

  Loop sender() {
    return sender;
  }

  /** Adds a message to the frame of this turn of the sender. */
  void add(Envelope envelope) {
    if (frame.isEmpty()) {
      sender.opened(this);
    }
    frame.add(envelope);
  }

  @Override
  public void close() {
    sender.usage().framesOut++;
    sender.charge(sender.costs().frameOut);
    closed = frame;
    frame = new ArrayList<>();
  }

  @Override
  public void leave(long nanos) {
    List<Envelope> sent = closed;
    closed = List.of();
    long arrival = VirtualClock.microsUp(nanos) + wire.delayMicros(fromRegion, toRegion);
    lastArrivalMicros = Math.max(lastArrivalMicros, arrival);
    wire.deliver(lastArrivalMicros, () -> receiver.post(() -> arrive(sent)));
  }

  private void arrive(List<Envelope> sent) {
    receiver.usage().framesIn++;
    receiver.charge(receiver.costs().frameIn);
    for (int i = 0; i < sent.size(); i++) {
      sink.accept(sent.get(i));
    }
  }
}
