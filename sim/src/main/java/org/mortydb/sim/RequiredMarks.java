package org.mortydb.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.system.Morty;

/**
 * The marks that a campaign must reach to count as a test: every branch of the protocol, and every
 * kind of ending. A new {@link Branch} is required automatically.
 */
final class RequiredMarks {
  /** The seeds of each mix from which a campaign of all mixes must reach every mark. */
  static final long SEEDS_OF_ALL_MIXES = 300;

  /** The seeds from which a mix must reach the marks that it is made for. */
  static final long SEEDS_OF_ONE_MIX = 200;

  /** The seeds from which the mix {@code general} alone must reach most marks. */
  static final long GENERAL_SEEDS = 500;

  private static final List<String> WAYS =
      List.of(
          "power failure",
          "push",
          "rollback",
          "read/unsettled",
          "reexecution",
          "forwarded",
          "revote",
          "wait",
          "vote/DIRTY_READ/final",
          "vote/MISSED_WRITE/final",
          "vote/MISSED_WRITE/tentative",
          "vote/WRITE_MISSED/final",
          "vote/WRITE_MISSED/tentative",
          "vote/REGISTERED_READ/tentative",
          "decided/commit/READ_ONLY",
          "decided/commit/FAST",
          "decided/commit/SLOW",
          "decided/abort/FAST",
          "decided/abort/SLOW",
          "completed/committed",
          "completed/unknown",
          "completed/aborted/APPLICATION",
          "completed/aborted/CONFLICT",
          "completed/aborted/REEXECUTION_LIMIT",
          "completed/aborted/DEADLINE",
          "completed/aborted/CLOCK_AHEAD",
          "backup/done",
          "backup/lost",
          "checkpoint",
          "crash/all at once",
          "crash/within a step",
          "crash/of unforced records",
          "continuations/reexecuted",
          "continuations/validated",
          "death/client",
          "death/coordinator",
          "direct/AbortedByApplication",
          "direct/failed",
          "direct/reexecuted",
          "direct/validated",
          "restart/from a checkpoint",
          "restart/with undecided votes",
          "wipe");

  private RequiredMarks() {}

  /**
   * The required marks that a campaign did not reach. Every mix must reach the marks that it is
   * made for, the mix {@code general} every mark that is not too rare there, and all mixes together
   * every mark. Nothing is required of seeds that may not draw every fault.
   */
  static List<String> missing(
      CampaignOptions options, List<CampaignResult.OfMix> mixes, Marks marks) {
    if (!drawsEverything(options.seed())) {
      return List.of();
    }
    List<String> missing = new ArrayList<>();
    if (options.hasAllMixes() && options.seeds() >= SEEDS_OF_ALL_MIXES) {
      every().filter(mark -> marks.count(mark) == 0).forEach(missing::add);
    }
    for (CampaignResult.OfMix one : mixes) {
      required(one.mix(), one.seeds())
          .filter(mark -> one.marks().count(mark) == 0)
          .forEach(mark -> missing.add(one.mix().label() + ": " + mark));
    }
    return missing;
  }

  private static boolean drawsEverything(SeedOptions seed) {
    return seed.system().name().equals(Morty.NAME)
        && seed.faults().containsAll(EnumSet.allOf(SimFault.class))
        && seed.durability() == null
        && !seed.amnesia();
  }

  /** The marks that a number of seeds of one mix must reach. */
  static Stream<String> required(FaultMix mix, long seeds) {
    Stream<String> own = seeds >= SEEDS_OF_ONE_MIX ? mix.marks().stream() : Stream.empty();
    return mix == FaultMix.GENERAL
        ? Stream.concat(own, every().filter(mark -> seeds >= seedsOf(mark))).distinct()
        : own;
  }

  /** The seeds of the mix {@code general} from which it must reach a mark. */
  static long seedsOf(String mark) {
    return switch (mark) {
      case "branch/OLDER_EXECUTION_COMMITTED" -> 3_000;
      case "branch/COPIED_AGAIN", "death/client" -> 1_000;
      case "branch/SEALED",
          "branch/SEAL_REFUSED",
          "branch/SEAL_ADOPTED",
          "branch/SEAL_ENDED",
          "branch/SEALED_REFUSED",
          "branch/MOVED_REFUSED",
          "branch/MAP_LEARNT",
          "branch/COPIED_AHEAD",
          "branch/ARRIVED",
          "branch/ARRIVED_BY_PEER",
          "branch/MOVED_FORGOTTEN",
          "branch/PARTITION_ENDED" ->
          Long.MAX_VALUE; // the map changes in a mix of its own
      case "branch/ACKNOWLEDGED_WHEN_WRITTEN",
          "branch/PROMISE_VAGUE",
          "branch/VAGUE_PROMISE_SET_ASIDE" ->
          Long.MAX_VALUE; // commits are acknowledged early in a mix of its own
      default -> GENERAL_SEEDS;
    };
  }

  private static Stream<String> every() {
    return Stream.concat(
        WAYS.stream(), Arrays.stream(Branch.values()).map(branch -> "branch/" + branch));
  }
}
