package org.mortydb.bench.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.FailedException;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code morty bench jmh}. */
@Command(
    name = "jmh",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Runs the microbenchmarks of the hot paths, with their allocations.",
    description = {
      "",
      "Validation of a Prepare and version chains (Replica), a coordinator's whole transaction"
          + " (Coordinator), encoding and decoding of messages (Codec), the overhead of observers"
          + " per transaction (Metrics, Tracing). This takes more than ten minutes.",
      ""
    })
final class JmhCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "PATTERN",
      arity = "0..*",
      description = "Run only benchmarks whose names match one of these regular expressions.")
  List<String> patterns = List.of();

  @Option(
      names = "--quick",
      description = "Use one JVM and two short iterations for each, to check that they run.")
  boolean quick;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the results to FILE in JMH's format.")
  @Nullable Path json;

  @Override
  public Integer call() {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true)
            .jvmArgsAppend("-XX:+UseCompactObjectHeaders", "--enable-native-access=ALL-UNNAMED");
    if (patterns.isEmpty()) {
      options.include("org\\.mortydb\\.bench\\.jmh\\.");
    }
    patterns.forEach(options::include);
    if (quick) {
      options
          .forks(1)
          .warmupIterations(2)
          .warmupTime(TimeValue.milliseconds(300))
          .measurementIterations(2)
          .measurementTime(TimeValue.milliseconds(300));
    }
    Path file = json;
    if (file != null) {
      options.resultFormat(ResultFormatType.JSON).result(file.toString());
    }
    try {
      var unused = new Runner(options.build()).run();
    } catch (NoBenchmarksException e) {
      throw new FailedException("no benchmark matches " + String.join(", ", patterns), e);
    } catch (RunnerException e) {
      throw new FailedException("the benchmarks failed: " + e.getMessage(), e);
    }
    return ExitCode.OK;
  }
}
