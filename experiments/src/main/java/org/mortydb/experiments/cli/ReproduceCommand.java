package org.mortydb.experiments.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cli.TerminalProgress;
import org.mortydb.bench.experiment.Environment;
import org.mortydb.cli.Checkout;
import org.mortydb.cli.DataOption;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.JsonOption;
import org.mortydb.cli.Requirement;
import org.mortydb.cli.text.TextTable;
import org.mortydb.config.DidYouMean;
import org.mortydb.experiments.claims.Claim;
import org.mortydb.experiments.claims.ClaimFile;
import org.mortydb.experiments.claims.ClaimPage;
import org.mortydb.experiments.claims.ClaimRecords;
import org.mortydb.experiments.claims.ClaimRunner;
import org.mortydb.experiments.claims.Judge;
import org.mortydb.experiments.claims.Judgement;
import org.mortydb.experiments.claims.Machine;
import org.mortydb.experiments.claims.QuickCheck;
import org.mortydb.experiments.claims.ReproduceResult;
import org.mortydb.experiments.claims.Verdict;
import org.mortydb.experiments.plan.InvalidDefinitionException;
import org.mortydb.experiments.runs.Again;
import org.mortydb.experiments.runs.ExperimentRunner.Outcome;
import org.mortydb.experiments.runs.Provenance;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code morty reproduce}. */
@Command(
    name = "reproduce",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Examines the claims of the Morty paper on this machine.",
    description = {
      "",
      "Each claim of paper/claims has a statement and a figure of the paper, the runs that examine"
          + " it, and a tolerance. The command makes the runs, and judges the claim by their"
          + " records: reproduced, reproduced in direction only, refuted, or not run here. It"
          + " writes a page with the numbers side by side. An interrupted command continues when"
          + " it is started again.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty reproduce --list                   the claims, and how long each takes",
      "  morty reproduce --quick                  tries each kind of run, in ten minutes",
      "  morty reproduce --claim one-round-trip   examines one claim",
      "  morty reproduce --all                    examines all claims, in a few hours"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all chosen claims are reproduced, at least in direction; with --quick: all runs work",
      "1:a claim is refuted, or a check found a violation",
      "2:the command line or a claim is wrong",
      "3:a claim was not run here, or a run failed"
    })
final class ReproduceCommand implements Callable<Integer> {
  private static final String PAGE = "reproduce.html";
  private static final String QUICK_PAGE = "quick.html";

  @Spec private CommandSpec spec = CommandSpec.create();

  /** What to do: one of these. */
  private static final class Choice {
    @Option(names = "--list", description = "List the claims.")
    private boolean list;

    @Option(
        names = "--claim",
        paramLabel = "NAME",
        split = ",",
        description = "Examine one or more claims.")
    private List<String> names = List.of();

    @Option(names = "--all", description = "Examine all claims.")
    private boolean all;

    @Option(
        names = "--quick",
        description = {
          "Try each kind of run for about a second, to see whether everything is installed. The"
              + " numbers are not evidence, so there are no verdicts."
        })
    private boolean quick;
  }

  @ArgGroup(multiplicity = "1")
  private Choice choice = new Choice();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "results/reproduce",
      description = {
        "The folder for records and the page. Points with a record do not run again (default:"
            + " ${DEFAULT-VALUE})."
      })
  private Path out = Path.of("results", "reproduce");

  @Option(
      names = "--again",
      description = {
        "Make all runs of the chosen claims again. Each replaces its record at its end. After a"
            + " kill, the same command goes on."
      })
  private boolean again;

  @Option(
      names = "--claims",
      paramLabel = "DIR",
      description = "The folder with the claims (default: paper/claims of the checkout).")
  private @Nullable Path folder;

  @Mixin private final JobsOption jobs = new JobsOption();

  @Mixin private final DataOption data = new DataOption();

  @Mixin private final JsonOption json = new JsonOption();

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    json.check(command);
    List<Claim> claims = claims(command);
    Machine machine = Machine.here(file -> Checkout.find(file).isPresent());
    if (choice.list) {
      list(claims, machine, command.getOut());
      return ExitCode.OK;
    }
    Requirement.writableFolder(command, "--out", out);
    if (choice.quick) {
      return quick(claims, machine, command);
    }
    return examine(claims, chosen(claims, command), machine, command);
  }

  private List<Claim> claims(CommandLine command) {
    Path paper = Home.paper(command);
    Path all = folder != null ? folder : paper.resolve("claims");
    Requirement.that(
        Files.isDirectory(all), command, "--claims: no such folder: " + all.toAbsolutePath());
    List<Claim> claims;
    try {
      claims = ClaimFile.readAll(all, paper.resolve("experiments"));
    } catch (InvalidDefinitionException e) {
      throw new ParameterException(command, e.getMessage(), e);
    }
    Requirement.that(
        !claims.isEmpty(), command, "--claims: no claims, files that end in .yaml, in " + all);
    return claims;
  }

  private List<Claim> chosen(List<Claim> claims, CommandLine command) {
    if (choice.all) {
      return claims;
    }
    Map<String, Claim> byName = new HashMap<>();
    claims.forEach(claim -> byName.put(claim.name(), claim));
    List<String> known = claims.stream().map(Claim::name).toList();
    List<Claim> chosen = new ArrayList<>();
    for (String name : choice.names) {
      Claim claim = byName.get(name);
      if (claim == null) {
        throw new ParameterException(
            command, "--claim: unknown claim '" + name + "'" + DidYouMean.hint(name, known));
      }
      chosen.add(claim);
    }
    return chosen;
  }

  private static void list(List<Claim> claims, Machine machine, PrintWriter printed) {
    TextTable table = new TextTable(column -> column == 0 || column == 2 || column == 4);
    int minutes = 0;
    for (Claim claim : claims) {
      table.row(
          claim.name(),
          claim.runs().count() + " runs",
          claim.runs().kind(),
          "about " + claim.minutes() + " min",
          claim.title()
              + claim.needs().lackingToRun(machine).map(text -> "; not here: " + text).orElse(""));
      minutes += claim.minutes();
    }
    printed.print(table);
    printed.printf(
        "All %d claims take at most %d h %d min on two cores; they share some runs.%n",
        claims.size(), minutes / 60, minutes % 60);
    printed.flush();
  }

  private Integer quick(List<Claim> claims, Machine machine, CommandLine command)
      throws InterruptedException {
    List<Claim> able = new ArrayList<>();
    List<String> notRun = new ArrayList<>();
    for (Claim claim : claims) {
      claim
          .needs()
          .lackingToRun(machine)
          .ifPresentOrElse(
              lacking -> notRun.add(claim.name() + ": " + lacking), () -> able.add(claim));
    }
    long start = System.nanoTime();
    List<QuickCheck.Tried> tried =
        new QuickCheck(
                out,
                ExperimentFiles.runners(data.directory(false, command)),
                new DefaultWindows(command),
                TerminalProgress.onStandardError())
            .run(able);
    Path page = out.resolve(QUICK_PAGE);
    String summary = summary(tried, (System.nanoTime() - start) / 1e9);
    ClaimPage.writeQuick(page, tried, notRun, summary);
    PrintWriter printed = command.getOut();
    printed.print(ClaimPage.quickText(tried));
    notRun.forEach(one -> printed.println("not run here: " + one));
    printed.println(summary);
    printed.println(QuickCheck.WARNING);
    printed.println("Page: " + page);
    printed.flush();
    json.write(ReproduceResult.ofQuick(tried));
    return tried.stream().anyMatch(QuickCheck.Tried::violated)
        ? ExitCode.VIOLATION
        : tried.stream().anyMatch(one -> one.failure() != null) ? ExitCode.FAILED : ExitCode.OK;
  }

  private static String summary(List<QuickCheck.Tried> tried, double seconds) {
    long working = tried.stream().filter(one -> one.failure() == null && !one.violated()).count();
    JsonNode here =
        new JsonMapper().valueToTree(Map.of(Provenance.ENVIRONMENT, Environment.facts()));
    return String.format(
        Locale.ROOT,
        "%d of %d kinds of runs work; tried in %.0f s: %s.",
        working,
        tried.size(),
        seconds,
        Provenance.of(List.of(here)).text());
  }

  private Integer examine(
      List<Claim> claims, List<Claim> chosen, Machine machine, CommandLine command)
      throws InterruptedException {
    ClaimRecords records = new ClaimRecords(out);
    Judge judge = new Judge(records, machine);
    PrintWriter err = command.getErr();
    for (Claim claim : claims) {
      records
          .setAsideDamaged(claim)
          .forEach(
              file ->
                  err.printf(
                      "morty: %s is damaged, perhaps cut short; its run is made again, and the file"
                          + " kept as %s.damaged%n",
                      file, file.getFileName()));
    }
    Again mark =
        again
            ? Again.begin(out, chosen.stream().map(Claim::name).toList(), Clock.systemUTC())
            : null;
    ClaimRunner runner =
        new ClaimRunner(
                records,
                ExperimentFiles.runners(data.directory(false, command)),
                new DefaultWindows(command),
                TerminalProgress.onStandardError())
            .withJobs(jobs.jobs(command));
    if (mark != null) {
      mark.await(err);
      runner.withStanding(mark::stands);
    }
    Path page = out.resolve(PAGE);
    Map<String, String> failures = new HashMap<>();
    int place = 0;
    for (Claim claim : chosen) {
      place++;
      if (claim.needs().lackingToRun(machine).isEmpty()) {
        err.printf(
            "Claim %d of %d: %s, about %d min%n",
            place, chosen.size(), claim.name(), claim.minutes());
        err.flush();
        Outcome outcome = runner.run(claim);
        for (String failure : outcome.failures()) {
          err.println("morty: a run failed: " + failure);
          failures.put(claim.name(), "a run failed: " + failure.lines().findFirst().orElse(""));
        }
        outcome
            .violations()
            .forEach(violation -> err.println("morty: a check found a violation: " + violation));
      }
      ClaimPage.write(page, judged(claims, judge, failures));
    }
    if (mark != null && failures.isEmpty()) {
      mark.end();
    }
    List<Judgement> judgements = judged(chosen, judge, failures);
    PrintWriter printed = command.getOut();
    printed.print(ClaimPage.text(judgements));
    printed.println(ClaimPage.counts(judgements));
    printed.println("Page: " + page);
    printed.flush();
    err.flush();
    json.write(ReproduceResult.of(judgements));
    return exitCode(judgements, !failures.isEmpty());
  }

  /** Judges claims. Not every failure of this start leaves a record. */
  private static List<Judgement> judged(
      List<Claim> claims, Judge judge, Map<String, String> failures) {
    List<Judgement> judgements = new ArrayList<>();
    for (Claim claim : claims) {
      Judgement judgement = judge.judge(claim);
      String failure = failures.get(claim.name());
      judgements.add(
          failure != null && judgement.verdict() == Verdict.NOT_RUN
              ? judgement.because(failure)
              : judgement);
    }
    return judgements;
  }

  /** The code of verdicts. A run that failed may have left an earlier record, and a verdict. */
  private static int exitCode(List<Judgement> judgements, boolean failed) {
    return judgements.stream().anyMatch(one -> one.verdict() == Verdict.REFUTED)
        ? ExitCode.VIOLATION
        : failed || judgements.stream().anyMatch(one -> one.verdict() == Verdict.NOT_RUN)
            ? ExitCode.FAILED
            : ExitCode.OK;
  }
}
