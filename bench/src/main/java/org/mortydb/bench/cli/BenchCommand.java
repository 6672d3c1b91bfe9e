package org.mortydb.bench.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The family of benchmarks. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "BENCHMARK",
    description = "Runs a benchmark.",
    subcommands = {RetwisCommand.class, JmhCommand.class})
final class BenchCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "the name of a benchmark is missing");
  }
}
