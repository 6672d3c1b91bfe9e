package org.mortydb.experiments.cli;

import org.mortydb.cli.Requirement;
import org.mortydb.config.NumberRange;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The option {@code --jobs}. */
final class JobsOption {
  private static final NumberRange JOBS = NumberRange.of(1, 1_024);

  @Option(
      names = "--jobs",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "Run N simulated points at a time, each on a core and with memory of its own. Points on"
            + " real clusters always run one by one, and first (default: ${DEFAULT-VALUE})."
      })
  private int jobs = 1;

  /** The number of jobs. */
  int jobs(CommandLine command) {
    Requirement.within(command, "--jobs", jobs, JOBS);
    return jobs;
  }
}
