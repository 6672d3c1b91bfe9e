package org.mortydb.sim.conformance;

import java.util.Set;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.system.Inspectable;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.protocol.system.TransactionSystems;
import org.mortydb.sim.CampaignOptions;
import org.mortydb.sim.CampaignResult;
import org.mortydb.sim.Fault;
import org.mortydb.sim.SeedOptions;
import org.mortydb.sim.SeedResult;
import org.mortydb.sim.SeedRun;
import org.mortydb.sim.SimRunner;

/**
 * Checks that a system does what Morty's tools expect of it: it is found by its name, it survives
 * simulated faults, its histories are serializable, nothing stays undecided, and its messages
 * survive their codec. To be called by a test of the system:
 *
 * <pre>{@code
 * @Test
 * void conforms() throws InterruptedException {
 *   SystemConformance.of(new MySystem()).check();
 * }
 * }</pre>
 *
 * <p>Immutable.
 */
public final class SystemConformance {
  private static final long SEEDS = 200;

  /** So many seeds are run a second time, to compare what happened. */
  private static final long REPEATED_SEEDS = 3;

  private final TransactionSystem system;
  private final Set<Fault> faults;
  private final long seeds;

  private SystemConformance(TransactionSystem system, Set<Fault> faults, long seeds) {
    this.system = system;
    this.faults = faults;
    this.seeds = seeds;
  }

  /** A check with 200 seeds, and all faults that the system tolerates by its capabilities. */
  public static SystemConformance of(TransactionSystem system) {
    return new SystemConformance(system, Fault.toleratedBy(system), SEEDS);
  }

  /** The same with fewer faults, for a system that tolerates less than others of its kind. */
  public SystemConformance withFaults(Set<Fault> tolerated) {
    return new SystemConformance(system, tolerated, seeds);
  }

  /** The same with another number of seeds, at least 1. */
  public SystemConformance withSeeds(long count) {
    return new SystemConformance(system, faults, count);
  }

  /**
   * Runs the checks.
   *
   * @throws AssertionError when one fails; its message says which, and how to repeat a run
   */
  public void check() throws InterruptedException {
    checkRegistration();
    checkInspection();
    SeedOptions options = SeedOptions.DEFAULTS.withSystem(system).withFaults(faults);
    checkRepeatable(options);
    checkCampaign(options);
  }

  private void checkRegistration() {
    TransactionSystem found;
    try {
      found = TransactionSystems.named(system.name());
    } catch (IllegalArgumentException e) {
      throw new AssertionError(
          "META-INF/services/"
              + TransactionSystem.class.getName()
              + " must name "
              + system.getClass().getName()
              + ": "
              + e.getMessage(),
          e);
    }
    require(
        found.getClass() == system.getClass(),
        "the name " + system.name() + " belongs to " + found.getClass().getName());
  }

  private void checkInspection() {
    Object replica =
        system.replica(new ReplicaId(0, 0), new Topology(1, 0), ReplicaOptions.DEFAULTS);
    require(
        replica instanceof Inspectable || replica instanceof Replica,
        "a replica must implement " + Inspectable.class.getName() + ", to be checked");
    require(
        !system.isDurable() || replica instanceof Replica,
        "a durable system must have replicas of " + Replica.class.getName());
  }

  private void checkRepeatable(SeedOptions options) {
    for (long seed = 1; seed <= REPEATED_SEEDS; seed++) {
      long first = SeedRun.run(seed, options).digest();
      long second = SeedRun.run(seed, options).digest();
      require(
          first == second,
          "two runs of seed "
              + seed
              + " differ: machines must not depend on clocks, randomness, or the order of hash"
              + " tables");
    }
  }

  private void checkCampaign(SeedOptions options) throws InterruptedException {
    int threads = Runtime.getRuntime().availableProcessors();
    CampaignResult result =
        SimRunner.run(
            new CampaignOptions(1, seeds, threads, false, 1, options), (done, failures) -> {});
    if (!result.failures().isEmpty()) {
      SeedResult failure = result.failures().getFirst();
      throw new AssertionError(
          system.name()
              + " fails in seed "
              + failure.seed()
              + ": "
              + failure.violations()
              + System.lineSeparator()
              + "plan: "
              + failure.plan()
              + System.lineSeparator()
              + "trace it with: morty sim --system "
              + system.name()
              + " --seeds 1 --seed "
              + failure.seed()
              + " --faults "
              + Fault.format(faults)
              + " --trace FILE");
    }
    require(result.undecided() == 0, result.undecided() + " transactions stayed undecided");
    long committed = result.marks().count("completed/committed");
    require(committed > seeds, "only " + committed + " transactions have committed");
  }

  private void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(system.name() + ": " + otherwise);
    }
  }
}
