package org.mortydb.experiments.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cli.AgentsOption;
import org.mortydb.bench.cli.TerminalProgress;
import org.mortydb.bench.experiment.CodeVersion;
import org.mortydb.bench.experiment.GitRepository;
import org.mortydb.bench.measure.MachineMeter;
import org.mortydb.bench.measure.MachineMeter.Sample;
import org.mortydb.cli.DataOption;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.FailedException;
import org.mortydb.cli.Requirement;
import org.mortydb.cli.text.TextTable;
import org.mortydb.config.DidYouMean;
import org.mortydb.config.NumberRange;
import org.mortydb.experiments.campaign.CampaignPart;
import org.mortydb.experiments.claims.ClaimRecords;
import org.mortydb.experiments.claims.ClaimRuns.OfWindows;
import org.mortydb.experiments.growth.GrowthRecord;
import org.mortydb.experiments.paper.PaperReport;
import org.mortydb.experiments.paper.RecordCheck;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.DefinitionFile;
import org.mortydb.experiments.plan.Way;
import org.mortydb.experiments.runs.ExperimentRunner;
import org.mortydb.experiments.runs.ExperimentRunner.Outcome;
import org.mortydb.experiments.runs.RecordFolder;
import org.mortydb.experiments.windows.WindowsRecord;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

/** {@code morty campaign}. */
@Command(
    name = "campaign",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Makes all records that the report lacks.",
    description = {
      "",
      "Runs all experiments that the report shows, one after the other: the points without a"
          + " record, those that failed, and those whose record 'morty report --check' refuses,"
          + " because its code is too old or unknown, it is shorter than its definition asks for,"
          + " or other programs disturbed it. Each run replaces its old record at its end. A second"
          + " start continues an interrupted campaign. Use a quiet machine, and a checkout without"
          + " uncommitted changes.",
      "",
      "A record with a violation remains, and fails the campaign. The record of 'morty growth' is"
          + " not made, because that takes a command of its own; the campaign fails without it.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty campaign --estimate                   what is to be run, and how long it takes",
      "  morty campaign --max-age 0                  all records of the code that is checked out",
      "  morty campaign --experiments ways,windows   a part of it",
      "  morty campaign --out results                records elsewhere, for a report of your own"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all records stand, and no check found a violation; with --estimate: the plan is printed",
      "1:a check found a violation, now or in a record that remains",
      "2:the command line or a definition is wrong",
      "3:a run failed, the record of 'morty growth' is missing or too old, the machine is not"
          + " quiet, or git cannot tell the code"
    })
final class CampaignCommand implements Callable<Integer> {
  private static final String REPORT = "report/report.md";

  /** How long the machine is observed before the first real run. */
  private static final long QUIET_MILLIS = 3_000;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--experiments",
      paramLabel = "NAME",
      split = ",",
      description = {
        "The experiments, in their order; 'windows' is that of 'morty windows', and 'growth' that"
            + " of 'morty growth' (default: those that paper/report/report.md shows)."
      })
  private List<String> chosen = List.of();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = {
        "The folder for records, with a folder for each experiment (default: paper/records of the"
            + " checkout)."
      })
  private @Nullable Path out;

  @Option(
      names = "--max-age",
      paramLabel = "N",
      defaultValue = "50",
      description = {
        "The highest age of a record that is not made again, in commits, as for 'morty report"
            + " --check' (default: ${DEFAULT-VALUE})."
      })
  private int maxAge = 50;

  @Option(
      names = "--estimate",
      description = "Only print what is to be run, and about how long it takes.")
  private boolean estimate;

  @Option(
      names = "--busy",
      description = {
        "Measure although other programs use the machine. The records say so, and 'morty report"
            + " --check' refuses them."
      })
  private boolean busy;

  @Mixin private final AgentsOption agents = new AgentsOption();

  @Mixin private final JobsOption jobs = new JobsOption();

  @Mixin private final DataOption data = new DataOption();

  /** The windows of the claim, which are those of the report. */
  private static final OfWindows WINDOWS = new OfWindows(List.of("morty", "tapir"), 20);

  /**
   * What to run, and what else is to stand.
   *
   * @param windows whether windows are to be measured
   * @param windowsOfAll 1 if windows are a part of the campaign, else 0
   * @param growth whether the record of growth is a part of the campaign
   * @param growthStands false if it is, and is missing or to be made again
   */
  private record Plan(
      List<CampaignPart> parts,
      boolean windows,
      int windowsOfAll,
      boolean growth,
      boolean growthStands) {
    int open() {
      return parts.stream().mapToInt(part -> part.open().size()).sum() + (windows ? 1 : 0);
    }

    boolean needs(Way way) {
      return parts.stream().anyMatch(part -> part.needs(way));
    }
  }

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    Requirement.within(command, "--max-age", maxAge, NumberRange.NOT_NEGATIVE);
    int most = jobs.jobs(command);
    Path paper = Home.paper(command);
    GitRepository repository = repository();
    RecordCheck check = new RecordCheck(repository, maxAge);
    Predicate<ObjectNode> stands = check::stands;
    Path folder = out != null ? out : paper.resolve("records");
    Plan plan = plan(paper, folder, stands, command);
    print(plan, folder, estimate ? command.getOut() : command.getErr());
    if (estimate) {
      problems(plan, folder).forEach(command.getOut()::println);
      command.getOut().flush();
      return ExitCode.OK;
    }
    if (plan.open() == 0) {
      return end(List.of(), plan, folder, command);
    }
    Requirement.writableFolder(command, "--out", folder);
    requireCommit(repository);
    if (!busy && plan.needs(Way.REAL)) {
      requireQuiet();
    }
    return run(plan, folder, stands, most, command);
  }

  private static GitRepository repository() {
    try {
      return GitRepository.ofCheckout();
    } catch (FailedException e) {
      throw new FailedException(
          "records must name their commit: "
              + e.getMessage()
              + "; run the campaign in a clone of the repository",
          e);
    }
  }

  private static void requireCommit(GitRepository repository) {
    if (CodeVersion.of(repository).dirty()) {
      throw new FailedException(
          "the code differs from the commit that is checked out, so the records would not say what"
              + " was measured; commit or undo the changes first (git status lists them)");
    }
  }

  private static void requireQuiet() throws InterruptedException {
    MachineMeter machine = new MachineMeter();
    Sample begin = machine.sample().orElse(null);
    Thread.sleep(QUIET_MILLIS);
    Sample end = machine.sample().orElse(null);
    OptionalDouble others =
        begin == null || end == null
            ? OptionalDouble.empty()
            : end.others(begin, 0, QUIET_MILLIS / 1e3);
    if (others.orElse(0) > MachineMeter.MOST_OTHERS) {
      throw new FailedException(
          String.format(
              Locale.ROOT,
              "the machine is not quiet: other programs use %.0f %% of its processors, and records"
                  + " allow %.0f %%; end them and start again, or use --busy for a trial",
              100 * others.getAsDouble(),
              100 * MachineMeter.MOST_OTHERS));
    }
  }

  private Plan plan(Path paper, Path folder, Predicate<ObjectNode> stands, CommandLine command) {
    Map<String, Definition> definitions = new TreeMap<>();
    for (Path file : DefinitionFile.in(paper.resolve("experiments"))) {
      Definition definition = ExperimentFiles.read(file, command);
      definitions.put(definition.name(), definition);
    }
    List<String> names = chosen.isEmpty() ? shown(paper.resolve(REPORT)) : chosen;
    List<String> known = new ArrayList<>(definitions.keySet());
    known.add(WINDOWS.name());
    known.add(GrowthRecord.EXPERIMENT);
    List<CampaignPart> parts = new ArrayList<>();
    boolean windows = false;
    boolean growth = false;
    for (String name : new LinkedHashSet<>(names)) {
      Definition definition = definitions.get(name);
      if (name.equals(WINDOWS.name())) {
        windows = true;
      } else if (name.equals(GrowthRecord.EXPERIMENT)) {
        growth = true;
      } else if (definition == null) {
        throw new CommandLine.ParameterException(
            command,
            "--experiments: unknown experiment '" + name + "'" + DidYouMean.hint(name, known));
      } else {
        RecordFolder records = new RecordFolder(folder.resolve(name));
        parts.add(CampaignPart.of(definition, records, stands));
      }
    }
    boolean windowsStand = windows(folder).filter(stands).isPresent();
    boolean growthStands = !growth || growth(folder).filter(stands).isPresent();
    return new Plan(parts, windows && !windowsStand, windows ? 1 : 0, growth, growthStands);
  }

  private static Optional<ObjectNode> windows(Path folder) {
    return new ClaimRecords(folder).windows(WINDOWS).map(WindowsRecord::json);
  }

  private static Optional<ObjectNode> growth(Path folder) {
    Path records = growthFile(folder).resolveSibling("");
    return Files.isDirectory(records)
        ? GrowthRecord.in(RecordFolder.readAll(records)).map(GrowthRecord::node)
        : Optional.empty();
  }

  private static Path growthFile(Path folder) {
    return folder.resolve(GrowthRecord.EXPERIMENT).resolve(GrowthRecord.EXPERIMENT + ".json");
  }

  private static List<String> shown(Path text) {
    try {
      return PaperReport.experiments(Files.readString(text));
    } catch (IOException e) {
      throw new FailedException("cannot read " + text + ": " + e, e);
    }
  }

  private static void print(Plan plan, Path folder, PrintWriter printed) {
    TextTable table = new TextTable(column -> column == 0);
    table.row("experiment", "open runs", "of", "minutes");
    double seconds = 0;
    for (CampaignPart part : plan.parts) {
      table.row(
          part.definition().name(),
          String.valueOf(part.open().size()),
          String.valueOf(part.definition().steps().size()),
          TextTable.number("%.0f", Math.ceil(part.seconds() / 60)));
      seconds += part.seconds();
    }
    if (plan.windowsOfAll > 0) {
      table.row(WINDOWS.name(), plan.windows ? "1" : "0", "1", plan.windows ? "1" : "0");
      seconds += plan.windows ? 60 : 0;
    }
    printed.print(table);
    printed.println(
        plan.open() == 0
            ? (problems(plan, folder).isEmpty() ? "All records stand; nothing" : "Nothing")
                + " is to be run."
            : String.format(
                Locale.ROOT,
                "%,d runs, about %.1f hours; records in %s",
                plan.open(),
                seconds / 3_600,
                folder));
    plan.parts.stream()
        .flatMap(part -> part.stray().stream())
        .forEach(file -> printed.println("not of a point of its experiment, delete it: " + file));
    printed.flush();
  }

  private int run(
      Plan plan, Path folder, Predicate<ObjectNode> stands, int most, CommandLine command)
      throws InterruptedException {
    boolean stores =
        plan.parts.stream()
            .flatMap(part -> part.open().stream())
            .anyMatch(step -> !step.point().durability().equals("memory"));
    Path disk = data.directory(stores, command);
    List<Outcome> outcomes = new ArrayList<>();
    int place = 0;
    for (CampaignPart part : plan.parts) {
      place++;
      if (!part.open().isEmpty()) {
        say(command, place, plan, part);
        outcomes.add(run(part, stands, disk, most, command));
      }
    }
    if (plan.windows) {
      new ClaimRecords(folder)
          .write(
              WINDOWS,
              new DefaultWindows(command)
                  .run(WINDOWS.systems(), WINDOWS.seconds(), TerminalProgress.onStandardError()));
    }
    int failed = outcomes.stream().mapToInt(outcome -> outcome.failures().size()).sum();
    int measured = outcomes.stream().mapToInt(Outcome::measured).sum() + (plan.windows ? 1 : 0);
    PrintWriter printed = command.getOut();
    printed.printf("%d runs measured, %d failed; records in %s%n", measured, failed, folder);
    printed.printf("Next: bin/morty report --check --records %s%n", folder);
    printed.flush();
    return end(outcomes, plan, folder, command);
  }

  /** Reports failures, violations and what is lacking, and returns the exit code. */
  private static int end(List<Outcome> outcomes, Plan plan, Path folder, CommandLine command) {
    List<Integer> codes = new ArrayList<>();
    outcomes.forEach(one -> codes.add(ExperimentFiles.report(one, command.getErr())));
    problems(plan, folder).forEach(one -> command.getErr().println("morty: " + one));
    command.getErr().flush();
    if (!violated(plan, folder).isEmpty()) {
      codes.add(ExitCode.VIOLATION);
    }
    if (!plan.growthStands) {
      codes.add(ExitCode.FAILED);
    }
    return codes.contains(ExitCode.VIOLATION)
        ? ExitCode.VIOLATION
        : codes.contains(ExitCode.FAILED) ? ExitCode.FAILED : ExitCode.OK;
  }

  /** What remains wrong when all open runs have succeeded, in sentences. */
  private static List<String> problems(Plan plan, Path folder) {
    List<String> problems = new ArrayList<>();
    violated(plan, folder).forEach(file -> problems.add("a check found a violation: " + file));
    if (!plan.growthStands) {
      problems.add(
          "there is no record of growth that stands, and a campaign does not make it: run"
              + " bin/morty growth --json "
              + growthFile(folder));
    }
    return problems;
  }

  /**
   * The records with a violation, except those of experiments with open runs: their outcome has
   * them.
   */
  private static List<Path> violated(Plan plan, Path folder) {
    List<Path> violated = new ArrayList<>();
    for (CampaignPart part : plan.parts) {
      if (part.open().isEmpty()) {
        part.definition().steps().stream()
            .filter(step -> part.folder().find(step).filter(RecordCheck::isViolated).isPresent())
            .map(part.folder()::file)
            .forEach(violated::add);
      }
    }
    if (plan.windowsOfAll > 0 && windows(folder).filter(RecordCheck::isViolated).isPresent()) {
      violated.add(folder.resolve(WINDOWS.name()).resolve(WINDOWS.name() + ".json"));
    }
    if (plan.growth && growth(folder).filter(RecordCheck::isViolated).isPresent()) {
      violated.add(growthFile(folder));
    }
    return violated;
  }

  private static void say(CommandLine command, int place, Plan plan, CampaignPart part) {
    command
        .getErr()
        .printf(
            "Experiment %d of %d: %s, %d runs, about %.0f min%n",
            place,
            plan.parts.size(),
            part.definition().name(),
            part.open().size(),
            Math.ceil(part.seconds() / 60));
    command.getErr().flush();
  }

  private Outcome run(
      CampaignPart part, Predicate<ObjectNode> stands, Path disk, int most, CommandLine command)
      throws InterruptedException {
    int regions = part.open().stream().mapToInt(step -> step.point().regions()).max().orElse(1);
    try (AgentsOption.Hosts hosts =
        part.needs(Way.DEPLOYED) ? agents.hostsOrLocal(command, regions, disk) : null) {
      return new ExperimentRunner(
              part.definition(),
              part.folder(),
              ExperimentFiles.runners(disk, hosts == null ? null : hosts.file()),
              TerminalProgress.onStandardError())
          .withJobs(most)
          .run(stands);
    }
  }
}
