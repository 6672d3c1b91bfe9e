package org.mortydb.bench.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.TransactionSystem;
import org.mortydb.bench.simulated.Calibration;
import org.mortydb.bench.simulated.Calibrator;
import picocli.CommandLine.Command;
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
    header = "Measures what things cost on this machine, for runs with --simulated.",
    description = {
      "",
      "Times the steps of the state machines by kind of message, runs some points for real, in"
          + " processes, and divides what the steps do not explain of the processor time over event"
          + " loops and frames. Then runs points in both ways and says how far they differ."
          + " Takes some minutes, and nothing else should run meanwhile. docs/simulation.md"
          + " explains the method.",
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
      description = "The file to write, as JSON.")
  private Path json = Path.of("");

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "6",
      description = "Seconds that each run is measured (default: ${DEFAULT-VALUE}).")
  private double seconds = 6;

  @Option(
      names = "--systems",
      paramLabel = "NAME",
      split = ",",
      description = "Systems whose steps are measured (default: all).")
  private @Nullable List<String> systems;

  @Option(
      names = "--workloads",
      paramLabel = "NAME",
      split = ",",
      description = "Workloads on which they are (default: all).")
  private @Nullable List<String> workloads;

  @Option(
      names = "--fit",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "morty,tapir,spanner",
      description = {
        "Systems whose real runs decide what event loops and frames cost (default:"
            + " ${DEFAULT-VALUE})."
      })
  private List<String> fitting = List.of("morty", "tapir", "spanner");

  @Option(
      names = "--real",
      paramLabel = "FILE",
      split = ",",
      description = {
        "Records of 'morty bench retwis --processes --json', made on this machine, by which event"
            + " loops and frames are fitted, instead of real runs now."
      })
  private @Nullable List<Path> real;

  @Option(
      names = "--remarks",
      paramLabel = "TEXT",
      defaultValue = "",
      description = "What the file is to say of the circumstances.")
  private String remarks = "";

  @Override
  public Integer call() throws InterruptedException {
    Path folder = json.toAbsolutePath().getParent();
    Requirement.that(
        folder != null && Files.isDirectory(folder),
        spec.commandLine(),
        "--json names a file in a folder that does not exist: " + folder);
    Requirement.that(
        seconds > 0 && seconds <= MOST_SECONDS,
        spec.commandLine(),
        "--seconds must be greater than 0 and at most " + MOST_SECONDS + ", is " + seconds);
    List<TransactionSystem> all =
        systems == null ? List.of(TransactionSystem.values()) : named("--systems", systems);
    PrintWriter out = spec.commandLine().getOut();
    Calibrator calibrator =
        new Calibrator(
            seconds,
            TerminalProgress.onStandardError(),
            line -> {
              out.println(line);
              out.flush();
            });
    try {
      Calibration calibration =
          calibrator.calibrate(
              all,
              workloads == null ? Calibrator.workloads() : workloads,
              named("--fit", fitting),
              all,
              real == null ? List.of() : real,
              remarks);
      calibration.write(json);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    } catch (JacksonException e) {
      throw new FailedException("cannot write " + json + ": " + e.getOriginalMessage(), e);
    }
    return ExitCode.OK;
  }

  private List<TransactionSystem> named(String option, List<String> names) {
    try {
      return names.stream().map(TransactionSystem::named).toList();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage(), e);
    }
  }
}
