package org.mortydb.faults.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cli.TerminalProgress;
import org.mortydb.cli.JsonOption;
import org.mortydb.cli.NamedValues;
import org.mortydb.cli.OutputOption;
import org.mortydb.cli.Requirement;
import org.mortydb.config.NumberRange;
import org.mortydb.faults.kit.FaultReport;
import org.mortydb.workloads.load.Progress;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command that runs server processes of this machine and reports what came of it. */
@Command(
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n")
abstract class FaultCommand implements Callable<Integer> {
  static final NumberRange SECONDS = NumberRange.above(0, 100_000);

  /** Of Retwis. */
  static final NumberRange KEYS = NumberRange.of(12, 300_000_000);

  /** The last of a command's options, in the order of the help. */
  static final int LAST = 1;

  /** Options of many small servers, whose pauses do not matter. */
  static final String SMALL_JVM =
      " -XX:+UseSerialGC -XX:+UseCompactObjectHeaders --enable-native-access=ALL-UNNAMED";

  private static final Pattern HYPHEN = Pattern.compile("-(.)");
  private static final Set<String> OF_THE_RESULT = Set.of("--json", "--output");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--server-jvm",
      order = LAST,
      paramLabel = "OPTIONS",
      description = "Options of the servers' JVMs, in one argument (default: ${DEFAULT-VALUE}).")
  private String serverJvm;

  @Option(
      names = "--seed",
      order = LAST,
      paramLabel = "N",
      description = {
        "Seed of all that is drawn: transactions, faults, victims (default: ${DEFAULT-VALUE})."
            + " Timing is not part of it."
      })
  private long seed = 1;

  @Mixin private JsonOption json = new JsonOption();

  @Mixin private OutputOption output = new OutputOption();

  /**
   * A command.
   *
   * @param jvm the options of the servers' JVMs unless the user names other ones
   */
  FaultCommand(String jvm) {
    serverJvm = jvm;
  }

  /**
   * Runs it.
   *
   * @throws CommandLine.ParameterException if an option is wrong
   */
  abstract FaultReport run(Progress progress) throws InterruptedException;

  @Override
  public final Integer call() throws InterruptedException {
    json.check(command());
    FaultReport report = run(TerminalProgress.onStandardError());
    output.print(command(), report, report::text);
    json.write(report);
    return report.exitCode();
  }

  final CommandLine command() {
    return spec.commandLine();
  }

  final String serverJvm() {
    return serverJvm;
  }

  final long seed() {
    return seed;
  }

  final void require(String option, double value, NumberRange range) {
    Requirement.within(command(), option, value, range);
  }

  /** All options and their values, by their names as in {@code killEvery}, for the report. */
  final Map<String, @Nullable Object> settings() {
    Map<String, @Nullable Object> settings = new LinkedHashMap<>();
    for (OptionSpec option : spec.options()) {
      String flag = option.longestName();
      if (!option.usageHelp() && !option.versionHelp() && !OF_THE_RESULT.contains(flag)) {
        settings.put(camelCase(flag), plain(option.getValue()));
      }
    }
    return settings;
  }

  private static String camelCase(String flag) {
    return HYPHEN
        .matcher(flag.substring(2))
        .replaceAll(hit -> hit.group(1).toUpperCase(Locale.ROOT));
  }

  private static @Nullable Object plain(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case Number number -> number;
      case Enum<?> constant -> NamedValues.name(constant);
      case List<?> list -> list.stream().map(FaultCommand::plain).toList();
      default -> value.toString();
    };
  }
}
