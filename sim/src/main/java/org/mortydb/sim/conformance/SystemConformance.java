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
import org.mortydb.sim.FaultMix;
import org.mortydb.sim.SeedOptions;
import org.mortydb.sim.SeedResult;
import org.mortydb.sim.SeedRun;
import org.mortydb.sim.SimFault;
import org.mortydb.sim.SimRunner;

/**
 * Checks that a system meets the expectations of Morty's tools: its name finds it, it survives
 * simulated faults, its histories are serializable, no transaction stays undecided, and its codec
 * preserves its messages. A system with merges also runs transactions that merge. A test of the
 * system calls it:
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

  /** The seeds that run twice, to check that they repeat. */
  private static final long REPEATED_SEEDS = 3;

  private final TransactionSystem system;
  private final Set<SimFault> faults;
  private final long seeds;

  private SystemConformance(TransactionSystem system, Set<SimFault> faults, long seeds) {
    this.system = system;
    this.faults = faults;
    this.seeds = seeds;
  }

  /** A check with 200 seeds and all faults that the system's capabilities promise to tolerate. */
  public static SystemConformance of(TransactionSystem system) {
    return new SystemConformance(system, SimFault.toleratedBy(system), SEEDS);
  }

  /** This check with other faults, for a system that tolerates less. */
  public SystemConformance withFaults(Set<SimFault> tolerated) {
    return new SystemConformance(system, tolerated, seeds);
  }

  /** This check with another number of seeds, at least 1. */
  public SystemConformance withSeeds(long count) {
    return new SystemConformance(system, faults, count);
  }

  /**
   * Runs the checks.
   *
   * @throws AssertionError if one fails; the message names it and the command that repeats the run
   */
  public void check() throws InterruptedException {
    checkRegistration();
    checkInspection();
    SeedOptions options = SeedOptions.DEFAULTS.withSystem(system).withFaults(faults);
    checkRepeatable(options);
    checkCampaign(options);
    if (system.merges()) {
      checkCampaign(options.withMix(FaultMix.MERGES));
    }
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
        "a replica must implement " + Inspectable.class.getName() + ", so that it can be checked");
    require(
        !system.isDurable() || replica instanceof Replica,
        "the replicas of a durable system must be " + Replica.class.getName());
  }

  private void checkRepeatable(SeedOptions options) {
    for (long seed = 1; seed <= REPEATED_SEEDS; seed++) {
      long first = SeedRun.run(seed, options).digest();
      long second = SeedRun.run(seed, options).digest();
      require(
          first == second,
          "two runs of seed "
              + seed
              + " differ: machines must not use clocks, randomness, or the order of hash tables");
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
              + "trace it with: "
              + options.replay(failure.seed())
              + " --trace FILE");
    }
    require(result.undecided() == 0, result.undecided() + " transactions stayed undecided");
    long committed = result.marks().count("completed/committed");
    require(committed > seeds, "only " + committed + " transactions committed");
  }

  private void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(system.name() + ": " + otherwise);
    }
  }
}
