package org.mortydb.sim;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.engine.RegionSlots;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.ReexecutionPolicy;
import org.mortydb.protocol.coordinator.ShownWrites;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.RowLimits;
import org.mortydb.protocol.table.RowStore;
import org.mortydb.sim.host.DiskSpec;
import org.mortydb.sim.host.SimDurability;
import org.mortydb.sim.kernel.Randomness;
import org.mortydb.sim.net.DelayModel;
import org.mortydb.sim.workload.KeyUniverse;
import org.mortydb.sim.workload.WorkloadProfile;

/**
 * The parameters that a seed determines before its run begins. All times are in microseconds.
 *
 * @param mix which faults and settings are drawn
 * @param besides what goes on beside the transactions of sessions
 * @param scenario the scenario that adapts some of the drawn values
 * @param cluster the size of the cluster
 * @param delays the network's delays
 * @param maxRoundTripMicros the longest round trip without jitter, the unit of all timeouts
 * @param replica the replicas' limits
 * @param disk the servers' disks
 * @param coordinator the coordinators' timeouts
 * @param transaction deadline and retries
 * @param load the clients' work
 * @param slots the slots of time in which clients take their ids
 * @param faults the faults of this run
 * @param stopMicros the time after which sessions begin no transactions
 * @param faultsEndMicros the end of all faults, before {@code stopMicros}
 * @param maxSkewMicros the largest error of a clock at the start
 */
record SeedPlan(
    FaultMix mix,
    Besides besides,
    Scenario scenario,
    ClusterPlan cluster,
    DelayModel delays,
    long maxRoundTripMicros,
    ReplicaOptions replica,
    DiskSpec disk,
    CoordinatorOptions coordinator,
    TransactionOptions transaction,
    LoadPlan load,
    SlotPlan slots,
    Set<SimFault> faults,
    long stopMicros,
    long faultsEndMicros,
    long maxSkewMicros) {

  /**
   * The size of the cluster.
   *
   * @param f the number of tolerated failures
   * @param partitions the number of replica groups
   * @param spread whether each replica has its own host; otherwise each region has one host
   * @param cores the cores of each host
   * @param serviceNanos the service time of each task on a host; 0 for none
   * @param smallClientIds whether client ids count from 1, so that few bits break ties
   * @param founded whether replicas start without memory and found their partitions; otherwise they
   *     serve from the start
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
   * The clients' work.
   *
   * @param clients the number of client processes
   * @param sessions the number of sessions of each client
   * @param transactions the number of transactions of each session
   * @param thinkMicros the longest pause between two transactions of a session
   * @param profile the mix of operations
   * @param keys the keys that all transactions share
   */
  record LoadPlan(
      int clients,
      int sessions,
      int transactions,
      long thinkMicros,
      WorkloadProfile profile,
      KeyUniverse keys) {}

  /**
   * The slots of clients.
   *
   * @param used whether ids are taken from slots
   * @param lengthMicros the length of a slot; 0 if clients choose it
   * @param alike whether all clients have the same slots; otherwise each has another length
   */
  record SlotPlan(boolean used, long lengthMicros, boolean alike) {}

  /** Faults that can delay an outcome beyond normal timeouts. */
  private static final Set<SimFault> ROUGH =
      EnumSet.of(
          SimFault.LOSS,
          SimFault.PARTITION,
          SimFault.SLOW,
          SimFault.CRASH,
          SimFault.PAUSE,
          SimFault.DEATH,
          SimFault.LEAP,
          SimFault.HOSTILE);

  /** After so many round trips, keys that a change has moved were written and read again. */
  private static final long CHANGE_ROUND_TRIPS = 80;

  /** A copy or a round has small parts if a part of a copy has fewer versions. */
  private static final int SMALL_PART = 100;

  /** Where history is longer, the faults need not last until a partition ends. */
  private static final long SHORT_HISTORY_ROUND_TRIPS = 30;

  /**
   * Draws a plan. It has each allowed fault with a chance of two thirds. One plan in eight has no
   * rough faults.
   *
   * @param wanted the durability of servers; null to draw sync or async
   * @param scans whether the system can scan
   */
  static SeedPlan draw(
      Randomness randomness,
      FaultMix mix,
      Set<SimFault> allowed,
      @Nullable SimDurability wanted,
      boolean scans) {
    SimDurability durability =
        wanted != null
            ? wanted
            : mix.durability(drawDurability(randomness.stream("plan/durability")));
    Besides besides = mix.besides(durability, randomness.stream("plan/besides"));
    Scenario scenario = mix.scenario(Scenario.draw(randomness.stream("plan/temper")));
    SplittableRandom focus = randomness.stream("plan/mix");
    SplittableRandom random = randomness.stream("plan");
    ClusterPlan cluster = drawCluster(randomness.stream("plan/cluster"), durability, mix);
    DelayModel delays = drawDelays(randomness.stream("plan/delays"), cluster.replicas());
    long roundTrip = 2 * delays.maxBaseMicros();
    CoordinatorOptions coordinator =
        scenario.adapted(drawCoordinator(randomness.stream("plan/patience"), roundTrip), roundTrip);
    long attempt = coordinator.deadlineMicros() + coordinator.graceMicros();
    LoadPlan load =
        drawLoad(randomness.stream("plan/load"), roundTrip, scenario, scans, mix, besides);
    long span = load.transactions() * (4 * roundTrip + load.thinkMicros());
    Set<SimFault> drawnFaults = EnumSet.noneOf(SimFault.class);
    boolean gentle = random.nextInt(8) == 0;
    for (SimFault fault : SimFault.values()) {
      boolean drawn =
          fault == SimFault.HOSTILE
              ? randomness.stream("plan/hostile").nextInt(3) > 0
              : random.nextInt(3) > 0;
      if (drawn && allowed.contains(fault) && !(gentle && ROUGH.contains(fault))) {
        drawnFaults.add(fault);
      }
    }
    Set<SimFault> faults = mix.faults(drawnFaults);
    faults.retainAll(allowed);
    if (durability == SimDurability.ASYNC) {
      // The fence of a rollback rests on the clocks of all servers: an operator sets them first.
      faults.remove(SimFault.LEAP);
    }
    long allowedSkew = roundTrip * random.nextInt(1, 20);
    long skew = mix.skewMicros(allowedSkew * random.nextInt(1, 12) / 8, allowedSkew);
    // Replicas that discard state too early refuse too much, but must stay correct.
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
    ReplicaOptions replica =
        withParts(
                scenario.adapted(drawn, roundTrip),
                drawCopiedVersions(randomness.stream("plan/copies")))
            .withRows(drawRows(randomness.stream("plan/rows")));
    replica = mix.adapted(replica, besides, attempt + allowedSkew + 2 * skew, roundTrip, focus);
    DiskSpec disk =
        mix.adapted(
            drawDisk(randomness.stream("plan/disk"), durability, replica, roundTrip),
            besides,
            focus);
    RetryPolicy retry =
        random.nextInt(4) == 0
            ? RetryPolicy.NEVER
            : new RetryPolicy(random.nextInt(2, 20), roundTrip / 4 + 1, 8 * roundTrip + 1);
    TransactionOptions transaction =
        new TransactionOptions(coordinator.deadlineMicros() * random.nextInt(1, 4), retry);
    long faultMicros = mix.faultMicros(span * random.nextInt(3, 10) / 8, besides);
    long faultsEnd =
        besides.changesMap()
            ? Math.max(faultMicros, changeMicros(replica, roundTrip))
            : faultMicros;
    return new SeedPlan(
        mix,
        besides,
        scenario,
        cluster,
        delays,
        roundTrip,
        replica,
        disk,
        coordinator,
        transaction,
        load,
        drawSlots(randomness.stream("plan/slots"), cluster, replica.allowedSkewMicros()),
        faults,
        faultsEnd + 2 * span,
        faultsEnd,
        skew);
  }

  /** How long it usually takes until a change of the map has ended, and what it may break shows. */
  private static long changeMicros(ReplicaOptions replica, long roundTrip) {
    return 2 * replica.allowedSkewMicros()
        + CHANGE_ROUND_TRIPS * roundTrip
        + 2 * Math.min(replica.retentionMicros(), SHORT_HISTORY_ROUND_TRIPS * roundTrip);
  }

  /** Slots that lead away from the clock by up to half of the allowed skew. */
  private static SlotPlan drawSlots(
      SplittableRandom random, ClusterPlan cluster, long allowedSkewMicros) {
    long longest = allowedSkewMicros / (cluster.replicas() - 1);
    boolean used = random.nextBoolean() && longest > 1;
    boolean chosen = random.nextInt(4) == 0;
    return new SlotPlan(
        used, used && !chosen ? random.nextLong(1, longest) : 0, random.nextInt(4) > 0);
  }

  /** The slots of a client. */
  RegionSlots slots(int client, int region) {
    if (!slots.used) {
      return RegionSlots.NONE;
    }
    long length = slots.alike ? slots.lengthMicros : slots.lengthMicros / (client % 3 + 1);
    return new RegionSlots(
        region,
        cluster.replicas(),
        length,
        replica.allowedSkewMicros() / 2,
        coordinator.clockUncertaintyMicros() > 0);
  }

  private static SimDurability drawDurability(SplittableRandom random) {
    return random.nextInt(4) == 0 ? SimDurability.ASYNC : SimDurability.SYNC;
  }

  private static ClusterPlan drawCluster(
      SplittableRandom random, SimDurability durability, FaultMix mix) {
    int f = mix.f(random);
    int partitions = mix.partitions(random);
    boolean spread = random.nextBoolean();
    int cores = random.nextInt(1, 4);
    long serviceNanos = random.nextInt(3) > 0 ? 0 : random.nextInt(100, 60_000);
    boolean smallClientIds = random.nextBoolean();
    // Only a replica that has logged that it serves can say so after a power failure.
    boolean founded = random.nextInt(4) > 0 || durability == SimDurability.ASYNC;
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

  /** Most copies have several parts, although there are few keys. */
  private static int drawCopiedVersions(SplittableRandom random) {
    return random.nextInt(4) == 0 ? 2_048 : random.nextInt(1, 8);
  }

  /** Small parts of copies, and answers in rounds that name few transactions. */
  static ReplicaOptions withParts(ReplicaOptions options, int copiedVersions) {
    ReplicaOptions parted = options.withCopiedVersions(copiedVersions);
    return copiedVersions < SMALL_PART ? parted.withNamedBytes(256 * copiedVersions) : parted;
  }

  /** Mostly as few warm keys and as small pages as there can be: a run has few keys. */
  private static RowLimits drawRows(SplittableRandom random) {
    return random.nextInt(4) == 0
        ? RowLimits.DEFAULTS
        : new RowLimits(random.nextInt(4), RowStore.LEAST_PAGE_BYTES);
  }

  private static DiskSpec drawDisk(
      SplittableRandom random, SimDurability durability, ReplicaOptions replica, long roundTrip) {
    long force = random.nextInt(4) == 0 ? 0 : roundTrip * random.nextInt(1, 16) / 16;
    long checkpoint = random.nextInt(1, 150);
    int slots = random.nextInt(1, 8);
    long log = random.nextLong(2 * replica.retentionMicros() + 1);
    return switch (durability) {
      case SYNC -> new DiskSpec(durability, force, checkpoint, log, slots);
      case ASYNC -> {
        long interval = roundTrip * random.nextInt(1, 40) / 4 + 1;
        yield new DiskSpec(durability, interval, checkpoint, log, slots);
      }
      case MEMORY -> new DiskSpec(durability, 0, 0, 0, slots);
    };
  }

  private static CoordinatorOptions drawCoordinator(SplittableRandom random, long roundTrip) {
    long deadline = roundTrip * random.nextInt(5, random.nextBoolean() ? 20 : 200);
    long grace = roundTrip * random.nextInt(2, 20);
    long resend = roundTrip * random.nextInt(5, 40) / 4;
    long slowPath = roundTrip * random.nextInt(0, 6) / 4;
    long uncertainty = random.nextInt(5) == 0 ? roundTrip * random.nextInt(1, 8) / 8 : 0;
    // With a high limit, a few contending transactions would take most of a run's events.
    ReexecutionPolicy reexecution =
        switch (random.nextInt(8)) {
          case 0 -> ReexecutionPolicy.NEVER;
          case 1 -> ReexecutionPolicy.upTo(100);
          default -> ReexecutionPolicy.upTo(random.nextInt(1, 16));
        };
    if (random.nextInt(3) > 0) {
      reexecution = reexecution.gathering();
    }
    return new CoordinatorOptions(deadline, grace, resend, slowPath, uncertainty, reexecution)
        .withShownWrites(random.nextInt(3) == 0 ? ShownWrites.ALL : ShownWrites.OF_KEYS_READ);
  }

  private static LoadPlan drawLoad(
      SplittableRandom random,
      long roundTrip,
      Scenario scenario,
      boolean scans,
      FaultMix mix,
      Besides besides) {
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
    long thinkMicros = mix.thinkMicros(roundTrip * random.nextInt(4) + 1, besides);
    WorkloadProfile profile = mix.profile(scenario.adapted(WorkloadProfile.draw(random)), random);
    return new LoadPlan(
        clients,
        sessions,
        Math.max(2, total / (clients * sessions)),
        thinkMicros,
        scans ? profile : profile.withoutScans(),
        keys);
  }

  /** Whether replicas keep state as long as {@link ReplicaOptions} requires. */
  boolean remembersLongEnough() {
    long attempt = coordinator.deadlineMicros() + coordinator.graceMicros();
    return replica.retentionMicros() >= attempt + replica.allowedSkewMicros();
  }

  /** The cluster as a client in a region sees it. */
  Topology topology(int region) {
    int[] closest = new int[cluster.partitions];
    Arrays.fill(closest, region);
    return new Topology(cluster.f, closest);
  }

  /** Whether servers may restart without the state they had before a crash. */
  boolean losesMemory() {
    return faults.contains(SimFault.CRASH)
        && (faults.contains(SimFault.WIPE) || disk.durability() != SimDurability.SYNC);
  }

  /**
   * Whether f regions may stop for good when the faults end. A replica that joins needs more than
   * the others.
   */
  boolean mayLoseRegions() {
    return mix == FaultMix.COMBINED && !losesMemory();
  }

  /**
   * How long a client needs to learn the outcome of a transaction that waits for no other one, if
   * the plan is calm.
   */
  long learningMicros() {
    return 5 * maxRoundTripMicros;
  }

  /**
   * Whether no message is lost or much delayed, so that no timeout expires, unless a transaction
   * waits for others. Where the map changes, replicas may not hear of that (see {@link
   * DeafReplicas}), and new partitions serve late.
   */
  boolean isCalm() {
    return mix != FaultMix.COMBINED // loses messages of its own
        && !besides.changesMap()
        && !besides.acknowledgesEarly()
        && faults.stream().noneMatch(ROUGH::contains)
        && !delays.hasTail()
        && cluster.serviceNanos == 0
        && disk.maxForceMicros() <= maxRoundTripMicros / 4
        && remembersLongEnough()
        && coordinator.graceMicros() >= learningMicros();
  }

  /**
   * How much longer a replica may take to join where parts of rounds and of copies are small: each
   * takes some round trips, and a round over all that a hostile client has left has many.
   */
  long partsMicros() {
    return replica.copiedVersions() < SMALL_PART ? 2 * decisionMicros() : 0;
  }

  /**
   * The longest time until every transaction is decided after the faults end. A replica first asks
   * for the outcome and recovers later. Competing recoveries take turns with growing timeouts.
   */
  long decisionMicros() {
    return 60 * replica.inquireMicros() + 40 * (maxRoundTripMicros + disk.maxForceMicros());
  }

  String summary() {
    return "%s %s f=%d partitions=%d %s %s %s cores=%d service=%dns clients=%d*%d*%d %s keys=%d/%d rtt=%dus force=%dus retention=%dus faults=%s"
        .formatted(
            mix.label(),
            scenario.name().toLowerCase(Locale.ROOT),
            cluster.f,
            cluster.partitions,
            cluster.spread ? "spread" : "by-region",
            cluster.founded ? "founded" : "whole",
            disk.durability().name().toLowerCase(Locale.ROOT),
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
            SimFault.format(faults));
  }
}
