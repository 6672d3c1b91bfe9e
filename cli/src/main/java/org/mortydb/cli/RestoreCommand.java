package org.mortydb.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.mortydb.cli.backup.BackupException;
import org.mortydb.cli.backup.Restore;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.NumberRange;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code morty restore}. */
@Command(
    name = "restore",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Writes a backup to a running cluster.",
    description = {
      "",
      "The cluster must be empty. It may have other servers, regions and partitions than the one"
          + " that the backup was made of. The file is read and checked before anything is written."
          + " Its rows are written in many transactions, which together are no single one: let"
          + " nobody use the cluster until the command has ended with 0. In the end everything is"
          + " read and compared with the backup.",
      "",
      "If it is interrupted, --overwrite goes on. With TLS the client needs the right to write.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty restore --config new-cluster.conf shop.backup",
      "  morty restore --check shop.backup                 whether the file is intact",
      "  morty restore --config cluster.conf --overwrite accounts.backup"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the cluster holds what the backup has, or with --check, the file is intact",
      "1:the backup is damaged, or the cluster holds something else in the end",
      "2:the command line or the configuration file is wrong, or the cluster is not empty",
      "3:the cluster cannot be reached, or something could not be written"
    })
final class RestoreCommand implements Callable<Integer> {
  private static final int MOST_CLIENTS = 1_024;
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClusterFileOptions cluster = new ClusterFileOptions();

  @Parameters(arity = "1", paramLabel = "FILE", description = "The backup.")
  private Path file = Path.of("");

  @Option(
      names = "--check",
      description = "Only reads the file, from one end to the other; needs no cluster.")
  private boolean check;

  @Option(
      names = "--overwrite",
      description = {
        "Also to a cluster that holds keys: those in the backup get its values, others stay."
      })
  private boolean overwrite;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "8",
      description = "Transactions that run at a time (default: ${DEFAULT-VALUE}).")
  private int clients = 8;

  @Option(names = "--no-compare", description = "Does not read and compare in the end.")
  private boolean noCompare;

  @Mixin private OutputOption output = new OutputOption();

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    Requirement.within(command, "--clients", clients, NumberRange.of(1, MOST_CLIENTS));
    Requirement.that(Files.isReadable(file), command, "there is no file " + file);
    try {
      return check ? check(command) : restore(command);
    } catch (BackupException e) {
      command.getErr().println("morty: " + e.getMessage());
      command.getErr().flush();
      return switch (e.kind()) {
        case DAMAGED, DIFFERENT -> ExitCode.VIOLATION;
        case NOT_EMPTY -> ExitCode.USAGE;
        case FAILED -> ExitCode.FAILED;
      };
    }
  }

  private int check(CommandLine command) {
    Restore.Checked checked = Restore.check(file);
    output.print(
        command,
        checked,
        () ->
            String.format(
                Locale.ROOT,
                "%s is intact: %,d rows, %,d bytes of keys and values; cluster '%s' as of %s%n"
                    + "sha-256 of the rows: %s%n",
                file,
                checked.rows(),
                checked.bytes(),
                checked.header().cluster(),
                checked.header().cut(),
                checked.digest()));
    return ExitCode.OK;
  }

  private int restore(CommandLine command) throws InterruptedException {
    ClusterConfig config = cluster.cluster(command);
    Requirement.that(
        config.system().scans(),
        command,
        "cluster '%s' runs %s, which has no scans; backups can be restored only where the system has scans"
            .formatted(config.name(), config.system().name()));
    String region = cluster.region(config, command);
    ClientOptions options = ClientOptions.inRegion(region).withConnectTimeout(CONNECT_TIMEOUT);
    Restore.Summary restored = restore(config, options);
    output.print(
        command,
        restored,
        () ->
            String.format(
                Locale.ROOT,
                "%,d rows of %s are in cluster '%s'%s: that of cluster '%s' as of %s%n"
                    + "sha-256 of the rows: %s; restored in %.1f s%n",
                restored.rows(),
                file,
                config.name(),
                restored.compared() ? ", and were compared" : "",
                restored.from(),
                restored.cut(),
                restored.digest(),
                restored.seconds()));
    return ExitCode.OK;
  }

  private Restore.Summary restore(ClusterConfig config, ClientOptions options)
      throws InterruptedException {
    try (MortyClient client = MortyClient.connect(config, options);
        ProgressLine progress = ProgressLine.onStandardError("restore")) {
      return Restore.run(client, file, clients, overwrite, !noCompare, progress::show);
    }
  }
}
