package org.mortydb.sim;

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
  /** The size from which a campaign of Morty with all faults must reach every mark. */
  static final long SEEDS = 1_000;

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
  static List<String> missing(CampaignOptions options, Marks marks) {
    boolean isFull = options.seed().faults().equals(EnumSet.allOf(SimFault.class));
    boolean isMorty = options.seed().system().name().equals(Morty.NAME);
    if (options.seeds() < SEEDS || !isFull || !isMorty) {
      return List.of();
    }
    return Stream.concat(
            WAYS.stream(), Arrays.stream(Branch.values()).map(branch -> "branch/" + branch))
        .filter(mark -> marks.count(mark) == 0)
        .toList();
  }
}
