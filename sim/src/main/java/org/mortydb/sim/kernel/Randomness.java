package org.mortydb.sim.kernel;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.mortydb.check.history.ValueHash;

/**
 * All randomness of a run, from one seed. Every concern has a generator of its own, found by name;
 * so a new concern, or one that draws more, does not shift what the others draw.
 *
 * @param seed any number
 */
public record Randomness(long seed) {

  /** A fresh generator; the same for the same seed and name. */
  public SplittableRandom stream(String name) {
    return new SplittableRandom(
        ValueHash.combine(seed, ValueHash.of(name.getBytes(StandardCharsets.UTF_8))));
  }

  /** The randomness of one of several alike. */
  public Randomness child(String name, int index) {
    return new Randomness(
        ValueHash.combine(
            ValueHash.combine(seed, ValueHash.of(name.getBytes(StandardCharsets.UTF_8))), index));
  }
}
