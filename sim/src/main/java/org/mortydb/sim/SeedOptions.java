package org.mortydb.sim;

import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.coordinator.CoordinatorRules;
import org.mortydb.protocol.replica.ReplicaRules;

/**
 * How seeds are run.
 *
 * @param faults the faults that plans may draw
 * @param replicaRules {@link ReplicaRules#SOUND}, except in tests of the checkers
 * @param coordinatorRules {@link CoordinatorRules#SOUND}, except in tests of the checkers
 * @param trace where the readable trace goes, null for nowhere
 */
public record SeedOptions(
    Set<Fault> faults,
    ReplicaRules replicaRules,
    CoordinatorRules coordinatorRules,
    @Nullable Path trace) {

  /** Sound rules, all faults, no readable trace. */
  public static final SeedOptions DEFAULTS =
      new SeedOptions(Fault.parse("all"), ReplicaRules.SOUND, CoordinatorRules.SOUND, null);

  /** The same with other faults. */
  public SeedOptions withFaults(Set<Fault> allowed) {
    return new SeedOptions(allowed, replicaRules, coordinatorRules, trace);
  }

  /** The same with other rules. */
  public SeedOptions withRules(ReplicaRules replica, CoordinatorRules coordinator) {
    return new SeedOptions(faults, replica, coordinator, trace);
  }

  /** The same with a readable trace. */
  public SeedOptions withTrace(@Nullable Path file) {
    return new SeedOptions(faults, replicaRules, coordinatorRules, file);
  }
}
