package org.mortydb.sim.kernel;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.mortydb.check.history.ValueHash;

/**
 * All randomness of a run, derived from one seed. Each concern has its own generator with a name,
 * so a change to one concern does not change the draws of the others.
 *
 * @param seed any number
 */
public record Randomness(long seed) {

  /** A new generator, determined by seed and name. */
  public SplittableRandom stream(String name) {
    return new SplittableRandom(
        ValueHash.combine(seed, ValueHash.of(name.getBytes(StandardCharsets.UTF_8))));
  }

  /** The randomness of one of several similar parts. */
  public Randomness child(String name, int index) {
    return new Randomness(
        ValueHash.combine(
            ValueHash.combine(seed, ValueHash.of(name.getBytes(StandardCharsets.UTF_8))), index));
  }
}
