package org.mortydb.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code morty verify}. */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    synopsisSubcommandLabel = "COMMAND",
    header = "Checks a cluster: what its servers have stored, or how it runs.",
    description = {
      "",
      "'stored' reads the data directories of stopped servers. 'running' runs a short workload"
          + " beside all others, and checks its history.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty verify running --config cluster.conf",
      "  morty verify stored --config cluster.conf /backup/us-1 /backup/eu-1"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:no check found anything wrong",
      "1:a check found something wrong",
      "2:the command line or the configuration file is wrong",
      "3:something could not be run"
    },
    subcommands = {VerifyStoredCommand.class, VerifyRunningCommand.class})
final class VerifyCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }
}
