package org.mortydb.sim;

import java.util.SplittableRandom;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.sim.host.Fabric;
import org.mortydb.sim.kernel.Randomness;

/**
 * Most messages of a few kinds are lost on their way to some processes, and no others. So what one
 * kind of message is there for happens late, or by another way.
 */
final class LostKinds implements Fabric.Loss {
  /** One kind in so many is lost. */
  private static final int KINDS_PER_LOST = 7;

  private final long salt;
  private final double share;
  private final SplittableRandom random;

  /**
   * @param share the share of these messages that is lost
   */
  LostKinds(double share, SplittableRandom random) {
    this.salt = random.nextLong();
    this.share = share;
    this.random = random.split();
  }

  @Override
  public boolean loses(Endpoint from, Endpoint to, Message message) {
    return !from.equals(to)
        && draw("kind " + message.getClass().getSimpleName(), KINDS_PER_LOST)
        && draw("to " + to, 2)
        && random.nextDouble() < share;
  }

  private boolean draw(String what, int oneOf) {
    return new Randomness(salt).stream(what).nextInt(oneOf) == 0;
  }
}
