package org.mortydb.experiments.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.experiment.GitRepository;
import org.mortydb.bench.figure.FigureFailedException;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.FailedException;
import org.mortydb.cli.Requirement;
import org.mortydb.config.NumberRange;
import org.mortydb.experiments.figure.Results;
import org.mortydb.experiments.paper.InvalidTextException;
import org.mortydb.experiments.paper.PaperReport;
import org.mortydb.experiments.paper.ReportCheck;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.DefinitionFile;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code morty report}. */
@Command(
    name = "report",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Builds the report from records.",
    description = {
      "",
      "Replaces the placeholders of a text, paper/report/report.md, with figures, tables and"
          + " numbers from records, and writes one HTML file. Values without a record are marked"
          + " as not measured. Numbers of several rounds have 95 %% confidence intervals, and"
          + " each names the commit that it was measured with.",
      "",
      "--check also examines whether the report is complete and its records are recent. The age"
          + " of a record is the number of commits, between its own and the one that is checked"
          + " out, that change code which its measurement ran.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty report                        builds report.html from paper/records",
      "  morty report --records results      builds it from records of your own",
      "  morty report --check --max-age 0    fails if any code has changed since a record"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the report is written; with --check: it is complete, and all records are recent",
      "1:--check: a place is not measured, a record is too old or too short or its age is unknown,"
          + " or a check found a violation",
      "2:the command line, a definition or the text is wrong",
      "3:a file could not be read or written, a figure not drawn, or with --check git not asked"
    })
final class ReportCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--records",
      paramLabel = "DIR",
      arity = "1..*",
      description = {
        "The folders with records, searched with all subfolders (default: paper/records of the"
            + " checkout)."
      })
  private List<Path> records = List.of();

  @Option(
      names = "--text",
      paramLabel = "FILE",
      description = "The text, in Markdown (default: paper/report/report.md of the checkout).")
  private @Nullable Path text;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      defaultValue = "report.html",
      description = "The report (default: ${DEFAULT-VALUE}).")
  private Path out = Path.of("report.html");

  @Option(
      names = "--check",
      description = {
        "Fail if a place is not measured in all rounds, or if a record is older than --max-age or"
            + " was made with code that no commit has. Needs a git repository with the commits of"
            + " the records."
      })
  private boolean check;

  @Option(
      names = "--max-age",
      paramLabel = "N",
      defaultValue = "50",
      description =
          "For --check: the highest age of a record, in commits (default: ${DEFAULT-VALUE}).")
  private int maxAge = 50;

  @Override
  public Integer call() {
    CommandLine command = spec.commandLine();
    Requirement.within(command, "--max-age", maxAge, NumberRange.NOT_NEGATIVE);
    @Nullable GitRepository repository = check ? repository() : null;
    Path paper = Home.paper(command);
    List<Path> folders = records.isEmpty() ? List.of(paper.resolve("records")) : records;
    for (Path folder : folders) {
      Requirement.that(Files.isDirectory(folder), command, "--records: no such folder: " + folder);
    }
    Map<String, Definition> definitions = new LinkedHashMap<>();
    for (Path file : DefinitionFile.in(paper.resolve("experiments"))) {
      Definition definition = ExperimentFiles.read(file, command);
      definitions.put(definition.name(), definition);
    }
    Path source = text != null ? text : paper.resolve("report/report.md");
    PaperReport report = build(read(source), source, definitions, folders);
    write(report);
    command
        .getOut()
        .printf(
            "%s: %d of %d placeholders replaced, %d not measured%n",
            out,
            report.places().size() - report.missing(),
            report.places().size(),
            report.missing());
    command.getOut().flush();
    return repository == null ? ExitCode.OK : check(report, repository, source);
  }

  private static GitRepository repository() {
    try {
      return GitRepository.ofCheckout();
    } catch (FailedException e) {
      throw new FailedException(
          "--check cannot tell the age of records: "
              + e.getMessage()
              + "; run it in a clone of the repository",
          e);
    }
  }

  private int check(PaperReport report, GitRepository repository, Path source) {
    List<String> problems = new ReportCheck(repository, maxAge).problems(report);
    PrintWriter err = spec.commandLine().getErr();
    problems.forEach(problem -> err.println("morty: " + source.getFileName() + ": " + problem));
    err.flush();
    return problems.isEmpty() ? ExitCode.OK : ExitCode.VIOLATION;
  }

  private PaperReport build(
      String markdown, Path source, Map<String, Definition> definitions, List<Path> folders) {
    try {
      return PaperReport.of(markdown, definitions, Results.in(folders));
    } catch (InvalidTextException e) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), source + ": " + e.getMessage(), e);
    } catch (FigureFailedException e) {
      throw new FailedException(String.valueOf(e.getMessage()), e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new FailedException("cannot read " + file + ": " + e, e);
    }
  }

  private void write(PaperReport report) {
    try {
      Files.writeString(out, report.html());
    } catch (IOException e) {
      throw new FailedException("cannot write " + out + ": " + e, e);
    }
  }
}
