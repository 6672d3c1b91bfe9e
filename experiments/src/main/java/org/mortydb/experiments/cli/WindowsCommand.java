package org.mortydb.experiments.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cli.SystemNames;
import org.mortydb.bench.cli.TerminalProgress;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.simulated.Calibration;
import org.mortydb.bench.simulated.SimulatedHosts;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.JsonOption;
import org.mortydb.experiments.windows.NominalCosts;
import org.mortydb.experiments.windows.Timelines;
import org.mortydb.experiments.windows.WindowsRecord;
import org.mortydb.experiments.windows.WindowsRecord.SystemWindows;
import org.mortydb.experiments.windows.WindowsStudy;
import org.mortydb.experiments.windows.WindowsTable;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.workloads.load.RunOptions;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code morty windows}. */
@Command(
    name = "windows",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Measures serialization and validity windows, and draws those of the hottest key.",
    description = {
      "",
      "Runs Retwis in virtual time on each system, in three regions with clients. A transaction's"
          + " windows on a key begin with its read. The serialization window ends when its write"
          + " is visible to others, the validity window when its outcome is known."
          + " docs/explanation/windows.md explains their meaning. The same options yield the same"
          + " result.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty windows                                    Morty and TAPIR, 30 ms between regions",
      "  morty windows --delays continental --zipf 1.1    published delays, a hotter key",
      "  morty windows --systems morty,mvtso,spanner      other systems"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all histories are serializable, and no serialization windows overlap",
      "1:a history is not serializable, or serialization windows overlap",
      "2:the command line is wrong",
      "3:the run failed"
    })
final class WindowsCommand implements Callable<Integer> {
  static final double WARMUP_SECONDS = 2;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private final RetwisStudyOptions study = new RetwisStudyOptions();

  @Option(
      names = "--systems",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "morty,tapir",
      description = "The systems, in the order of the table (default: ${DEFAULT-VALUE}).")
  private List<String> systems = List.of("morty", "tapir");

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "20",
      description = "The measured virtual seconds (default: ${DEFAULT-VALUE}).")
  private double seconds = 20;

  @Option(
      names = "--calibration",
      paramLabel = "FILE",
      description = {
        "The processor costs measured by 'morty calibrate' (default: round numbers, equal for all"
            + " systems, so that the result is equal on every machine)."
      })
  private @Nullable Path calibration;

  @Mixin private final JsonOption json = new JsonOption();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "The folder of the picture windows.svg (default: results/windows).")
  private Path out = Path.of("results", "windows");

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    json.check(command);
    List<TransactionSystem> named = check(command);
    ClusterSettings cluster = study.cluster().simulatedSettings(command);
    SimulatedHosts hosts = study.hosts(command);
    RunOptions run = study.run(WARMUP_SECONDS, seconds);
    Path costs = calibration;
    WindowsRecord record =
        new WindowsStudy(
                ignored -> study.workload(),
                cluster,
                hosts,
                run,
                costs == null ? NominalCosts.of("retwis") : Calibration.read(costs),
                study.settings(
                    cluster,
                    hosts,
                    run,
                    costs == null ? "nominal" : String.valueOf(costs.getFileName())))
            .execute(named, TerminalProgress.onStandardError());
    PrintWriter printed = command.getOut();
    printed.print(WindowsTable.text(record));
    json.write(record);
    printed.println(
        "Picture: " + RetwisStudyOptions.picture(out, "windows.svg", Timelines.svg(record)));
    printed.flush();
    return exitCode(record);
  }

  private List<TransactionSystem> check(CommandLine command) {
    study.check(command, seconds, out);
    return SystemNames.named(command, "--systems", systems);
  }

  private static int exitCode(WindowsRecord record) {
    for (SystemWindows system : record.systems()) {
      if (Boolean.FALSE.equals(system.serializable()) || system.overlapping() > 0) {
        return ExitCode.VIOLATION;
      }
    }
    return ExitCode.OK;
  }
}
