package org.mortydb.sim;

import it.unimi.dsi.fastutil.objects.Object2LongOpenHashMap;
import java.util.Arrays;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Vote;

/** Counts how often each thing of interest has happened. */
public final class Marks {
  // Made once: probes are too many to put words together for each.
  private static final String[] FINAL = names("vote/", Vote.Reason.values(), "/final");
  private static final String[] TENTATIVE = names("vote/", Vote.Reason.values(), "/tentative");
  private static final String[] COMMITTED = names("decided/commit/", Path.values(), "");
  private static final String[] ABORTED = names("decided/abort/", Path.values(), "");
  private static final String[] BRANCHES = names("branch/", Probe.Branch.values(), "");

  private final Object2LongOpenHashMap<String> counts = new Object2LongOpenHashMap<>();

  /** Counts one more. */
  public void add(String mark) {
    add(mark, 1);
  }

  /** Counts some more. */
  public void add(String mark, long count) {
    counts.addTo(mark, count);
  }

  /** Adds what another has counted. */
  public void addAll(Marks other) {
    other.counts.object2LongEntrySet().forEach(e -> add(e.getKey(), e.getLongValue()));
  }

  /** The counts by name. */
  public SortedMap<String, Long> counts() {
    return Collections.unmodifiableSortedMap(new TreeMap<>(counts));
  }

  /** How often something has happened. */
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
      case Probe.ReadServed read -> read.settled() ? "read/committed" : "read/uncommitted";
      case Probe.Pushed pushed -> "push";
      case Probe.Waiting waiting -> "wait";
      case Probe.Voted(var execution, Vote.Commit commit) -> "vote/COMMIT";
      case Probe.Voted(var execution, Vote.Abandon abandon) ->
          (abandon.isFinal() ? FINAL : TENTATIVE)[abandon.reason().ordinal()];
      case Probe.Installed installed -> "installed";
      case Probe.Reexecuted reexecuted -> "reexecution";
      case Probe.Revoted revoted -> "revote";
      case Probe.Prepared prepared -> "prepared";
      case Probe.Proposed proposed ->
          proposed.outcome() instanceof Outcome.Abort ? "proposed/abort" : "proposed/commit";
      case Probe.Decided decided ->
          (decided.outcome() instanceof Outcome.Abort ? ABORTED : COMMITTED)
              [decided.path().ordinal()];
      case Probe.Mark mark -> BRANCHES[mark.branch().ordinal()];
    };
  }

  private static <E extends Enum<E>> String[] names(String before, E[] values, String after) {
    return Arrays.stream(values).map(value -> before + value + after).toArray(String[]::new);
  }
}
