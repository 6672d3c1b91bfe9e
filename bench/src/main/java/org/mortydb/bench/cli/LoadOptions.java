package org.mortydb.bench.cli;

import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.Requirement;
import org.mortydb.config.NumberRange;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.RunOptions;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options that say how a workload is run. */
final class LoadOptions {
  private static final int CLOSED_LOOP_CLIENTS = 64;
  private static final int OPEN_LOOP_CLIENTS = 1_024;
  private static final double MOST_SECONDS = 1_000_000;

  @Option(
      names = "--clients",
      paramLabel = "N",
      description = {
        "Transactions that run at a time (default: "
            + CLOSED_LOOP_CLIENTS
            + "). With --rate: at most so many; those that are due meanwhile wait, and their wait"
            + " counts (default: "
            + OPEN_LOOP_CLIENTS
            + ")."
      })
  @Nullable Integer clients;

  @Option(
      names = "--rate",
      paramLabel = "R",
      description = {
        "Open loop: R transactions are due per second, whether or not earlier ones have ended;"
            + " latency counts from when they are due (default: closed loop, every client begins"
            + " its next transaction when the one before has ended)."
      })
  @Nullable Double rate;

  @Option(
      names = "--arrivals",
      paramLabel = "KIND",
      defaultValue = "poisson",
      description = "With --rate: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  Arrivals arrivals = Arrivals.POISSON;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "10",
      description = "Seconds that run before the measurement (default: ${DEFAULT-VALUE}).")
  double warmup = 10;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "30",
      description = "Seconds that are measured (default: ${DEFAULT-VALUE}).")
  double seconds = 30;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "Decides what records and transactions are drawn (default: ${DEFAULT-VALUE}). Timing is not"
            + " part of it: two runs are alike, not equal."
      })
  long seed = 1;

  /**
   * The options as a run takes them.
   *
   * @throws ParameterException when one is out of its range
   */
  RunOptions runOptions(CommandLine command) {
    int sessions =
        clients != null ? clients : rate == null ? CLOSED_LOOP_CLIENTS : OPEN_LOOP_CLIENTS;
    Requirement.within(command, "--clients", sessions, NumberRange.POSITIVE);
    if (rate != null) {
      Requirement.within(command, "--rate", rate, NumberRange.above(0));
    }
    Requirement.within(command, "--warmup", warmup, NumberRange.NOT_NEGATIVE);
    Requirement.within(command, "--seconds", seconds, NumberRange.above(0, MOST_SECONDS));
    return new RunOptions(
        sessions,
        rate == null ? OptionalDouble.empty() : OptionalDouble.of(rate),
        arrivals,
        warmup,
        seconds,
        seed);
  }

  /** Adds the options to those that a report names. */
  void addTo(Map<String, @Nullable Object> settings, RunOptions run) {
    settings.put("clients", run.sessions());
    settings.put("loop", rate == null ? "closed" : "open");
    settings.put("rate", rate);
    settings.put("arrivals", rate == null ? null : arrivals.name().toLowerCase(Locale.ROOT));
    settings.put("warmup", warmup);
    settings.put("seconds", seconds);
    settings.put("seed", seed);
  }
}
