package org.mortydb.sim;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.WriteDurability;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.sim.host.DiskSpec;
import org.mortydb.sim.host.Fabric;
import org.mortydb.sim.host.SimDurability;
import org.mortydb.sim.workload.WorkloadProfile;

/**
 * Faults and settings that lead into one part of the protocol. The general mix draws any faults and
 * settings; the focused ones make schedules frequent that are rare there.
 */
public enum FaultMix {
  /** Any faults and settings. */
  GENERAL("general", null, "", "", "crash", "wipe"),

  /**
   * Servers lose their disks, with clocks as far apart as is allowed, and join again while others
   * write. Copies have many small parts.
   */
  REJOIN(
      "rejoin",
      SimDurability.SYNC,
      "crash,wipe,skew",
      "loss,dup,reorder,partition,slow,drift,pause,death",
      "wipe",
      "branch/REJOINED",
      "branch/ROUND_DIVIDED",
      "branch/CAUGHT_UP"),

  /**
   * Coordinators die, and servers crash between a promise, a proposal and an acceptance. Each view
   * reaches a quorum of its own, and most messages about outcomes are lost. So recoveries find
   * different accepted outcomes.
   */
  PROMISES(
      "promises",
      SimDurability.SYNC,
      "crash,death,loss",
      "dup,reorder,partition,slow,pause",
      "crash/between promise and outcome",
      "branch/RECOVERY_ADOPTED",
      "branch/RECOVERY_CHOSE"),

  /** Checkpoints are frequent and keep a short log. Servers crash while one becomes valid. */
  CHECKPOINTS(
      "checkpoints",
      SimDurability.SYNC,
      "crash",
      "loss,dup,reorder,slow,death,pause",
      "crash/at a checkpoint",
      "restart/from a checkpoint",
      "restart/with undecided votes"),

  /** Servers do not wait for their disks, and lose power, often all at once. */
  POWER(
      "power",
      SimDurability.ASYNC,
      "crash",
      "wipe,loss,reorder,partition,skew,pause,death",
      "power failure",
      "branch/REJOINED",
      "rollback"),

  /** Five replicas of each partition, whose rounds of truncation are frequent and overlap. */
  TRUNCATION(
      "truncation",
      SimDurability.SYNC,
      "loss,slow",
      "dup,reorder,partition,skew,crash,pause,death",
      "branch/TRUNCATION_TAKEN_OVER",
      "branch/TRUNCATION_FETCHES",
      "branch/BEHIND"),

  /**
   * The map of the cluster changes while transactions go on: partitions are split, merged and
   * moved. Processes that change it die at any point, and others go on. Sometimes the operator
   * takes the cluster back meanwhile, or at the end.
   */
  CHANGES(
      "changes",
      SimDurability.SYNC,
      "",
      "loss,dup,reorder,partition,slow,skew,drift,crash,wipe,pause,death",
      "branch/SEALED",
      "branch/SEAL_REFUSED",
      "branch/SEAL_ADOPTED",
      "branch/SEAL_ENDED",
      "branch/SEALED_REFUSED",
      "branch/MAP_LEARNT",
      "branch/COPIED_AHEAD",
      "branch/ARRIVED",
      "branch/ARRIVED_BY_PEER",
      "branch/MOVED_FORGOTTEN",
      "branch/PARTITION_ENDED",
      "branch/MOVED_REFUSED",
      "change/DONE",
      "change/merges",
      "change/of f",
      "change/with an earlier cut",
      "change/died",
      "rollback/after changes",
      "rollback/between changes",
      PastQuestions.MISSED,
      PastQuestions.MISSED_AT_START,
      DeafReplicas.NEEDED,
      "backup/of a later map",
      "past/snapshot",
      "past/snapshot/at",
      "past/bounded",
      "past/local"),

  /** Clocks are skewed, drift, jump, and leap by up to a year. */
  CLOCKS(
      "clocks",
      SimDurability.SYNC,
      "skew,drift,jump,leap",
      "loss,reorder,crash,wipe,pause,death",
      "branch/CLOCK_REFUSED",
      "branch/FENCE_REFUSED",
      "leap/of a client with slots"),

  /**
   * Any faults and settings, with clients that read the past at all levels, and watermarks that are
   * closer to the clock than history is long.
   */
  LEVELS(
      "levels",
      null,
      "",
      "",
      "past/snapshot",
      "past/snapshot/at",
      "past/bounded",
      "past/local",
      "past/snapshot/at/AbortedByConflict",
      "checked/LOCAL_READ",
      "session/PAST",
      "session/LOCAL",
      "session/READ_ONLY",
      "checked/GUARANTEE"),

  /**
   * Applications hear of some commits before they are durable. Servers crash meanwhile and lose
   * what is not forced, one or all, and clients die. Forces take long.
   */
  DURABILITY(
      "durability",
      SimDurability.SYNC,
      "crash,death",
      "loss,dup,reorder,partition,slow,pause,skew,wipe",
      "branch/ACKNOWLEDGED_WHEN_WRITTEN",
      "branch/PROMISE_VAGUE",
      "branch/VAGUE_PROMISE_SET_ASIDE",
      "async/acknowledged",
      "async/lost",
      "crash/of unforced records"),

  /** Any faults and settings, with transactions that merge, and close watermarks. */
  MERGES("merges", null, "", "", "vote/MERGE_LIMIT/tentative", "crash", "wipe"),

  /**
   * Any faults and settings, and what other mixes have for themselves: changes of the map, reads of
   * the past, early answers and merges, some or all of them in one run. Servers may crash often and
   * be back soon.
   */
  COMBINED(
      "combined",
      null,
      "",
      "",
      "branch/PARTITION_ENDED",
      "change/DONE",
      "past/snapshot",
      "async/acknowledged",
      "session/merge/Committed",
      "crash/short",
      "wipe",
      "rollback");

  private final String label;
  private final @Nullable SimDurability durability;
  private final Set<SimFault> always;
  private final Set<SimFault> sometimes;
  private final List<String> marks;

  FaultMix(
      String label,
      @Nullable SimDurability durability,
      String always,
      String sometimes,
      String... marks) {
    this.label = label;
    this.durability = durability;
    this.always = faults(always);
    this.sometimes = faults(sometimes);
    this.marks = List.of(marks);
  }

  private static Set<SimFault> faults(String names) {
    return names.isEmpty() ? EnumSet.noneOf(SimFault.class) : SimFault.parse(names);
  }

  /** The name on the command line. */
  public String label() {
    return label;
  }

  /** The events that the mix is made for. A large campaign must reach each of them in this mix. */
  List<String> marks() {
    return marks;
  }

  /**
   * Parses a list of names, or {@code all}.
   *
   * @throws IllegalArgumentException if a name is unknown; the message lists the known names
   */
  public static Set<FaultMix> parse(String text) {
    return text.trim().equalsIgnoreCase("all")
        ? EnumSet.allOf(FaultMix.class)
        : Arrays.stream(text.split(",", -1))
            .map(FaultMix::named)
            .collect(Collectors.toCollection(() -> EnumSet.noneOf(FaultMix.class)));
  }

  private static FaultMix named(String name) {
    for (FaultMix mix : values()) {
      if (mix.label.equals(name.trim().toLowerCase(Locale.ROOT))) {
        return mix;
      }
    }
    throw new IllegalArgumentException(
        "--mix: unknown mix '" + name.trim() + "'; the mixes are all, " + names());
  }

  /** The names of all mixes. */
  static String names() {
    return Arrays.stream(values()).map(FaultMix::label).collect(Collectors.joining(", "));
  }

  // ---- how it changes a plan --------------------------------------------------------------------

  private boolean drawsAnything() {
    return this == GENERAL || this == LEVELS || this == MERGES || this == COMBINED;
  }

  /**
   * What goes on beside the transactions of sessions.
   *
   * @param drawn the durability of the servers
   */
  Besides besides(SimDurability drawn, SplittableRandom random) {
    return switch (this) {
      case CHANGES -> new Besides(true, true, false);
      case LEVELS -> new Besides(false, true, false);
      case DURABILITY -> new Besides(false, false, true);
      case COMBINED ->
          // A cluster whose map has changed cannot go back.
          new Besides(
              drawn == SimDurability.SYNC && random.nextInt(3) > 0,
              random.nextInt(3) > 0,
              random.nextInt(3) > 0);
      default -> Besides.NOTHING;
    };
  }

  /** The mix of transactions. */
  WorkloadProfile profile(WorkloadProfile drawn, SplittableRandom random) {
    return switch (this) {
      case MERGES -> drawn.withMerges(random);
      case LEVELS, CHANGES, COMBINED -> random.nextBoolean() ? drawn.withMerges(random) : drawn;
      default -> drawn;
    };
  }

  /** The options of the next transaction of a session, if some are acknowledged early. */
  TransactionOptions options(TransactionOptions drawn, SplittableRandom random) {
    return random.nextInt(3) > 0 ? drawn.withDurability(WriteDurability.ASYNC) : drawn;
  }

  /** The durability of its servers; {@code drawn} where the mix has none. */
  SimDurability durability(SimDurability drawn) {
    return durability == null ? drawn : durability;
  }

  /** The faults of a run, of those that a plan has drawn. */
  Set<SimFault> faults(Set<SimFault> drawn) {
    if (drawsAnything()) {
      return drawn;
    }
    EnumSet<SimFault> faults = EnumSet.noneOf(SimFault.class);
    faults.addAll(always);
    drawn.stream().filter(sometimes::contains).forEach(faults::add);
    return faults;
  }

  Scenario scenario(Scenario drawn) {
    return drawsAnything() ? drawn : Scenario.PLAIN;
  }

  int f(SplittableRandom random) {
    return this == TRUNCATION || random.nextInt(4) < (this == PROMISES ? 2 : 1) ? 2 : 1;
  }

  /**
   * The number of partitions of the first map. If there is one, its replicas have the record of the
   * first change, so none of them misses that change.
   */
  int partitions(SplittableRandom random) {
    int drawn = random.nextInt(1, 4);
    return this == CHANGES && drawn == 1 && random.nextBoolean() ? 2 : drawn;
  }

  /** The longest pause of a session, so that transactions go on before and after each change. */
  long thinkMicros(long drawn, Besides besides) {
    return besides.changesMap() ? 4 * drawn : drawn;
  }

  /** The time until the faults end. Transactions that wait for recoveries or changes take long. */
  long faultMicros(long drawn, Besides besides) {
    return hasManyDeaths() ? 4 * drawn : besides.changesMap() ? 2 * drawn : drawn;
  }

  /** The largest error of a clock at the start. */
  long skewMicros(long drawn, long allowedMicros) {
    return this == REJOIN ? allowedMicros : drawn;
  }

  /**
   * The limits of the replicas.
   *
   * @param shortestMicros the shortest retention that is long enough for all clients
   */
  ReplicaOptions adapted(
      ReplicaOptions drawn,
      Besides besides,
      long shortestMicros,
      long roundTripMicros,
      SplittableRandom random) {
    long inquire = drawn.inquireMicros();
    long retention = drawn.retentionMicros();
    long tick = drawn.tickMicros();
    int copied = drawn.copiedVersions();
    switch (this) {
      case REJOIN -> {
        tick = 1 + roundTripMicros / random.nextInt(1, 5);
        retention = shortestMicros;
        copied = random.nextInt(1, 4);
      }
      case PROMISES, DURABILITY -> inquire = roundTripMicros * random.nextInt(2, 5);
      case TRUNCATION -> {
        tick = 1 + roundTripMicros / random.nextInt(1, 5);
        retention = shortestMicros;
      }
      case LEVELS, MERGES -> {
        long lag = Math.max(1, retention / random.nextInt(1, 8));
        return drawn.withWatermarkLagMicros(lag);
      }
      case GENERAL, CHECKPOINTS, POWER, CLOCKS -> {
        return drawn;
      }
      case COMBINED -> {
        if (random.nextInt(3) == 0) {
          inquire = roundTripMicros * random.nextInt(2, 5);
        }
        if (random.nextBoolean()) {
          retention = Math.min(retention, roundTripMicros * random.nextInt(4, 30));
        }
        if (besides.changesMap()) {
          // With less, no vote of a change is durable before the fence passes its transaction.
          retention = Math.max(retention, 4 * roundTripMicros);
        }
        ReplicaOptions options =
            SeedPlan.withParts(
                    new ReplicaOptions(
                        drawn.allowedSkewMicros(),
                        retention,
                        tick,
                        inquire,
                        drawn.maxVersionsPerKey()),
                    copied)
                .withRows(drawn.rows())
                .withWatermarkLagMicros(Math.max(1, retention / random.nextInt(1, 16)));
        return besides.changesMap() ? options.withMapChanges() : options;
      }
      case CHANGES -> {
        // Watermarks pass the cuts of changes, and partitions end, while there are faults.
        retention =
            random.nextInt(4) == 0
                ? retention
                : Math.min(retention, roundTripMicros * random.nextInt(4, 30));
        long lag = Math.max(1, retention / random.nextInt(1, 16));
        return SeedPlan.withParts(
                new ReplicaOptions(
                    drawn.allowedSkewMicros(), retention, tick, inquire, drawn.maxVersionsPerKey()),
                copied)
            .withRows(drawn.rows())
            .withMapChanges()
            .withWatermarkLagMicros(lag);
      }
    }
    return SeedPlan.withParts(
            new ReplicaOptions(
                drawn.allowedSkewMicros(), retention, tick, inquire, drawn.maxVersionsPerKey()),
            copied)
        .withRows(drawn.rows());
  }

  DiskSpec adapted(DiskSpec drawn, Besides besides, SplittableRandom random) {
    boolean mayBeSlow = this == COMBINED && besides.acknowledgesEarly() && !besides.changesMap();
    if (this == DURABILITY || (mayBeSlow && random.nextBoolean())) {
      return new DiskSpec(
          drawn.durability(),
          (1 + drawn.maxForceMicros())
              * (random.nextInt(3) > 0 ? random.nextInt(1, 6) : random.nextInt(6, 40)),
          drawn.checkpointRecords(),
          drawn.logMicros(),
          drawn.slotsPerTick());
    }
    return this == CHECKPOINTS
        ? new DiskSpec(
            drawn.durability(),
            drawn.maxForceMicros(),
            random.nextInt(1, 20),
            drawn.logMicros() / random.nextInt(1, 20),
            drawn.slotsPerTick())
        : drawn;
  }

  // ---- how it changes faults --------------------------------------------------------------------

  /** Whether servers may crash often and be back soon, beside other crashes. */
  boolean hasShortCrashes(Set<SimFault> faults) {
    return this == COMBINED && faults.contains(SimFault.CRASH);
  }

  /** Whether servers crash with a replica that has missed a change of the map. */
  boolean crashesAfterChanges(Set<SimFault> faults) {
    return this == CHANGES && faults.contains(SimFault.CRASH);
  }

  /** Whether coordinators die more often than in most runs. */
  boolean hasManyDeaths() {
    return this == PROMISES || this == DURABILITY;
  }

  /** The share of all messages that is lost, if messages may be lost. */
  double loss(double drawn, SplittableRandom random) {
    return this == PROMISES && random.nextInt(4) == 0 ? random.nextInt(2, 6) / 10.0 : drawn;
  }

  /** The messages about outcomes or maps that are lost, beside other losses. */
  Fabric.Loss outcomeLoss(Run run, SplittableRandom random) {
    int f = run.plan().cluster().f();
    return switch (this) {
      case PROMISES -> new SplitQuorums(f, random.nextInt(2, 7) / 10.0, random);
      case COMBINED ->
          switch (random.nextInt(5)) {
            case 0 -> new SplitQuorums(f, random.nextInt(1, 7) / 10.0, random);
            case 1 -> new DeafReplicas(run, random);
            case 2, 3 -> new LostKinds(random.nextInt(3, 11) / 10.0, random);
            default -> Fabric.Loss.NOTHING;
          };
      case CHANGES -> random.nextInt(4) > 0 ? new DeafReplicas(run, random) : Fabric.Loss.NOTHING;
      default -> Fabric.Loss.NOTHING;
    };
  }

  /** Whether a crashed server has lost its disk, if servers may. */
  boolean wipes(SplittableRandom random) {
    return random.nextInt(4) < (this == REJOIN || this == COMBINED ? 3 : 2);
  }

  /** Whether a round of crashes is a power failure, if servers do not wait for their disks. */
  boolean failsPower(SplittableRandom random) {
    return random.nextInt(3) < (this == POWER ? 2 : 1);
  }

  /** Whether the operator takes the cluster back while its map changes. */
  boolean goesBack(SplittableRandom random) {
    return this == CHANGES && random.nextInt(6) == 0;
  }

  /** Whether all servers crash at once. */
  boolean crashesAll(SplittableRandom random) {
    return random.nextInt(5) < (this == CHECKPOINTS || this == DURABILITY ? 2 : 1);
  }

  /** Whether crashes come before a message of {@link #isPivotal}, and not at any time. */
  boolean crashesBetweenMessages(SplittableRandom random) {
    return switch (this) {
      case PROMISES, DURABILITY -> random.nextInt(4) > 0;
      case COMBINED -> random.nextInt(4) == 0;
      default -> false;
    };
  }

  /** Whether such a crash comes before a message. */
  boolean crashesBefore(Message message) {
    // The vote that was told with the message before is probably not forced yet.
    boolean written = message instanceof Message.PrepareReply(var _, PrepareAnswer.Written _);
    return switch (this) {
      case DURABILITY -> written;
      case COMBINED -> written || isPivotal(message);
      default -> isPivotal(message);
    };
  }

  /** Whether crashes come with a checkpoint, and not at any time. */
  boolean crashesAtCheckpoints(SplittableRandom random) {
    return switch (this) {
      case CHECKPOINTS -> random.nextInt(4) > 0;
      case COMBINED -> random.nextInt(4) == 0;
      default -> false;
    };
  }

  /** Whether a message promises, proposes, accepts or announces an outcome. */
  static boolean isPivotal(Message message) {
    return message instanceof Message.RecoverReply || isOfOutcome(message);
  }

  /** Whether a message proposes, accepts or announces an outcome. */
  static boolean isOfOutcome(Message message) {
    return message instanceof Message.Finalize
        || message instanceof Message.FinalizeReply
        || message instanceof Message.Decide;
  }
}
