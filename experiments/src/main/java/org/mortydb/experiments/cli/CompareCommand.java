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
import org.mortydb.experiments.figure.Measured;
import org.mortydb.experiments.figure.PointTable;
import org.mortydb.experiments.figure.Results;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Point;
import org.mortydb.experiments.runs.ExperimentRunner;
import org.mortydb.experiments.runs.ExperimentRunner.Outcome;
import org.mortydb.experiments.runs.RecordFolder;
import org.mortydb.experiments.runs.TimePlan;
import org.mortydb.protocol.system.TransactionSystem;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code morty compare}. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Measures all systems on all workloads, in about five minutes.",
    description = {
      "",
      "Runs Morty and the baselines on Retwis, TPC-C, YCSB, SmallBank and transfers, small enough"
          + " for one machine. Prints a table; every history is checked. It runs the experiment"
          + " 'compare' of paper/experiments, shortened to the given time."
          + " docs/reference/experiments.md explains the table and better measurements.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all points ran, and no check found a violation",
      "1:a check found a violation",
      "2:the command line is wrong",
      "3:a point or a figure failed"
    })
final class CompareCommand implements Callable<Integer> {
  private static final String NAME = "compare";
  private static final double MOST_MINUTES = 10_000;
  private static final int WIDTH = 96;

  private static final List<String> NAMES = List.of(Point.LABEL, Point.RATE, Point.SYSTEM);

  private static final List<String> COLUMNS =
      List.of(
          Point.LABEL,
          Point.SYSTEM,
          "throughput",
          "commitRate",
          "cpuPerCommit",
          PointTable.RATIO,
          PointTable.VERDICT);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..1",
      paramLabel = "NAME|FILE",
      description = "Another experiment, such as one with your own workload.")
  private String experiment = NAME;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      defaultValue = "5",
      description = "The approximate duration in minutes (default: ${DEFAULT-VALUE}).")
  private double minutes = 5;

  @Option(
      names = "--systems",
      paramLabel = "NAME",
      split = ",",
      completionCandidates = SystemNames.class,
      description = {
        "The systems to compare: ${COMPLETION-CANDIDATES} (default: those of the experiment)."
      })
  private @Nullable List<String> systems;

  @Option(
      names = "--merges",
      description = {
        "Also runs each workload that can with merges instead of reads: the sums of TPC-C,"
            + " deposits, timelines; on systems that have merges."
      })
  private boolean merges;

  @Mixin private final JsonOption json = new JsonOption();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = {
        "The folder for records and figures. Points with a record do not run again (default: a new"
            + " folder results/NAME-TIME)."
      })
  private @Nullable Path out;

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    Requirement.within(command, "--minutes", minutes, NumberRange.above(0, MOST_MINUTES));
    json.check(command);
    Definition definition = TimePlan.fit(definition(command), minutes);
    Path folder = out != null ? out : Path.of("results", definition.name() + "-" + time());
    Requirement.writableFolder(command, "--out", folder);
    Outcome outcome =
        new ExperimentRunner(
                definition,
                new RecordFolder(folder),
                ExperimentFiles.runners(new DataOption().directory(false, command)),
                TerminalProgress.onStandardError())
            .run(false);
    Results results = ExperimentFiles.results(folder);
    PrintWriter printed = command.getOut();
    List<Measured> points = results.of(definition);
    List<Measured> closed = points.stream().filter(point -> !point.isOpenLoop()).toList();
    if (!closed.isEmpty()) {
      printed.print(PointTable.of(closed, COLUMNS).text());
    }
    PointTable.latencyByLoad(points, NAMES)
        .ifPresent(table -> printed.printf("%nLatency by load:%n%s", table.text()));
    explain(printed, definition);
    if (outcome.skipped() > 0) {
      printed.printf(
          Locale.ROOT,
          "%d points already had a record; each record has its own times.%n",
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
    return ExperimentFiles.report(outcome, command.getErr());
  }

  private Definition definition(CommandLine command) {
    Definition all = ExperimentFiles.read(Home.definition(experiment, command), command);
    List<String> names = systems;
    if (names != null) {
      List<TransactionSystem> chosen = SystemNames.named(command, "--systems", names);
      for (TransactionSystem system : chosen) {
        String lacks = all.lacking(system);
        Requirement.that(
            lacks == null,
            command,
            "--systems: the system %s has no %s, as the experiment %s needs"
                .formatted(system.name(), lacks, all.name()));
      }
      all = all.withSystems(chosen);
    }
    return merges ? all.withMerges() : all;
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
        Ratio: throughput divided by Morty's, with closed loops. Latency: of open loops, at shares
        of the rate that each system saturates at; from the time when a transaction was due to its
        end, with all attempts and waits. Longest pause: of a server. Commit rate: commits per attempt. CPU: user and system, of servers, load generator
        and the history log.
        Method: %s. Each point ran %.1f s after %.1f s of warm-up on a new, filled cluster.
        Systems ran one after another, each time in another order. Servers and clients share this
        JVM; to warm it up, %d points ran for %.1f s each before all others. Aborted attempts are
        retried after a random, doubling back-off, whose bounds depend on the system and the
        delay (docs/reference/experiments.md).

        """,
        definition.rounds() == 1 ? "one round" : definition.rounds() + " rounds, averaged",
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
