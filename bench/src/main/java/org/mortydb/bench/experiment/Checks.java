package org.mortydb.bench.experiment;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.report.Consistency;
import org.mortydb.check.journal.Check;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.protocol.system.TransactionSystems;
import org.mortydb.workloads.audit.Auditor;
import org.mortydb.workloads.audit.Finding;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunResult;
import org.mortydb.workloads.load.Target;
import org.mortydb.workloads.load.Workload;

/** The checks of every run, real or simulated. */
public final class Checks {
  private Checks() {}

  /**
   * The workload's own check. It needs runs without unfinished transactions.
   *
   * @param results the results of all loads
   * @param session a session number that the run has not used
   * @return null if there is nothing to check, or it cannot be checked
   */
  public static @Nullable Consistency audit(
      Workload workload,
      List<RunResult> results,
      List<Target> targets,
      int session,
      Progress progress) {
    if (results.stream().anyMatch(one -> one.unfinished() > 0)) {
      return null;
    }
    boolean known = targets.stream().allMatch(one -> one.log() == null || one.log().unknown() == 0);
    return audit(workload, targets.getFirst(), known, session, progress);
  }

  /**
   * The workload's own check, when no transaction is running.
   *
   * @param known whether the outcome of every transaction is known to the workload
   * @param session a session number that the run has not used
   * @return null if there is nothing to check, or it cannot be checked
   */
  public static @Nullable Consistency audit(
      Workload workload, Target target, boolean known, int session, Progress progress) {
    if (target.log() == null) {
      return null;
    }
    long start = System.nanoTime();
    Auditor auditor = new Auditor(target.client(), target.log(), session, known);
    try (Progress.Phase phase = progress.begin("audit", "", 1)) {
      workload.audit(auditor);
      if (auditor.reads() > 0) {
        phase.update(1, "%,d records".formatted(auditor.reads()));
      }
    }
    List<Finding> findings = auditor.findings();
    return findings.isEmpty()
        ? null
        : Consistency.of(
            auditor.transactions(), auditor.reads(), findings, (System.nanoTime() - start) / 1e9);
  }

  /**
   * Checks the whole history, and closes the logs.
   *
   * @param system the system's name, whose guarantee decides what is checked
   * @throws IOException if the logs cannot be read
   */
  public static Check verdict(String system, Workload workload, HistoryFolder histories)
      throws IOException {
    return Check.of(
        TransactionSystems.named(system).guarantee(),
        histories.closeLogs(),
        workload.records(),
        workload::recordName);
  }
}
