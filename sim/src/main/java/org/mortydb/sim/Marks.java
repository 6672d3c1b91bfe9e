package org.mortydb.sim;

import it.unimi.dsi.fastutil.objects.Object2LongOpenHashMap;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Vote.Reason;

/** Counts events by name: what happened in a run, and how often. */
public final class Marks {
  // Built once: probes are too frequent to build a name for each.
  private static final Map<Reason, String> FINAL = names("vote/", Reason.class, "/final");
  private static final Map<Reason, String> TENTATIVE = names("vote/", Reason.class, "/tentative");
  private static final Map<Path, String> COMMITTED = names("decided/commit/", Path.class, "");
  private static final Map<Path, String> ABORTED = names("decided/abort/", Path.class, "");
  private static final Map<Branch, String> BRANCHES = names("branch/", Branch.class, "");

  private final Object2LongOpenHashMap<String> counts = new Object2LongOpenHashMap<>();

  /** Adds one. */
  public void add(String mark) {
    add(mark, 1);
  }

  /** Adds a count. */
  public void add(String mark, long count) {
    counts.addTo(mark, count);
  }

  /** Adds all counts of another object. */
  public void addAll(Marks other) {
    other.counts.object2LongEntrySet().forEach(e -> add(e.getKey(), e.getLongValue()));
  }

  /** The counts by name. */
  public SortedMap<String, Long> counts() {
    return Collections.unmodifiableSortedMap(new TreeMap<>(counts));
  }

  /** The count of one name; 0 if it never happened. */
  public long count(String mark) {
    return counts.getLong(mark);
  }

  void add(Probe probe) {
    add(nameOf(probe));
  }

  void add(Completion completion) {
    switch (completion) {
      case Completion.Committed committed -> add("completed/committed");
      case Completion.Aborted aborted -> add("completed/aborted/" + aborted.reason());
      case Completion.Unknown unknown -> add("completed/unknown");
    }
  }

  private static String nameOf(Probe probe) {
    return switch (probe) {
      case Probe.ReadServed read -> read.settled() ? "read/settled" : "read/unsettled";
      case Probe.Pushed _ -> "push";
      case Probe.Waiting _ -> "wait";
      case Probe.Voted(_, Vote.Commit(boolean onCondition)) ->
          onCondition ? "vote/COMMIT/on-condition" : "vote/COMMIT";
      case Probe.Voted(_, Vote.Abandon abandon) ->
          name(abandon.isFinal() ? FINAL : TENTATIVE, abandon.reason());
      case Probe.Installed _ -> "installed";
      case Probe.Reexecuted _ -> "reexecution";
      case Probe.Forwarded _ -> "forwarded";
      case Probe.Revoted _ -> "revote";
      case Probe.Prepared _ -> "prepared";
      case Probe.Proposed(_, Outcome.Commit _) -> "proposed/commit";
      case Probe.Proposed(_, Outcome.Abort _) -> "proposed/abort";
      case Probe.Decided(_, Outcome.Commit _, Path path) -> name(COMMITTED, path);
      case Probe.Decided(_, Outcome.Abort _, Path path) -> name(ABORTED, path);
      case Probe.RecoveryStarted _ -> "recovery";
      case Probe.Truncated _ -> "truncated";
      case Probe.Joined _ -> "joined";
      case Probe.Mark(_, Branch branch) -> name(BRANCHES, branch);
    };
  }

  private static <E extends Enum<E>> String name(Map<E, String> names, E value) {
    return Objects.requireNonNull(names.get(value));
  }

  private static <E extends Enum<E>> Map<E, String> names(
      String before, Class<E> type, String after) {
    EnumMap<E, String> names = new EnumMap<>(type);
    for (E value : EnumSet.allOf(type)) {
      names.put(value, before + value + after);
    }
    return names;
  }
}
