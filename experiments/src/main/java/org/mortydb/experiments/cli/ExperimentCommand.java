package org.mortydb.experiments.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cli.AgentsOption;
import org.mortydb.bench.cli.TerminalProgress;
import org.mortydb.bench.fleet.AgentsFile;
import org.mortydb.bench.fleet.FleetEstimate;
import org.mortydb.cli.DataOption;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.Requirement;
import org.mortydb.cli.text.TextTable;
import org.mortydb.config.NumberRange;
import org.mortydb.experiments.figure.Agreement;
import org.mortydb.experiments.figure.Measured;
import org.mortydb.experiments.figure.PointTable;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.DefinitionFile;
import org.mortydb.experiments.plan.Point;
import org.mortydb.experiments.runs.Again;
import org.mortydb.experiments.runs.ExperimentRunner;
import org.mortydb.experiments.runs.ExperimentRunner.Outcome;
import org.mortydb.experiments.runs.MissingRunnerException;
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
    header = "Runs the points of an experiment and draws its figures.",
    description = {
      "",
      "An experiment is a file of paper/experiments or your own; docs/reference/experiments.md"
          + " explains the format. Each point writes a record. A second start continues an"
          + " interrupted run, and retries failed points.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all points ran, and no check found a violation",
      "1:a check found a violation",
      "2:the command line or the definition is wrong",
      "3:a point failed"
    })
final class ExperimentCommand implements Callable<Integer> {
  private static final double MOST_MINUTES = 100_000;

  /** The columns of closed loops. */
  private static final List<String> COLUMNS =
      List.of(
          "throughput",
          "commitRate",
          "p50",
          "p99",
          "cpuPerCommit",
          "reexecutions",
          PointTable.RATIO,
          PointTable.VERDICT);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..1",
      paramLabel = "NAME|FILE",
      description = "The experiment. Without it, the command lists all experiments.")
  private @Nullable String name;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "The folder for records and figures (default: results/NAME).")
  private @Nullable Path out;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      description = {
        "The approximate duration of the whole experiment in minutes, by longer or shorter"
            + " warm-ups and windows (default: as defined)."
      })
  private @Nullable Double minutes;

  @Option(
      names = "--again",
      description = {
        "Run points with a record again. After a kill, another start with --again goes on with those"
            + " that this one has not reached."
      })
  private boolean again;

  @Mixin private final AgentsOption agents = new AgentsOption();

  @Option(
      names = "--deploy",
      description = {
        "With --agents: run the points of this machine on the agents' hosts, too. Their records"
            + " say that they are deployed."
      })
  private boolean deploy;

  @Mixin private final JobsOption jobs = new JobsOption();

  @Option(
      names = "--estimate",
      description = {
        "Only print how long the points without a record take; with --agents, also what the hosts"
            + " cost meanwhile, by the prices in the file."
      })
  private boolean estimate;

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
    AgentsFile hosts = agents.file(command);
    Requirement.that(!deploy || agents.isGiven(), command, "--deploy needs --agents");
    if (deploy) {
      definition = definition.deployed();
    }
    Double given = minutes;
    if (given != null) {
      Requirement.within(command, "--minutes", given, NumberRange.above(0, MOST_MINUTES));
      definition = TimePlan.fit(definition, given);
    }
    Path folder = out != null ? out : Path.of("results", definition.name());
    if (estimate || hosts != null) {
      printEstimate(definition, folder, hosts, command);
    }
    if (estimate) {
      return ExitCode.OK;
    }
    Requirement.writableFolder(command, "--out", folder);
    Outcome outcome = run(definition, folder, command);
    print(definition, folder, outcome);
    return ExperimentFiles.report(outcome, command.getErr());
  }

  private Outcome run(Definition definition, Path folder, CommandLine command)
      throws InterruptedException {
    boolean stores =
        definition.points().stream().anyMatch(point -> !point.durability().equals("memory"));
    Path disk = data.directory(stores, command);
    int most = jobs.jobs(command);
    int regions = definition.points().stream().mapToInt(Point::regions).max().orElse(1);
    try (AgentsOption.Hosts hosts = agents.hosts(command, regions, disk)) {
      // Records of a shorter trial, or of hosts, are not those of this start.
      List<String> of = List.of(definition.name(), "minutes " + minutes, "deploy " + deploy);
      Again mark = again ? Again.begin(folder, of, Clock.systemUTC()) : null;
      if (mark != null) {
        mark.await(command.getErr());
      }
      Outcome outcome =
          new ExperimentRunner(
                  definition,
                  new RecordFolder(folder),
                  ExperimentFiles.runners(disk, hosts == null ? null : hosts.file()),
                  TerminalProgress.onStandardError())
              .withJobs(most)
              .run(record -> mark == null || mark.stands(record));
      if (mark != null && outcome.failures().isEmpty()) {
        mark.end();
      }
      return outcome;
    } catch (MissingRunnerException e) {
      throw new ParameterException(command, e.getMessage(), e);
    }
  }

  private void printEstimate(
      Definition definition, Path folder, @Nullable AgentsFile hosts, CommandLine command) {
    RecordFolder records = new RecordFolder(folder);
    double seconds =
        TimePlan.seconds(definition, step -> again || !records.hasMeasured(step), records::took);
    PrintWriter shown = estimate ? command.getOut() : command.getErr();
    shown.println(
        definition.name()
            + ": "
            + (hosts == null
                ? TextTable.number("about %.0f min", Math.ceil(seconds / 60))
                : FleetEstimate.of(hosts, seconds).text()));
    shown.flush();
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
      List<Measured> closed = points.stream().filter(point -> !point.isOpenLoop()).toList();
      if (!closed.isEmpty()) {
        List<String> columns = new ArrayList<>(names(closed));
        columns.addAll(COLUMNS);
        printed.print(PointTable.of(closed, columns).text());
        printed.println();
      }
      List<Measured> open = points.stream().filter(Measured::isOpenLoop).toList();
      PointTable.latencyByLoad(open, names(open))
          .ifPresent(table -> printed.printf("Latency by load:%n%s%n", table.text()));
    }
    if (!definition.agreement().isEmpty()) {
      Agreement agreement = Agreement.of(definition, points);
      printed.printf("%s%n%s.%n%n", agreement.table().text(), agreement.summary());
    }
    printed.printf(
        Locale.ROOT,
        "%,d points measured, %,d measured before, %,d failed; records in %s%n",
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

  /** The coordinates that differ between points. The system comes last. */
  private static List<String> names(List<Measured> points) {
    Set<String> coordinates = new LinkedHashSet<>();
    points.forEach(point -> coordinates.addAll(point.coordinates().keySet()));
    coordinates.removeIf(
        coordinate ->
            points.stream().map(point -> point.coordinate(coordinate)).distinct().count() == 1);
    coordinates.remove(Point.SYSTEM);
    List<String> names = new ArrayList<>(coordinates);
    names.add(Point.SYSTEM);
    return names;
  }
}
