package org.mortydb.protocol.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.machine.Probe.Branch.BEHIND;
import static org.mortydb.protocol.machine.Probe.Branch.CAUGHT_UP;
import static org.mortydb.protocol.machine.Probe.Branch.CLOCK_REFUSED;
import static org.mortydb.protocol.machine.Probe.Branch.CONDITION_FAILED;
import static org.mortydb.protocol.machine.Probe.Branch.CONDITION_HELD;
import static org.mortydb.protocol.machine.Probe.Branch.COPIED_AGAIN;
import static org.mortydb.protocol.machine.Probe.Branch.COPY_ENDS;
import static org.mortydb.protocol.machine.Probe.Branch.CUT_GONE;
import static org.mortydb.protocol.machine.Probe.Branch.CUT_READ;
import static org.mortydb.protocol.machine.Probe.Branch.DELETION_DROPPED;
import static org.mortydb.protocol.machine.Probe.Branch.DROPPED_BEFORE_PREPARE;
import static org.mortydb.protocol.machine.Probe.Branch.EXECUTION_FETCHED;
import static org.mortydb.protocol.machine.Probe.Branch.FAST_ABORT;
import static org.mortydb.protocol.machine.Probe.Branch.FENCED;
import static org.mortydb.protocol.machine.Probe.Branch.FENCE_REFUSED;
import static org.mortydb.protocol.machine.Probe.Branch.FORGOTTEN_ABORT_TOLD;
import static org.mortydb.protocol.machine.Probe.Branch.FOUNDED;
import static org.mortydb.protocol.machine.Probe.Branch.OLDER_EXECUTION_COMMITTED;
import static org.mortydb.protocol.machine.Probe.Branch.OUTCOME_INQUIRED;
import static org.mortydb.protocol.machine.Probe.Branch.PARTICIPANT_LEFT;
import static org.mortydb.protocol.machine.Probe.Branch.PHANTOM_PUSHED;
import static org.mortydb.protocol.machine.Probe.Branch.PHANTOM_VOTED;
import static org.mortydb.protocol.machine.Probe.Branch.PROMISE_AWAITS_CONDITION;
import static org.mortydb.protocol.machine.Probe.Branch.READS_TAKEN_BACK;
import static org.mortydb.protocol.machine.Probe.Branch.READ_REUSED;
import static org.mortydb.protocol.machine.Probe.Branch.RECOVERY_ABORTED;
import static org.mortydb.protocol.machine.Probe.Branch.RECOVERY_ADOPTED;
import static org.mortydb.protocol.machine.Probe.Branch.RECOVERY_CHOSE;
import static org.mortydb.protocol.machine.Probe.Branch.RECOVERY_COMMITTED;
import static org.mortydb.protocol.machine.Probe.Branch.RECOVERY_OF_UNKNOWN;
import static org.mortydb.protocol.machine.Probe.Branch.RECOVERY_OUTRANKED;
import static org.mortydb.protocol.machine.Probe.Branch.RECOVERY_REPEATED;
import static org.mortydb.protocol.machine.Probe.Branch.REGISTERED;
import static org.mortydb.protocol.machine.Probe.Branch.REGISTERS_WIDELY;
import static org.mortydb.protocol.machine.Probe.Branch.REJOINED;
import static org.mortydb.protocol.machine.Probe.Branch.RETRACTED;
import static org.mortydb.protocol.machine.Probe.Branch.ROUND_DIVIDED;
import static org.mortydb.protocol.machine.Probe.Branch.SCAN_CONTINUED;
import static org.mortydb.protocol.machine.Probe.Branch.SETTLING;
import static org.mortydb.protocol.machine.Probe.Branch.SLOW_ABORT;
import static org.mortydb.protocol.machine.Probe.Branch.SLOW_COMMIT;
import static org.mortydb.protocol.machine.Probe.Branch.STALE_PREPARE_AFTER_DECISION;
import static org.mortydb.protocol.machine.Probe.Branch.SUPERSEDED_PREPARE;
import static org.mortydb.protocol.machine.Probe.Branch.TRUNCATED_REFUSED;
import static org.mortydb.protocol.machine.Probe.Branch.TRUNCATION_DROPS;
import static org.mortydb.protocol.machine.Probe.Branch.TRUNCATION_FETCHES;
import static org.mortydb.protocol.machine.Probe.Branch.TRUNCATION_RECOVERS;
import static org.mortydb.protocol.machine.Probe.Branch.TRUNCATION_TAKEN_OVER;
import static org.mortydb.protocol.machine.Probe.Branch.VALUE_UNCHANGED;
import static org.mortydb.protocol.machine.Probe.Branch.VOTED_ON_CONDITION;

import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.ReexecutionPolicy;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.replica.ReplicaOptions;

/**
 * Thousands of tiny, contended transactions on a small cluster, and the invariants of
 * docs/protocol.md, section 7, over each run. {@code -Dseeds=N} runs more of them.
 */
class ClusterTest {
  private static final int SEEDS = Integer.getInteger("seeds", 8);

  /** What befalls the cluster, and the rare branches that this has to lead into. */
  enum Setting {
    MERGES(() -> new ClusterOptions().merges()),
    MERGES_ON_ONE_KEY(
        () -> new ClusterOptions().merges().load(1, 10, 15).faults(0.02, 0.02),
        VOTED_ON_CONDITION,
        CONDITION_HELD),
    MERGES_AND_DEATHS(() -> new ClusterOptions().merges().groups(1, 2).load(3, 8, 25).deaths(0.02)),
    MERGES_AND_TRUNCATION(
        () -> truncating().merges().load(3, 8, 40).faults(0.1, 0.05).deaths(0.005),
        TRUNCATION_FETCHES,
        CAUGHT_UP),
    MERGES_AND_CRASHES(
        () ->
            new ClusterOptions()
                .merges()
                .groups(1, 2)
                .load(3, 8, 30)
                .faults(0.05, 0.05)
                .crashes()
                .replicas(new ReplicaOptions(100_000, 1_000_000, 20_000, 100_000, 8)),
        EXECUTION_FETCHED),
    MERGES_AND_LOST_DISKS(
        () ->
            new ClusterOptions()
                .merges()
                .scans()
                .backups(3)
                .load(4, 8, 30)
                .amnesia()
                .replicas(new ReplicaOptions(100_000, 1_000_000, 20_000, 100_000, 1_000)),
        REJOINED),
    REORDERING(
        ClusterOptions::new,
        FAST_ABORT,
        SLOW_COMMIT,
        SLOW_ABORT,
        SUPERSEDED_PREPARE,
        DROPPED_BEFORE_PREPARE,
        STALE_PREPARE_AFTER_DECISION,
        EXECUTION_FETCHED,
        RETRACTED,
        VALUE_UNCHANGED,
        READ_REUSED,
        FENCED,
        REGISTERED,
        REGISTERS_WIDELY,
        READS_TAKEN_BACK,
        SETTLING),
    DUPLICATION(() -> new ClusterOptions().faults(0, 0.2), STALE_PREPARE_AFTER_DECISION),
    LOSS(() -> new ClusterOptions().faults(0.1, 0.05), EXECUTION_FETCHED, OUTCOME_INQUIRED),
    HEAVY_LOSS(() -> new ClusterOptions().faults(0.3, 0.1), OUTCOME_INQUIRED),
    OUTAGES(
        () -> new ClusterOptions().groups(1, 2).outages(),
        EXECUTION_FETCHED,
        OUTCOME_INQUIRED,
        PARTICIPANT_LEFT),
    SEVERAL_PARTITIONS(() -> new ClusterOptions().groups(1, 3), PARTICIPANT_LEFT),
    SEVERAL_PARTITIONS_AND_LOSS(
        () -> new ClusterOptions().groups(1, 3).faults(0.1, 0.1), PARTICIPANT_LEFT),
    FIVE_REPLICAS(() -> new ClusterOptions().groups(2, 1), SLOW_COMMIT, FAST_ABORT),
    FIVE_REPLICAS_OUTAGES_AND_LOSS(
        () -> new ClusterOptions().groups(2, 2).faults(0.05, 0.05).outages(), OUTCOME_INQUIRED),
    ONE_KEY(
        () -> new ClusterOptions().load(1, 10, 15).faults(0.02, 0.02),
        READ_REUSED,
        VOTED_ON_CONDITION,
        CONDITION_HELD,
        CONDITION_FAILED),
    ONE_KEY_AND_DEATHS(
        () -> new ClusterOptions().load(1, 10, 15).deaths(0.02),
        CONDITION_FAILED,
        PROMISE_AWAITS_CONDITION),
    CLOCKS_FAR_APART(() -> new ClusterOptions().skew(90_000), CLOCK_REFUSED),
    NEVER_REEXECUTES(
        () ->
            new ClusterOptions()
                .coordinators(
                    new CoordinatorOptions(
                        8_000_000, 8_000_000, 100_000, 2_000, 0, ReexecutionPolicy.NEVER)),
        FAST_ABORT),
    SCANS(
        () -> new ClusterOptions().groups(1, 2).load(6, 6, 25).scans(),
        SCAN_CONTINUED,
        PHANTOM_PUSHED),
    SCANS_AND_LOSS(
        () -> new ClusterOptions().groups(1, 2).load(6, 6, 25).scans().faults(0.2, 0.1),
        PHANTOM_VOTED),
    SCANS_CRASHES_AND_DEATHS(
        () ->
            new ClusterOptions()
                .groups(1, 2)
                .load(6, 6, 25)
                .scans()
                .crashes()
                .deaths(0.003)
                .faults(0.05, 0.05),
        PHANTOM_PUSHED),
    ANYTHING(Setting::anything),
    DEATHS(
        () -> new ClusterOptions().groups(1, 2).deaths(0.01),
        RECOVERY_OUTRANKED,
        RECOVERY_ADOPTED,
        RECOVERY_OF_UNKNOWN,
        RECOVERY_COMMITTED,
        RECOVERY_ABORTED),
    DEATHS_AND_LOSS(
        () -> new ClusterOptions().groups(1, 2).deaths(0.005).faults(0.1, 0.1),
        RECOVERY_REPEATED,
        RECOVERY_COMMITTED,
        RECOVERY_ABORTED),
    IMPATIENCE(
        () ->
            new ClusterOptions()
                .groups(1, 2)
                .load(4, 8, 40)
                .delay(20_000)
                .replicas(new ReplicaOptions(100_000, 60_000_000, 2_000, 5_000, 1_000)),
        OLDER_EXECUTION_COMMITTED,
        RECOVERY_OUTRANKED),
    DEATHS_OF_FIVE_REPLICAS(
        () -> new ClusterOptions().groups(2, 2).deaths(0.005).faults(0.05, 0.05).outages(),
        RECOVERY_COMMITTED),
    DEATHS_AND_HEAVY_LOSS(
        () -> new ClusterOptions().groups(2, 1).deaths(0.04).faults(0.5, 0.1).outages(),
        RECOVERY_CHOSE),
    CRASHES(() -> new ClusterOptions().groups(1, 2).crashes(), EXECUTION_FETCHED),
    CRASHES_AND_DEATHS(
        () -> new ClusterOptions().groups(1, 2).crashes().deaths(0.005).faults(0.02, 0.02),
        RECOVERY_COMMITTED),
    CRASHES_OF_FIVE_REPLICAS(
        () -> new ClusterOptions().groups(2, 1).crashes().deaths(0.002).faults(0.02, 0.02)),
    FOUNDING(() -> new ClusterOptions().groups(1, 2).founding().faults(0.1, 0.1), FOUNDED),
    AMNESIA(() -> new ClusterOptions().groups(1, 2).amnesia(), REJOINED),
    AMNESIA_AND_DEATHS(
        () -> new ClusterOptions().groups(1, 2).amnesia().deaths(0.005).faults(0.05, 0.05),
        REJOINED,
        TRUNCATION_RECOVERS,
        FORGOTTEN_ABORT_TOLD),
    AMNESIA_AND_SKEW(() -> new ClusterOptions().groups(1, 2).amnesia().skew(50_000), FENCE_REFUSED),
    AMNESIA_OF_FIVE_REPLICAS(
        () -> new ClusterOptions().groups(2, 1).amnesia().deaths(0.002), REJOINED),
    TRUNCATION(
        () -> truncating().faults(0.1, 0.05).deaths(0.005),
        TRUNCATION_FETCHES,
        BEHIND,
        CAUGHT_UP,
        COPY_ENDS),
    TRUNCATION_AND_CRASHES(
        () -> truncating().crashes().away(1_500_000).deaths(0.02).faults(0.05, 0.05),
        TRUNCATION_DROPS,
        TRUNCATION_TAKEN_OVER),
    TRUNCATION_AND_AMNESIA(() -> truncating().amnesia().deaths(0.005).faults(0.05, 0.05), REJOINED),
    TRUNCATION_IN_PARTS_AND_AMNESIA(
        () -> inSmallParts().amnesia().deaths(0.005).faults(0.05, 0.05), REJOINED, ROUND_DIVIDED),
    DELETIONS(
        () -> truncating().load(80, 6, 80).crashes().away(2_500_000).faults(0.1, 0.05),
        DELETION_DROPPED,
        COPIED_AGAIN),
    BACKUPS(
        () -> truncating().crashes().away(500_000).faults(0.05, 0.05).backups(12),
        CUT_READ,
        CUT_GONE),
    FORGETS_SOON(Setting::shortMemory, TRUNCATED_REFUSED),
    FORGETS_SOON_WITH_LOSS(
        () -> shortMemory().groups(1, 2).faults(0.05, 0.05), TRUNCATED_REFUSED, OUTCOME_INQUIRED);

    private final LongFunction<ClusterOptions> options;
    private final List<Branch> reaches;

    Setting(Supplier<ClusterOptions> options, Branch... reaches) {
      this((long seed) -> options.get(), reaches);
    }

    Setting(LongFunction<ClusterOptions> options, Branch... reaches) {
      this.options = options;
      this.reaches = List.of(reaches);
    }

    private static ClusterOptions anything(long seed) {
      SplittableRandom random = new SplittableRandom(seed);
      ClusterOptions options =
          new ClusterOptions()
              .groups(1 + random.nextInt(2), 1 + random.nextInt(3))
              .load(1 + random.nextInt(8), 2 + random.nextInt(10), 5 + random.nextInt(20))
              .faults(0.3 * square(random.nextDouble()), 0.3 * square(random.nextDouble()))
              .skew(random.nextLong(40_000))
              .delay(random.nextLong(500, 40_000))
              .coordinators(
                  new CoordinatorOptions(
                      8_000_000,
                      8_000_000,
                      100_000,
                      random.nextLong(20_000),
                      random.nextLong(10_000),
                      ReexecutionPolicy.upTo(random.nextInt(200))));
      return random.nextBoolean() ? options.outages() : options;
    }

    private static double square(double x) {
      return x * x;
    }

    /** Watermarks follow the clock closely, and everything goes slowly. */
    private static ClusterOptions truncating() {
      return new ClusterOptions()
          .groups(1, 2)
          .load(4, 6, 40)
          .replicas(new ReplicaOptions(100_000, 900_000, 20_000, 100_000, 1_000));
    }

    /** An answer in a round names few transactions, and a part of a copy has one version. */
    private static ClusterOptions inSmallParts() {
      return truncating()
          .load(8, 6, 60)
          .replicas(
              new ReplicaOptions(100_000, 900_000, 20_000, 100_000, 1_000)
                  .withCopiedVersions(1)
                  .withNamedBytes(256));
    }

    /** The clocks are further apart than a replica remembers, and a key has few versions. */
    private static ClusterOptions shortMemory() {
      return new ClusterOptions()
          .skew(420_000)
          .replicas(new ReplicaOptions(650_000, 550_000, 10_000, 50_000, 4))
          .coordinators(
              new CoordinatorOptions(
                  300_000, 200_000, 100_000, 2_000, 0, ReexecutionPolicy.upTo(200)));
    }

    boolean forgetsSoon() {
      return this == FORGETS_SOON || this == FORGETS_SOON_WITH_LOSS;
    }

    /**
     * Whether no client may stay without its transaction's outcome: replicas remember it for longer
     * than a client that loses messages asks for it.
     */
    boolean everyoneLearns() {
      return !forgetsSoon() && !name().contains("TRUNCATION") && this != DELETIONS;
    }

    Cluster run(long seed) {
      Cluster cluster = new Cluster(seed, options.apply(seed));
      try {
        cluster.run();
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed + " of " + this + ": " + e.getMessage(), e);
      }
      return cluster;
    }
  }

  @ParameterizedTest
  @EnumSource
  void invariantsHold(Setting setting) {
    EnumSet<Branch> reached = EnumSet.noneOf(Branch.class);
    long completed = 0;
    long committed = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      Cluster cluster = setting.run(seed);
      completed += cluster.audit.completed();
      committed += cluster.audit.committed();
      for (Branch branch : Branch.values()) {
        if (cluster.times(branch) > 0) {
          reached.add(branch);
        }
      }
      if (setting.everyoneLearns()) {
        assertThat(cluster.audit.unknown()).as("unknown outcomes of seed %s", seed).isEmpty();
      }
    }
    assertThat(reached).containsAll(setting.reaches);
    assertThat(committed).as("of %s transactions", completed).isGreaterThan(completed / 5);
  }

  /**
   * These clients forward nothing to each other and lose no connections, all commits are durable,
   * and the map does not change here: the simulator has the rest.
   */
  @Test
  void everyRareBranchIsReachedInSomeSetting() {
    EnumSet<Branch> reached = EnumSet.range(Branch.SEALED, Branch.PARTITION_ENDED);
    reached.addAll(
        EnumSet.of(
            Branch.READ_ELSEWHERE,
            Branch.FORWARD_WITHDRAWN,
            Branch.ACKNOWLEDGED_WHEN_WRITTEN,
            Branch.PROMISE_VAGUE,
            Branch.VAGUE_PROMISE_SET_ASIDE));
    for (Setting setting : Setting.values()) {
      reached.addAll(setting.reaches);
    }
    assertThat(reached).containsExactly(Branch.values());
  }

  @ParameterizedTest
  @EnumSource
  void sameSeedGivesTheSameMessages(Setting setting) {
    long digest = setting.run(1).audit.digest();
    assertThat(setting.run(1).audit.digest()).isEqualTo(digest);
    assertThat(setting.run(2).audit.digest()).isNotEqualTo(digest);
  }

  @Test
  void backupsCanBeMadeAmidEverything() {
    long made = 0;
    for (long seed = 1; seed <= 3; seed++) {
      made += Setting.BACKUPS.run(seed).backedUp();
    }
    assertThat(made).as("of 36").isGreaterThan(9);
  }

  @Test
  void replicasForgetDecidedTransactions() {
    for (long seed = 1; seed <= 3; seed++) {
      Cluster cluster = Setting.FORGETS_SOON.run(seed);
      if (cluster.audit.unknown().isEmpty()) {
        assertThat(cluster.records()).isZero();
      }
    }
  }
}
