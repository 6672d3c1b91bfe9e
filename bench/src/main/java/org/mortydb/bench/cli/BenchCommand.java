package org.mortydb.bench.cli;

import java.util.concurrent.Callable;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.MisuseHandler;
import org.mortydb.workloads.WorkloadPlugin;
import org.mortydb.workloads.WorkloadPlugins;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code morty bench}. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "BENCHMARK",
    description = "Runs a benchmark: one of the installed workloads, or microbenchmarks.")
final class BenchCommand implements Callable<Integer>, MisuseHandler.Extensible {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** The command with a command for each installed workload. */
  static CommandLine commandLine() {
    CommandLine bench = new CommandLine(new BenchCommand());
    for (WorkloadPlugin plugin : WorkloadPlugins.installed()) {
      bench.addSubcommand(WorkloadCommand.commandLine(plugin));
    }
    return bench.addSubcommand(new JmhCommand());
  }

  @Override
  public String whereOthersAre() {
    return WorkloadPlugins.WHERE_OTHERS_ARE;
  }

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }
}
