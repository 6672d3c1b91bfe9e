package org.mortydb.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.backup.Backup;
import org.mortydb.cli.backup.BackupException;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.NumberRange;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.transport.tls.InvalidCredentialsException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code morty backup}. */
@Command(
    name = "backup",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Writes all that a running cluster holds to a file, as of one moment.",
    description = {
      "",
      "The backup has every transaction that committed up to one cut of the serial order, and"
          + " none after it. No transaction waits for the backup or conflicts with it. The cut is"
          + " the moment at which the command starts. The command reads the keys once every"
          + " transaction up to the cut is decided, after server.replica.retention (default 15 s).",
      "",
      "Meanwhile servers keep the versions at the cut. One server of each partition must stay"
          + " up. It may be another one each time, if it was up when the command started. With TLS"
          + " the client needs the right admin.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty backup --config cluster.conf shop.backup",
      "  morty backup --config cluster.conf --prefix account/ accounts.backup --force"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the complete backup is on the disk",
      "2:the command line or the configuration file is wrong",
      "3:no backup was made; a file of that name is unchanged"
    })
final class BackupCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClusterFileOptions cluster = new ClusterFileOptions();

  @Parameters(arity = "1", paramLabel = "FILE", description = "The file to write.")
  private Path file = Path.of("");

  @Option(
      names = "--prefix",
      paramLabel = "TEXT",
      description = {
        "Only keys that begin with this text. For a key space, its name and a slash (default: all"
            + " keys)."
      })
  private @Nullable String prefix;

  @Option(names = "--force", description = "Replaces an existing file.")
  private boolean force;

  @Option(
      names = "--patience",
      paramLabel = "S",
      defaultValue = "60",
      description = {
        "Gives up when nothing has arrived for this many seconds (default: ${DEFAULT-VALUE})."
      })
  private int patience = 60;

  @Mixin private OutputOption output = new OutputOption();

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    Requirement.within(command, "--patience", patience, NumberRange.POSITIVE);
    Requirement.that(force || !Files.exists(file), command, file + " exists; --force replaces it");
    Path folder = file.toAbsolutePath().getParent();
    Requirement.that(
        folder != null && Files.isDirectory(folder), command, "there is no folder " + folder);
    ClusterConfig config = cluster.cluster(command);
    String region = cluster.region(config, command);
    KeyRange range = prefix == null ? KeyRange.ALL : KeyRange.ofPrefix(Key.of(prefix));
    Backup.Summary made = make(config, region, range);
    output.print(command, made, () -> text(made));
    return ExitCode.OK;
  }

  private Backup.Summary make(ClusterConfig config, String region, KeyRange range)
      throws InterruptedException {
    try (ProgressLine progress = ProgressLine.onStandardError("backup")) {
      return Backup.make(config, region, range, file, Duration.ofSeconds(patience), progress::show);
    } catch (BackupException | InvalidCredentialsException e) {
      throw new FailedException("no backup was made: " + e.getMessage(), e);
    }
  }

  private static String text(Backup.Summary made) {
    return String.format(
        Locale.ROOT,
        "%s: %,d rows, %,d bytes of keys and values, %,d compressed; cluster '%s' as of %s%n"
            + "sha-256 of the rows: %s; made in %.1f s%n",
        made.file(),
        made.rows(),
        made.bytes(),
        made.fileBytes(),
        made.cluster(),
        made.cut(),
        made.digest(),
        made.seconds());
  }
}
