package org.mortydb.sim;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.sim.host.SimDurability;

/**
 * The options of a seed.
 *
 * @param system the simulated system
 * @param mix which faults and settings plans draw
 * @param faults the faults that plans may draw, if the system tolerates them; the command line
 *     leaves focused mixes all of theirs
 * @param durability the durability of servers; null if plans draw sync or async
 * @param amnesia whether servers serve at once after a crash, with empty disks; true only in tests
 *     of the checkers, because it breaks the protocol
 * @param trace the file of the readable trace; null for none
 * @param steps the file of the steps that the specification is checked against; null for none
 */
public record SeedOptions(
    TransactionSystem system,
    FaultMix mix,
    Set<SimFault> faults,
    @Nullable SimDurability durability,
    boolean amnesia,
    @Nullable Path trace,
    @Nullable Path steps) {

  /** Morty, the general mix, all faults, sync or async servers, no readable trace. */
  public static final SeedOptions DEFAULTS =
      new SeedOptions(
          Morty.SYSTEM, FaultMix.GENERAL, SimFault.parse("all"), null, false, null, null);

  /** The faults that plans draw: those of {@link #faults} that the system tolerates. */
  Set<SimFault> drawnFaults() {
    EnumSet<SimFault> drawn = EnumSet.noneOf(SimFault.class);
    drawn.addAll(faults);
    drawn.retainAll(SimFault.toleratedBy(system));
    return drawn;
  }

  /** The durability of servers; always MEMORY for a system that reads no log. */
  @Nullable SimDurability keptDurability() {
    return system.isDurable() ? durability : SimDurability.MEMORY;
  }

  /**
   * The command that runs one seed again.
   *
   * @param seed any seed
   */
  public String replay(long seed) {
    if (mix != FaultMix.GENERAL) {
      return "bin/morty sim --mix " + mix.label() + " --seeds 1 --seed " + seed;
    }
    String name = system.name().equals(Morty.NAME) ? "" : " --system " + system.name();
    return "bin/morty sim"
        + name
        + " --seeds 1 --seed "
        + seed
        + " --faults "
        + SimFault.format(faults)
        + (durability == null ? "" : " --durability " + durability.name().toLowerCase(Locale.ROOT));
  }

  /** These options for another system. */
  public SeedOptions withSystem(TransactionSystem other) {
    return new SeedOptions(other, mix, faults, durability, amnesia, trace, steps);
  }

  /** These options with another mix. */
  public SeedOptions withMix(FaultMix other) {
    return new SeedOptions(system, other, faults, durability, amnesia, trace, steps);
  }

  /** These options with other faults. */
  public SeedOptions withFaults(Set<SimFault> allowed) {
    return new SeedOptions(system, mix, allowed, durability, amnesia, trace, steps);
  }

  /** These options with another durability. */
  public SeedOptions withDurability(@Nullable SimDurability other) {
    return new SeedOptions(system, mix, faults, other, amnesia, trace, steps);
  }

  /** These options with servers that serve without their memory after a crash. */
  public SeedOptions withAmnesia() {
    return new SeedOptions(system, mix, faults, durability, true, trace, steps);
  }

  /** These options with a readable trace. */
  public SeedOptions withTrace(@Nullable Path file) {
    return new SeedOptions(system, mix, faults, durability, amnesia, file, steps);
  }

  /** These options with a file of steps. */
  public SeedOptions withSteps(@Nullable Path file) {
    return new SeedOptions(system, mix, faults, durability, amnesia, trace, file);
  }
}
