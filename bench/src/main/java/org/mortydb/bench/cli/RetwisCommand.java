package org.mortydb.bench.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.experiment.Experiment;
import org.mortydb.bench.load.RunOptions;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.report.ReportJson;
import org.mortydb.bench.report.ReportTable;
import org.mortydb.bench.retwis.Retwis;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.core.JacksonException;

/** {@code morty bench retwis}. */
@Command(
    name = "retwis",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Runs Retwis, a small social network, on a cluster of three regions on this machine.",
    description = {
      "",
      "Starts the cluster, fills it, warms up, measures, and checks that everything that the"
          + " clients saw is serializable. The mix is that of the TAPIR and Morty papers: 5 %% add"
          + " user (1 read, 3 writes), 15 %% follow (2, 2), 30 %% post tweet (3, 5), 50 %% get"
          + " timeline (1 to 10, 0). What is written follows from what was read.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty bench retwis                               the whole thing, in about a minute",
      "  morty bench retwis --processes --keys 1000000    one process for each server",
      "  morty bench retwis --zipf 0.9 --json run.json    popular and less popular users",
      "  morty bench retwis --delay 30 --rate 500         far apart, 500 transactions a second"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the run was measured, and its history is serializable (or was not to be checked)",
      "1:the history is not serializable",
      "2:the command line is wrong",
      "3:the run failed"
    })
final class RetwisCommand implements Callable<Integer> {
  private static final int MOST_KEYS = 300_000_000;

  @Spec private CommandSpec spec = CommandSpec.create();

  @ArgGroup(heading = "%nLoad:%n", validate = false)
  private LoadOptions load = new LoadOptions();

  @ArgGroup(heading = "%nCluster:%n", validate = false)
  private ClusterOptions cluster = new ClusterOptions();

  @ArgGroup(heading = "%nResult:%n", validate = false)
  private ResultOptions result = new ResultOptions();

  /** What becomes of it. */
  static final class ResultOptions {
    @Option(
        names = "--json",
        paramLabel = "FILE",
        description = "Also writes the result to FILE, as JSON.")
    @Nullable Path json;

    @Option(names = "--no-check", description = "Keeps no history, and does not check it.")
    boolean noCheck;
  }

  @Override
  public Integer call() throws InterruptedException {
    Experiment experiment = experiment();
    Report report = experiment.execute(TerminalProgress.onStandardError());
    spec.commandLine().getOut().print(ReportTable.of(report));
    spec.commandLine().getOut().flush();
    Path file = result.json;
    if (file != null) {
      write(report, file);
    }
    return exitCode(report);
  }

  private Experiment experiment() {
    CommandLine command = spec.commandLine();
    Requirement.that(
        load.keys <= MOST_KEYS,
        command,
        "--keys must be at most " + MOST_KEYS + ", is " + load.keys);
    Path folder = result.json == null ? null : result.json.toAbsolutePath().getParent();
    Requirement.that(
        folder == null || Files.isDirectory(folder),
        command,
        "--json names a file in a folder that does not exist: " + folder);
    RunOptions run = load.runOptions(command);
    ClusterSettings clusterSettings = cluster.settings(command);
    Map<String, @Nullable Object> settings = new LinkedHashMap<>();
    load.addTo(settings, run);
    ClusterOptions.addTo(settings, clusterSettings);
    settings.put("check", !result.noCheck);
    return new Experiment(workload(command), clusterSettings, run, !result.noCheck, settings);
  }

  private Retwis workload(CommandLine command) {
    try {
      return new Retwis(load.keys, load.zipfTheta());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, e.getMessage(), e);
    }
  }

  /** A run whose history is known to be wrong is never a success. */
  static int exitCode(Report report) {
    Boolean serializable = report.serializable();
    return serializable == null || serializable ? ExitCode.OK : ExitCode.VIOLATION;
  }

  private static void write(Report report, Path file) {
    try {
      ReportJson.write(report, file);
    } catch (JacksonException e) {
      throw new FailedException("cannot write " + file + ": " + e.getOriginalMessage(), e);
    }
  }
}
