package org.mortydb.experiments.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cli.TerminalProgress;
import org.mortydb.cli.DataOption;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.Requirement;
import org.mortydb.cli.text.TextTable;
import org.mortydb.config.NumberRange;
import org.mortydb.experiments.figure.Measured;
import org.mortydb.experiments.figure.Table;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.DefinitionFile;
import org.mortydb.experiments.plan.Point;
import org.mortydb.experiments.runs.ExperimentRunner;
import org.mortydb.experiments.runs.ExperimentRunner.Outcome;
import org.mortydb.experiments.runs.RecordFolder;
import org.mortydb.experiments.runs.TimePlan;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code morty experiment}. */
@Command(
    name = "experiment",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Runs the points of an experiment, and draws its figures.",
    description = {
      "",
      "An experiment is a file of paper/experiments, or one like them, which"
          + " docs/reference/experiments.md explains. Every point leaves a record in a file of its"
          + " own. A run that was cut short goes on where it was when it is started again; points"
          + " that failed are tried again.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all points have been run, and no check found a violation",
      "1:a check found a violation",
      "2:the command line or the definition is wrong",
      "3:a point could not be run"
    })
final class ExperimentCommand implements Callable<Integer> {
  private static final double MOST_MINUTES = 100_000;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..1",
      paramLabel = "NAME|FILE",
      description = "The experiment. Left out: lists those that there are.")
  private @Nullable String name;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Where records and figures go (default: results/NAME).")
  private @Nullable Path out;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      description = {
        "Lengthens or shortens warm-ups and windows, so that all of it takes about so long"
            + " (default: as defined)."
      })
  private @Nullable Double minutes;

  @Option(names = "--again", description = "Also runs points again that have a record.")
  private boolean again;

  @Mixin private final DataOption data = new DataOption();

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    String wanted = name;
    if (wanted == null) {
      list(command);
      return ExitCode.OK;
    }
    Definition definition = ExperimentFiles.read(Home.definition(wanted, command), command);
    Double given = minutes;
    if (given != null) {
      Requirement.within(command, "--minutes", given, NumberRange.above(0, MOST_MINUTES));
      definition = TimePlan.fit(definition, given);
    }
    Path folder = out != null ? out : Path.of("results", definition.name());
    ExperimentRunner runner = runner(definition, folder, command);
    Outcome outcome = runner.run(again);
    print(definition, folder, outcome);
    return ExperimentFiles.tell(outcome, command.getErr());
  }

  private ExperimentRunner runner(Definition definition, Path folder, CommandLine command) {
    boolean stores =
        definition.points().stream().anyMatch(point -> !point.durability().equals("memory"));
    try {
      return new ExperimentRunner(
          definition,
          new RecordFolder(folder),
          ExperimentFiles.runners(data.directory(stores, command)),
          TerminalProgress.onStandardError());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, e.getMessage(), e);
    }
  }

  private static void list(CommandLine command) {
    TextTable table = new TextTable(column -> column % 3 == 0);
    for (Path file : DefinitionFile.in(Home.paper(command).resolve("experiments"))) {
      Definition definition = ExperimentFiles.read(file, command);
      table.row(
          definition.name(),
          definition.steps().size() + " points",
          TextTable.number("about %.0f min", Math.ceil(TimePlan.seconds(definition) / 60)),
          definition.title());
    }
    command.getOut().print(table);
    command.getOut().flush();
  }

  private void print(Definition definition, Path folder, Outcome outcome) {
    PrintWriter printed = spec.commandLine().getOut();
    List<Measured> points = ExperimentFiles.results(folder).of(definition);
    if (!points.isEmpty()) {
      printed.print(Table.of(points, columns(points)).text());
      printed.println();
    }
    printed.printf(
        Locale.ROOT,
        "%,d points measured, %,d had been before, %,d failed; records in %s%n",
        outcome.measured(),
        outcome.skipped(),
        outcome.failures().size(),
        folder);
    printed.flush();
    for (Path file : ExperimentFiles.draw(definition, points, folder.resolve("figures"))) {
      printed.println("figure: " + file);
    }
    printed.flush();
  }

  /** The coordinates that differ, then what is of interest everywhere. */
  private static List<String> columns(List<Measured> points) {
    Set<String> coordinates = new LinkedHashSet<>();
    points.forEach(point -> coordinates.addAll(point.coordinates().keySet()));
    coordinates.removeIf(
        coordinate ->
            points.stream().map(point -> point.coordinate(coordinate)).distinct().count() == 1);
    coordinates.remove(Point.SYSTEM);
    List<String> columns = new ArrayList<>(coordinates);
    columns.add(Point.SYSTEM);
    columns.addAll(
        List.of(
            "throughput",
            "commitRate",
            "p50",
            "p99",
            "cpuPerCommit",
            "reexecutions",
            Table.RATIO,
            Table.VERDICT));
    return columns;
  }
}
