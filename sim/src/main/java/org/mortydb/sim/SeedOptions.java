package org.mortydb.sim;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.sim.host.Durability;

/**
 * How seeds are run.
 *
 * @param system the system that clients and replicas run
 * @param faults the faults that plans may draw, as far as the system tolerates them
 * @param durability what servers keep across a crash
 * @param amnesia whether servers come back from a crash with empty disks and serve at once, which
 *     no server ever may; false, except in tests of the checkers
 * @param temper that of all plans; null if plans draw it
 * @param trace where the readable trace goes, null for nowhere
 */
public record SeedOptions(
    TransactionSystem system,
    Set<Fault> faults,
    Durability durability,
    boolean amnesia,
    @Nullable Temper temper,
    @Nullable Path trace) {

  /** Morty, all faults, durable servers, no readable trace. */
  public static final SeedOptions DEFAULTS =
      new SeedOptions(Morty.SYSTEM, Fault.parse("all"), Durability.SYNC, false, null, null);

  /** The faults that plans draw: those of {@link #faults} that the system tolerates. */
  Set<Fault> drawnFaults() {
    EnumSet<Fault> drawn = EnumSet.noneOf(Fault.class);
    drawn.addAll(faults);
    drawn.retainAll(Fault.toleratedBy(system));
    return drawn;
  }

  /** What servers keep: nothing, if the system never reads it again. */
  Durability keptDurability() {
    return system.isDurable() ? durability : Durability.MEMORY;
  }

  /** The same for another system. */
  public SeedOptions withSystem(TransactionSystem other) {
    return new SeedOptions(other, faults, durability, amnesia, temper, trace);
  }

  /** The same with other faults. */
  public SeedOptions withFaults(Set<Fault> allowed) {
    return new SeedOptions(system, allowed, durability, amnesia, temper, trace);
  }

  /** The same with another durability. */
  public SeedOptions withDurability(Durability other) {
    return new SeedOptions(system, faults, other, amnesia, temper, trace);
  }

  /** The same with servers that come back without what they knew. */
  public SeedOptions withAmnesia() {
    return new SeedOptions(system, faults, durability, true, temper, trace);
  }

  /** The same with plans of one temper. */
  public SeedOptions withTemper(Temper all) {
    return new SeedOptions(system, faults, durability, amnesia, all, trace);
  }

  /** The same with a readable trace. */
  public SeedOptions withTrace(@Nullable Path file) {
    return new SeedOptions(system, faults, durability, amnesia, temper, file);
  }
}
