package org.mortydb.cli;

import java.util.concurrent.Callable;
import org.mortydb.cli.verify.RunningCheck;
import org.mortydb.cli.verify.RunningReport;
import org.mortydb.client.NotAuthorizedException;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.NumberRange;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code morty verify running}. */
@Command(
    name = "running",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Runs a short workload on a cluster, and checks that its history is serializable.",
    description = {
      "",
      "The workload has clients in all regions and few records, so that its transactions conflict."
          + " The records are in a key space of their own with a random name, and the command"
          + " deletes them at the end. Other transactions notice only the load, which --clients"
          + " limits. With TLS the client needs the right to write.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty verify running --config deploy/example/cluster.conf",
      "  morty verify running --config cluster.conf --seconds 60 --clients 4"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the history is serializable",
      "1:the history is not serializable",
      "2:the command line or the configuration file is wrong",
      "3:the cluster cannot be reached, no transaction committed, or records were not deleted"
    })
final class VerifyRunningCommand implements Callable<Integer> {
  private static final double MOST_SECONDS = 86_400;
  private static final int MOST_CLIENTS = 1_024;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClusterFileOptions cluster = new ClusterFileOptions();

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "5",
      description = "How long the workload runs (default: ${DEFAULT-VALUE}).")
  private double seconds = 5;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "12",
      description = "How many transactions run at a time (default: ${DEFAULT-VALUE}).")
  private int clients = 12;

  @Mixin private OutputOption output = new OutputOption();

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    Requirement.within(command, "--seconds", seconds, NumberRange.above(0, MOST_SECONDS));
    Requirement.within(command, "--clients", clients, NumberRange.of(1, MOST_CLIENTS));
    ClusterConfig config = cluster.cluster(command);
    RunningReport report = run(config, cluster.region(config, command));
    output.print(command, report, report::text);
    if (!report.serializable()) {
      return ExitCode.VIOLATION;
    }
    if (!report.recordsDeleted()) {
      throw new FailedException(
          "the keys of '" + report.keySpace() + "/' were not deleted, and some may still be there");
    }
    if (report.committed() == 0) {
      throw new FailedException("no transaction could be committed");
    }
    return ExitCode.OK;
  }

  private RunningReport run(ClusterConfig config, String region) throws InterruptedException {
    try (ProgressLine progress = ProgressLine.onStandardError("verify")) {
      return new RunningCheck(config, region, clients, seconds)
          .run(committed -> progress.show("%,d committed".formatted(committed)));
    } catch (NotAuthorizedException e) {
      throw new FailedException(String.valueOf(e.getMessage()), e);
    }
  }
}
