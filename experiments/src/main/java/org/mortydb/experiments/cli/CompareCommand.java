package org.mortydb.experiments.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cli.SystemNames;
import org.mortydb.bench.cli.TerminalProgress;
import org.mortydb.cli.DataOption;
import org.mortydb.cli.JsonOption;
import org.mortydb.cli.Requirement;
import org.mortydb.config.NumberRange;
import org.mortydb.experiments.figure.Results;
import org.mortydb.experiments.figure.Table;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Point;
import org.mortydb.experiments.runs.ExperimentRunner;
import org.mortydb.experiments.runs.ExperimentRunner.Outcome;
import org.mortydb.experiments.runs.RecordFolder;
import org.mortydb.experiments.runs.TimePlan;
import org.mortydb.protocol.system.TransactionSystems;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code morty compare}. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Measures all systems side by side on all workloads, in about five minutes.",
    description = {
      "",
      "Morty and the baselines on Retwis, TPC-C, YCSB, SmallBank and transfers,"
          + " small enough for one machine. Prints a table; every history is"
          + " checked. It is the experiment 'compare' of paper/experiments, fitted into the time"
          + " that there is; docs/reference/experiments.md says how to read it, and how to measure"
          + " better.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all points were run, and no check found a violation",
      "1:a check found a violation",
      "2:the command line is wrong",
      "3:a point could not be run, or a figure not be drawn"
    })
final class CompareCommand implements Callable<Integer> {
  private static final String NAME = "compare";
  private static final double MOST_MINUTES = 10_000;
  private static final int WIDTH = 96;

  private static final List<String> COLUMNS =
      List.of(
          Point.LABEL,
          Point.SYSTEM,
          "throughput",
          "commitRate",
          "p50",
          "p99",
          "cpuPerCommit",
          Table.RATIO,
          Table.VERDICT);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..1",
      paramLabel = "NAME|FILE",
      description = "Another experiment to run instead, such as one with a workload of your own.")
  private String experiment = NAME;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      defaultValue = "5",
      description = "About how long it may take (default: ${DEFAULT-VALUE}).")
  private double minutes = 5;

  @Option(
      names = "--systems",
      paramLabel = "NAME",
      split = ",",
      completionCandidates = SystemNames.class,
      description = {
        "The systems to compare (default: those of the experiment). There are:"
            + " ${COMPLETION-CANDIDATES}."
      })
  private @Nullable List<String> systems;

  @Mixin private final JsonOption json = new JsonOption();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = {
        "Where records and figures go; records that are there already are not measured again"
            + " (default: a new folder results/NAME-TIME)."
      })
  private @Nullable Path out;

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    Requirement.within(command, "--minutes", minutes, NumberRange.above(0, MOST_MINUTES));
    json.check(command);
    Definition definition = TimePlan.fit(definition(command), minutes);
    Path folder = out != null ? out : Path.of("results", definition.name() + "-" + time());
    Outcome outcome =
        new ExperimentRunner(
                definition,
                new RecordFolder(folder),
                ExperimentFiles.runners(new DataOption().directory(false, command)),
                TerminalProgress.onStandardError())
            .run(false);
    Results results = ExperimentFiles.results(folder);
    PrintWriter printed = command.getOut();
    printed.print(Table.of(results.of(definition), COLUMNS).text());
    explain(printed, definition);
    if (outcome.skipped() > 0) {
      printed.printf(
          Locale.ROOT,
          "%d records had been there before; they tell of their times themselves.%n",
          outcome.skipped());
    }
    printed.flush();
    json.write(results.records());
    printed.println("Records: " + folder);
    for (Path file :
        ExperimentFiles.draw(definition, results.of(definition), folder.resolve("figures"))) {
      printed.println("Figure:  " + file);
    }
    printed.flush();
    return ExperimentFiles.tell(outcome, command.getErr());
  }

  private Definition definition(CommandLine command) {
    Definition all = ExperimentFiles.read(Home.definition(experiment, command), command);
    List<String> names = systems;
    try {
      return names == null
          ? all
          : all.withSystems(names.stream().map(TransactionSystems::named).distinct().toList());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, "--systems: " + e.getMessage(), e);
    }
  }

  private static String time() {
    return LocalDateTime.now().format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT));
  }

  private static void explain(PrintWriter out, Definition definition) {
    Point point = definition.points().getFirst();
    out.println();
    out.printf(
        Locale.ROOT,
        """
        Ratio: throughput by Morty's on the same work. Latency: from begin to end, all attempts and
        waits included. Commit rate: commits by attempts. CPU: user and system, of servers, load
        generator and the log that the checks need.

        What was done: %s, every point ran %.1f s after %.1f s of warm-up on a new, filled
        cluster; systems one right after the other, each time another one first. Servers and clients
        share this JVM; to have it warm, %d points ran for %.1f s each before all others. Aborted
        attempts are made again after a random time that doubles, with the bounds that suit the
        system and the delay (docs/reference/experiments.md).

        """,
        definition.rounds() == 1
            ? "in one round"
            : "in each of " + definition.rounds() + " rounds, whose averages these are",
        point.seconds(),
        point.warmupSeconds(),
        definition.preheating().size(),
        definition.preheatSeconds());
    out.println(wrapped(definition.about()));
    out.println();
  }

  private static String wrapped(String text) {
    return text.replaceAll("(.{1," + WIDTH + "})(?: |$)", "$1\n").stripTrailing();
  }
}
