package org.mortydb.sim;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionOptions;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.ReexecutionPolicy;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.sim.host.DiskSpec;
import org.mortydb.sim.host.Durability;
import org.mortydb.sim.kernel.Randomness;
import org.mortydb.sim.net.DelayModel;
import org.mortydb.sim.workload.KeyUniverse;
import org.mortydb.sim.workload.WorkloadProfile;

/**
 * Everything that a seed decides before its run begins. All times in microseconds.
 *
 * @param temper what was adapted after it was drawn
 * @param cluster how many of what
 * @param delays how long messages travel
 * @param maxRoundTripMicros the longest round trip without jitter, by which patience is measured
 * @param replica the replicas' limits
 * @param disk the servers' disks
 * @param coordinator the coordinators' patience
 * @param transaction deadline and retries
 * @param load what clients do
 * @param faults the faults of this run
 * @param stopMicros when sessions begin nothing more
 * @param faultsEndMicros when faults end; before {@code stopMicros}
 * @param maxSkewMicros how wrong clocks are at most
 */
record Plan(
    Temper temper,
    ClusterPlan cluster,
    DelayModel delays,
    long maxRoundTripMicros,
    ReplicaOptions replica,
    DiskSpec disk,
    CoordinatorOptions coordinator,
    TransactionOptions transaction,
    LoadPlan load,
    Set<Fault> faults,
    long stopMicros,
    long faultsEndMicros,
    long maxSkewMicros) {

  /**
   * How many of what.
   *
   * @param f failures tolerated
   * @param partitions replica groups
   * @param spread whether each replica has a host of its own, instead of one host for each region
   * @param cores of each host
   * @param serviceNanos of everything that is done on a host, 0 for free
   * @param smallClientIds whether clients are numbered from 1, so that ties are broken by few bits
   * @param founded whether replicas begin without any memory and found their partitions, instead of
   *     serving from the first
   */
  record ClusterPlan(
      int f,
      int partitions,
      boolean spread,
      int cores,
      long serviceNanos,
      boolean smallClientIds,
      boolean founded) {
    int replicas() {
      return 2 * f + 1;
    }
  }

  /**
   * What clients do.
   *
   * @param clients client processes
   * @param sessions sessions of each
   * @param transactions of each session
   * @param thinkMicros the longest pause between two transactions of a session
   * @param profile what the transactions are like
   * @param keys what they fight for
   */
  record LoadPlan(
      int clients,
      int sessions,
      int transactions,
      long thinkMicros,
      WorkloadProfile profile,
      KeyUniverse keys) {}

  /** Faults that delay or end what others wait for. */
  private static final Set<Fault> ROUGH =
      EnumSet.of(Fault.LOSS, Fault.PARTITION, Fault.SLOW, Fault.CRASH, Fault.PAUSE, Fault.DEATH);

  /**
   * Draws a plan. Of the allowed faults each is in with a chance of two thirds; in one plan of
   * eight all rough ones are out.
   *
   * @param forced the temper of all plans; null to draw it
   * @param scans whether the system can scan
   */
  static Plan draw(
      Randomness randomness,
      Set<Fault> allowed,
      Durability durability,
      @Nullable Temper forced,
      boolean scans) {
    Temper temper = forced != null ? forced : Temper.draw(randomness.stream("plan/temper"));
    SplittableRandom random = randomness.stream("plan");
    ClusterPlan cluster = drawCluster(randomness.stream("plan/cluster"));
    DelayModel delays = drawDelays(randomness.stream("plan/delays"), cluster.replicas());
    long roundTrip = 2 * delays.maxBaseMicros();
    CoordinatorOptions coordinator =
        temper.adapted(drawCoordinator(randomness.stream("plan/patience"), roundTrip), roundTrip);
    long attempt = coordinator.deadlineMicros() + coordinator.graceMicros();
    LoadPlan load = drawLoad(randomness.stream("plan/load"), roundTrip, temper, scans);
    long span = load.transactions() * (4 * roundTrip + load.thinkMicros());
    Set<Fault> faults = EnumSet.noneOf(Fault.class);
    boolean gentle = random.nextInt(8) == 0;
    for (Fault fault : Fault.values()) {
      boolean drawn = random.nextInt(3) > 0;
      if (drawn && allowed.contains(fault) && !(gentle && ROUGH.contains(fault))) {
        faults.add(fault);
      }
    }
    long allowedSkew = roundTrip * random.nextInt(1, 20);
    long skew = allowedSkew * random.nextInt(1, 12) / 8;
    // Replicas that forget too early must refuse too much, and still do nothing wrong.
    long retention =
        random.nextInt(4) == 0
            ? roundTrip * random.nextInt(2, 20)
            : (attempt + allowedSkew + 2 * skew) * random.nextInt(10, 60) / 10;
    ReplicaOptions drawn =
        new ReplicaOptions(
            allowedSkew,
            retention,
            roundTrip * random.nextInt(1, 5),
            roundTrip * random.nextInt(2, 12),
            random.nextInt(3) > 0 ? 4_096 : random.nextInt(2, 12));
    ReplicaOptions replica = temper.adapted(drawn, roundTrip);
    DiskSpec disk = drawDisk(randomness.stream("plan/disk"), durability, replica, roundTrip);
    RetryPolicy retry =
        random.nextInt(4) == 0
            ? RetryPolicy.NEVER
            : new RetryPolicy(random.nextInt(2, 20), roundTrip / 4 + 1, 8 * roundTrip + 1);
    TransactionOptions transaction =
        new TransactionOptions(coordinator.deadlineMicros() * random.nextInt(1, 4), retry);
    long faultsEnd = span * random.nextInt(3, 10) / 8;
    return new Plan(
        temper,
        cluster,
        delays,
        roundTrip,
        replica,
        disk,
        coordinator,
        transaction,
        load,
        faults,
        faultsEnd + 2 * span,
        faultsEnd,
        skew);
  }

  private static ClusterPlan drawCluster(SplittableRandom random) {
    int f = random.nextInt(4) == 0 ? 2 : 1;
    int partitions = random.nextInt(1, 4);
    boolean spread = random.nextBoolean();
    int cores = random.nextInt(1, 4);
    long serviceNanos = random.nextInt(3) > 0 ? 0 : random.nextInt(100, 60_000);
    boolean smallClientIds = random.nextBoolean();
    boolean founded = random.nextInt(4) > 0;
    return new ClusterPlan(f, partitions, spread, cores, serviceNanos, smallClientIds, founded);
  }

  private static DelayModel drawDelays(SplittableRandom random, int regions) {
    long scale = new long[] {200, 2_000, 20_000}[random.nextInt(3)];
    long[][] base = new long[regions][regions];
    for (int from = 0; from < regions; from++) {
      for (int to = 0; to < regions; to++) {
        base[from][to] = from == to ? 50 : scale * random.nextInt(2, 20) / 4;
      }
    }
    double jitter = random.nextInt(4) * 0.5;
    boolean tail = random.nextBoolean();
    return new DelayModel(base, jitter, tail ? 0.02 : 0, 20);
  }

  private static DiskSpec drawDisk(
      SplittableRandom random, Durability durability, ReplicaOptions replica, long roundTrip) {
    long force = random.nextInt(4) == 0 ? 0 : roundTrip * random.nextInt(1, 16) / 16;
    long checkpoint = random.nextInt(1, 150);
    int slots = random.nextInt(1, 8);
    long log = random.nextLong(2 * replica.retentionMicros() + 1);
    return durability == Durability.SYNC
        ? new DiskSpec(durability, force, checkpoint, log, slots)
        : new DiskSpec(durability, 0, 0, 0, slots);
  }

  private static CoordinatorOptions drawCoordinator(SplittableRandom random, long roundTrip) {
    long deadline = roundTrip * random.nextInt(5, random.nextBoolean() ? 20 : 200);
    long grace = roundTrip * random.nextInt(2, 20);
    long resend = roundTrip * random.nextInt(5, 40) / 4;
    long slowPath = roundTrip * random.nextInt(0, 6) / 4;
    long uncertainty = random.nextInt(5) == 0 ? roundTrip * random.nextInt(1, 8) / 8 : 0;
    // A high limit lets a few transactions that contend take most of the events of a run.
    ReexecutionPolicy reexecution =
        switch (random.nextInt(8)) {
          case 0 -> ReexecutionPolicy.NEVER;
          case 1 -> ReexecutionPolicy.upTo(100);
          default -> ReexecutionPolicy.upTo(random.nextInt(1, 16));
        };
    if (random.nextInt(3) > 0) {
      reexecution = reexecution.gathering();
    }
    return new CoordinatorOptions(deadline, grace, resend, slowPath, uncertainty, reexecution);
  }

  private static LoadPlan drawLoad(
      SplittableRandom random, long roundTrip, Temper temper, boolean scans) {
    int clients = random.nextInt(1, 9);
    int sessions = random.nextInt(1, 5);
    int total = random.nextInt(20, 160);
    KeyUniverse keys =
        KeyUniverse.of(
            random.nextInt(1, 7),
            random.nextInt(1, 7),
            random.nextInt(1, 4),
            random.nextInt(1, 4),
            random.nextInt(1, 4));
    long thinkMicros = roundTrip * random.nextInt(4) + 1;
    WorkloadProfile profile = temper.adapted(WorkloadProfile.draw(random));
    return new LoadPlan(
        clients,
        sessions,
        Math.max(2, total / (clients * sessions)),
        thinkMicros,
        scans ? profile : profile.withoutScans(),
        keys);
  }

  /** Whether replicas remember as long as {@link ReplicaOptions} asks for. */
  boolean remembersLongEnough() {
    long attempt = coordinator.deadlineMicros() + coordinator.graceMicros();
    return replica.retentionMicros() >= attempt + replica.allowedSkewMicros();
  }

  /** Whether replicas found their partitions. */
  boolean isFounded() {
    return cluster.founded;
  }

  /** Whether servers may come back from a crash without what they knew. */
  boolean losesMemory() {
    return faults.contains(Fault.CRASH)
        && (faults.contains(Fault.WIPE) || disk.durability() == Durability.MEMORY);
  }

  /**
   * Whether messages are neither lost nor much later than they should be, so that patience is
   * always long enough.
   */
  boolean isCalm() {
    return faults.stream().noneMatch(ROUGH::contains)
        && !delays.hasTail()
        && cluster.serviceNanos == 0
        && disk.maxForceMicros() <= maxRoundTripMicros / 4
        && remembersLongEnough()
        && coordinator.graceMicros() >= 5 * maxRoundTripMicros;
  }

  /**
   * The longest that it may take until everything is decided, once no fault hinders it. A replica
   * asks for the outcome, and with the next look recovers; attempts that meet others' take turns,
   * each with more patience than the one before.
   */
  long decisionMicros() {
    return 60 * replica.inquireMicros() + 40 * (maxRoundTripMicros + disk.maxForceMicros());
  }

  String summary() {
    return "%s f=%d partitions=%d %s %s cores=%d service=%dns clients=%d*%d*%d %s keys=%d/%d rtt=%dus force=%dus retention=%dus faults=%s"
        .formatted(
            temper.name().toLowerCase(Locale.ROOT),
            cluster.f,
            cluster.partitions,
            cluster.spread ? "spread" : "by-region",
            isFounded() ? "founded" : "whole",
            cluster.cores,
            cluster.serviceNanos,
            load.clients,
            load.sessions,
            load.transactions,
            load.profile.name(),
            load.keys.lists().size(),
            load.keys.registers().size(),
            maxRoundTripMicros,
            disk.maxForceMicros(),
            replica.retentionMicros(),
            Fault.format(faults));
  }
}
