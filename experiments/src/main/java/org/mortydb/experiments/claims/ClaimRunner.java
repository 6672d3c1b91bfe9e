package org.mortydb.experiments.claims;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Way;
import org.mortydb.experiments.runs.ExperimentRunner;
import org.mortydb.experiments.runs.ExperimentRunner.Outcome;
import org.mortydb.experiments.runs.FailureReason;
import org.mortydb.experiments.runs.PointRunner;
import org.mortydb.experiments.windows.WindowsRecord;
import org.mortydb.workloads.load.Progress;
import tools.jackson.databind.JsonNode;

/**
 * Makes the runs of claims that have no record yet. It can be interrupted at any time, since each
 * run leaves its record at its end.
 */
public final class ClaimRunner {
  private final ClaimRecords records;
  private final Map<Way, PointRunner> runners;
  private final WindowsRunner windows;
  private final Progress progress;
  private int jobs = 1;
  private Predicate<JsonNode> stands = record -> true;

  /** Measures windows. */
  @FunctionalInterface
  public interface WindowsRunner {
    /**
     * Measures the windows of some systems.
     *
     * @param seconds the measured virtual seconds, which the record has as a setting
     * @throws RuntimeException if that fails; the message has the reason
     */
    WindowsRecord run(List<String> systems, double seconds, Progress progress)
        throws InterruptedException;
  }

  /**
   * @param runners the runners of points by way
   */
  public ClaimRunner(
      ClaimRecords records,
      Map<Way, PointRunner> runners,
      WindowsRunner windows,
      Progress progress) {
    this.records = records;
    this.runners = runners;
    this.windows = windows;
    this.progress = progress;
  }

  /**
   * This runner, which runs several simulated points at a time.
   *
   * @param most the most points at a time, 1 or more
   * @see ExperimentRunner#withJobs
   */
  public ClaimRunner withJobs(int most) {
    jobs = most;
    return this;
  }

  /**
   * This runner, which makes runs again, too.
   *
   * @param standing whether the run of this record need not be made again
   */
  public ClaimRunner withStanding(Predicate<JsonNode> standing) {
    stands = standing;
    return this;
  }

  /**
   * Makes the runs of a claim that have no record that stands, or the record of a failure.
   *
   * @return how many, and those that failed or in which a check found a violation, now or before
   * @throws java.io.UncheckedIOException if a record cannot be read or written
   */
  public Outcome run(Claim claim) throws InterruptedException {
    return switch (claim.runs()) {
      case ClaimRuns.OfExperiment(Definition definition) ->
          new ExperimentRunner(definition, records.of(definition), runners, progress)
              .withJobs(jobs)
              .run(record -> stands.test(record));
      case ClaimRuns.OfWindows runs -> run(runs);
    };
  }

  private Outcome run(ClaimRuns.OfWindows runs) throws InterruptedException {
    Optional<WindowsRecord> found =
        records.windows(runs).filter(record -> stands.test(record.json()));
    if (found.isPresent()) {
      return new Outcome(0, 1, List.of(), violations(found.get()));
    }
    WindowsRecord record;
    try {
      record = windows.run(runs.systems(), runs.seconds(), progress);
    } catch (RuntimeException | VirtualMachineError e) {
      return new Outcome(0, 0, List.of("windows: " + FailureReason.of(e)), List.of());
    }
    records.write(runs, record);
    return new Outcome(1, 0, List.of(), violations(record));
  }

  private static List<String> violations(WindowsRecord record) {
    return Judge.violations(record).stream().map(system -> "windows of " + system).toList();
  }
}
