package org.mortydb.transport;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;

/** Records the events of links. Tests wait for them. */
class RecordingListener implements LinkListener {

  sealed interface Happened {}

  record Up(Link link, PeerInfo peer) implements Happened {}

  record Got(Link link, Endpoint from, Endpoint to, Message message, long nanos)
      implements Happened {}

  record Down(Link link, LinkFailure reason) implements Happened {}

  record Failed(Link link, LinkFailure reason) implements Happened {}

  private final BlockingQueue<Happened> happened = new LinkedBlockingQueue<>();

  @Override
  public void onUp(Link link, PeerInfo peer) {
    happened.add(new Up(link, peer));
  }

  @Override
  public void onMessage(Link link, Endpoint from, Endpoint to, Message message) {
    happened.add(new Got(link, from, to, message, System.nanoTime()));
  }

  /** Answers the double. */
  @Override
  public int onSlots(Link link, int slotMicros) {
    return 2 * slotMicros;
  }

  @Override
  public void onBatchEnd(Link link) {}

  @Override
  public void onDown(Link link, LinkFailure reason) {
    happened.add(new Down(link, reason));
  }

  @Override
  public void onConnectFailed(Link link, LinkFailure reason) {
    happened.add(new Failed(link, reason));
  }

  /** The next event, which must have this type. */
  <T extends Happened> T next(Class<T> type) throws InterruptedException {
    Happened next = happened.poll(10, TimeUnit.SECONDS);
    if (!type.isInstance(next)) {
      throw new AssertionError("expected " + type.getSimpleName() + ", was " + next);
    }
    return type.cast(next);
  }

  /** The next event of this type; skips others. */
  <T extends Happened> T await(Class<T> type) throws InterruptedException {
    while (true) {
      Happened next = happened.poll(10, TimeUnit.SECONDS);
      if (next == null) {
        throw new AssertionError("no " + type.getSimpleName() + " within 10 s");
      }
      if (type.isInstance(next)) {
        return type.cast(next);
      }
    }
  }

  boolean isEmpty() {
    return happened.isEmpty();
  }
}
