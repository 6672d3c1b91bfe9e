package org.mortydb.sim;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Vote;

/** Counts how often each thing of interest has happened. */
public final class Marks {
  private final TreeMap<String, Long> counts = new TreeMap<>();

  /** Counts one more. */
  public void add(String mark) {
    add(mark, 1);
  }

  /** Counts some more. */
  public void add(String mark, long count) {
    counts.merge(mark, count, Long::sum);
  }

  /** Adds what another has counted. */
  public void addAll(Marks other) {
    other.counts.forEach(this::add);
  }

  /** The counts by name. */
  public SortedMap<String, Long> counts() {
    return Collections.unmodifiableSortedMap(counts);
  }

  /** How often something has happened. */
  public long count(String mark) {
    return counts.getOrDefault(mark, 0L);
  }

  void add(Probe probe) {
    switch (probe) {
      case Probe.ReadServed read -> add(read.committed() ? "read" : "read/uncommitted");
      case Probe.Pushed pushed -> add("push");
      case Probe.Waiting waiting -> add("wait");
      case Probe.Voted voted -> add(vote(voted.vote()));
      case Probe.Installed installed -> add("installed");
      case Probe.Reexecuted reexecuted -> add("reexecution");
      case Probe.Revoted revoted -> add("revote");
      case Probe.Prepared prepared -> add("prepared");
      case Probe.Proposed proposed ->
          add(proposed.outcome() instanceof Outcome.Abort ? "proposed/abort" : "proposed/commit");
      case Probe.Decided decided ->
          add(
              (decided.outcome() instanceof Outcome.Abort ? "decided/abort/" : "decided/commit/")
                  + decided.path());
      case Probe.Mark mark -> add("branch/" + mark.branch());
    }
  }

  void add(Completion completion) {
    switch (completion) {
      case Completion.Committed committed -> add("completed/committed");
      case Completion.Aborted aborted -> add("completed/aborted/" + aborted.reason());
      case Completion.Unknown unknown -> add("completed/unknown");
    }
  }

  private static String vote(Vote vote) {
    return switch (vote) {
      case Vote.Commit commit -> "vote/commit";
      case Vote.Abandon(boolean isFinal, Vote.Reason reason, var fresh) ->
          "vote/" + reason + (isFinal ? "/final" : "/tentative");
    };
  }
}
