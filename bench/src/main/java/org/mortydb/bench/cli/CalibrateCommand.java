package org.mortydb.bench.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.simulated.Calibration;
import org.mortydb.bench.simulated.Calibrator;
import org.mortydb.bench.simulated.InvalidCalibrationException;
import org.mortydb.cli.DataOption;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.FailedException;
import org.mortydb.cli.Requirement;
import org.mortydb.config.NumberRange;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.protocol.system.TransactionSystems;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.core.JacksonException;

/** {@code morty calibrate}. */
@Command(
    name = "calibrate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Measures processor costs on this machine, for runs with --simulated.",
    description = {
      "",
      "Measures event loops, frames and the log, and times the steps of the state machines by"
          + " kind of message. Then runs some points in processes, to find the factor by which steps"
          + " take longer there, and prints how far real and simulated runs differ. This takes about"
          + " half an hour; run nothing else meanwhile. docs/explanation/simulation.md explains"
          + " the method.",
      ""
    },
    footer = {"", "Example:", "  morty calibrate --json paper/calibration/two-cores.json"})
final class CalibrateCommand implements Callable<Integer> {
  private static final double MOST_SECONDS = 600;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--json",
      paramLabel = "FILE",
      required = true,
      description = "The calibration file to write.")
  private Path json = Path.of("");

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "12",
      description = "The measured seconds of each real run (default: ${DEFAULT-VALUE}).")
  private double seconds = 12;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "30",
      description = {
        "The seconds of each real run that are not measured at first, in which new processes compile"
            + " (default: ${DEFAULT-VALUE})."
      })
  private double warmup = 30;

  @Mixin private final DataOption data = new DataOption();

  @Option(
      names = "--systems",
      paramLabel = "NAME",
      split = ",",
      description =
          "The systems whose steps are measured (default: all but the variants of Morty, which take"
              + " its costs).")
  private @Nullable List<String> systems;

  @Option(
      names = "--workloads",
      paramLabel = "NAME",
      split = ",",
      description = "The workloads on which steps are measured (default: all).")
  private @Nullable List<String> workloads;

  @Option(
      names = "--fit",
      paramLabel = "NAME",
      split = ",",
      description = {
        "The systems that run in processes, to find the factors of their steps (default: all"
            + " systems with costs of their own)."
      })
  private @Nullable List<String> fitting;

  @Option(
      names = "--real",
      paramLabel = "FILE",
      split = ",",
      description = {
        "Records of 'morty bench retwis --processes --json' from this machine, which replace the"
            + " real runs."
      })
  private @Nullable List<Path> real;

  @Option(
      names = "--complete",
      paramLabel = "FILE",
      description = {
        "Measures only the steps of those kinds of messages that this calibration lacks, beside"
            + " those that it has, and writes it with them to --json. This takes a few seconds for"
            + " each system and workload."
      })
  private @Nullable Path lacking;

  @Option(
      names = "--again",
      paramLabel = "FILE",
      description = {
        "Measures only steps, and fits them to the real runs of this calibration, whose event loops,"
            + " frames and log are kept. This takes about eight minutes on the calibrated machine."
      })
  private @Nullable Path earlier;

  @Option(
      names = "--refit",
      paramLabel = "FILE",
      description = {
        "Measures nothing: fits the factors of this calibration to its real runs once more, and"
            + " compares them. Use it after a change of the simulator, on any machine."
      })
  private @Nullable Path fittedBefore;

  @Option(
      names = "--remarks",
      paramLabel = "TEXT",
      defaultValue = "",
      description = "A remark on the circumstances, for the file.")
  private String remarks = "";

  @Override
  public Integer call() throws InterruptedException {
    Requirement.writable(spec.commandLine(), "--json", json);
    Requirement.within(
        spec.commandLine(), "--seconds", seconds, NumberRange.above(0, MOST_SECONDS));
    Requirement.within(spec.commandLine(), "--warmup", warmup, NumberRange.above(0, MOST_SECONDS));
    List<TransactionSystem> all =
        systems == null
            ? (lacking == null ? Calibrator.gauged() : TransactionSystems.all())
            : SystemNames.named(spec.commandLine(), "--systems", systems);
    Requirement.that(
        lacking == null || (fitting == null && real == null),
        spec.commandLine(),
        "--complete measures only steps: leave --fit and --real out");
    Requirement.that(
        earlier == null || (fitting == null && real == null && lacking == null),
        spec.commandLine(),
        "--again has the real runs of the earlier calibration: leave --fit, --real and --complete"
            + " out");
    Requirement.that(
        fittedBefore == null
            || (earlier == null
                && fitting == null
                && real == null
                && lacking == null
                && systems == null
                && workloads == null),
        spec.commandLine(),
        "--refit measures nothing: leave --systems, --workloads, --fit, --real, --again and"
            + " --complete out");
    PrintWriter out = spec.commandLine().getOut();
    Calibrator calibrator =
        new Calibrator(
            warmup,
            seconds,
            data.directory(
                lacking == null && earlier == null && fittedBefore == null, spec.commandLine()),
            TerminalProgress.onStandardError(),
            line -> {
              out.println(line);
              out.flush();
            });
    try {
      List<String> on = workloads == null ? Calibrator.workloads() : workloads;
      Path known = lacking;
      if (known != null) {
        calibrator.complete(Calibration.read(known), all, on, remarks).write(json);
        return ExitCode.OK;
      }
      Path unfitted = fittedBefore;
      if (unfitted != null) {
        calibrator.refit(Calibration.read(unfitted), remarks).write(json);
        return ExitCode.OK;
      }
      Path before = earlier;
      if (before != null) {
        calibrator.again(Calibration.read(before), all, on, remarks).write(json);
        return ExitCode.OK;
      }
      Calibration calibration =
          calibrator.calibrate(
              all,
              on,
              fitting == null
                  ? Calibrator.fitted()
                  : SystemNames.named(spec.commandLine(), "--fit", fitting),
              real == null ? List.of() : real,
              remarks);
      calibration.write(json);
    } catch (InvalidCalibrationException e) {
      String option =
          earlier != null ? "--again: " : fittedBefore != null ? "--refit: " : "--complete: ";
      throw new ParameterException(spec.commandLine(), option + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    } catch (JacksonException e) {
      throw new FailedException("--json: cannot write " + json + ": " + e.getOriginalMessage(), e);
    }
    return ExitCode.OK;
  }
}
