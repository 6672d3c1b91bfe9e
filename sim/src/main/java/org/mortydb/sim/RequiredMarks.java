package org.mortydb.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.mortydb.protocol.machine.Probe.Branch;

/**
 * The marks that a campaign must reach to count as a test: every branch of the protocol, and every
 * kind of ending. A new {@link Branch} is required automatically.
 */
final class RequiredMarks {
  /** The seeds of each mix from which a campaign of all mixes must reach every mark. */
  static final long SEEDS = 300;

  private static final List<String> WAYS =
      List.of(
          "power failure",
          "push",
          "rollback",
          "read/unsettled",
          "reexecution",
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

  /** The required marks that a campaign did not reach. */
  static List<String> missing(
      CampaignOptions options, List<CampaignResult.OfMix> mixes, Marks marks) {
    if (options.seeds() < SEEDS || !options.hasAllMixes()) {
      return List.of();
    }
    List<String> missing = new ArrayList<>();
    Stream.concat(WAYS.stream(), Arrays.stream(Branch.values()).map(branch -> "branch/" + branch))
        .filter(mark -> marks.count(mark) == 0)
        .forEach(missing::add);
    for (CampaignResult.OfMix one : mixes) {
      one.mix().marks().stream()
          .filter(mark -> one.marks().count(mark) == 0)
          .forEach(mark -> missing.add(one.mix().label() + ": " + mark));
    }
    return missing;
  }
}
