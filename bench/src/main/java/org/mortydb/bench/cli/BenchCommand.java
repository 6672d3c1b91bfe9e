package org.mortydb.bench.cli;

import java.util.concurrent.Callable;
import org.mortydb.cli.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The family of benchmarks. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "BENCHMARK",
    description = "Runs a benchmark.",
    subcommands = {
      RetwisCommand.class,
      TpccCommand.class,
      YcsbCommand.class,
      SmallBankCommand.class,
      TransferCommand.class,
      JmhCommand.class
    })
final class BenchCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }
}
