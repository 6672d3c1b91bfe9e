package org.mortydb.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.backup.Backup;
import org.mortydb.cli.backup.BackupException;
import org.mortydb.config.ClusterConfig;
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
      "The backup has everything that has committed up to a cut of the serial order, and nothing"
          + " that came later: as if all had stood still at that moment. Transactions go on, none"
          + " waits for it or conflicts with it. The cut is the moment at which the command is"
          + " given; its keys are read when everything up to there is decided, which is after"
          + " server.replica.retention (15 s unless configured).",
      "",
      "Servers keep the versions of the cut meanwhile. One of each partition must stay up; it need"
          + " not be the same one as long as the others were asked at the beginning. With TLS the"
          + " client needs the right admin.",
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
      "0:the backup is on the disk, complete",
      "2:the command line or the configuration file is wrong",
      "3:it could not be made; there is no file of that name, or the one from before"
    })
final class BackupCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClusterFileOptions cluster = new ClusterFileOptions();

  @Parameters(arity = "1", paramLabel = "FILE", description = "Where the backup goes.")
  private Path file = Path.of("");

  @Option(
      names = "--prefix",
      paramLabel = "TEXT",
      description = {
        "Only keys that begin with this; a key space's name and a slash for its keys (default: all"
            + " keys)."
      })
  private @Nullable String prefix;

  @Option(names = "--force", description = "Replaces a file that exists.")
  private boolean force;

  @Option(
      names = "--patience",
      paramLabel = "S",
      defaultValue = "60",
      description = {
        "Gives up when nothing comes from some partition for so many seconds (default:"
            + " ${DEFAULT-VALUE})."
      })
  private int patience = 60;

  @Option(
      names = "--output",
      paramLabel = "FORM",
      defaultValue = "text",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat output = OutputFormat.TEXT;

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    Requirement.that(patience >= 1, command, "--patience must be at least 1, is " + patience);
    Requirement.that(force || !Files.exists(file), command, file + " exists; --force replaces it");
    Path folder = file.toAbsolutePath().getParent();
    Requirement.that(
        folder != null && Files.isDirectory(folder), command, "there is no folder " + folder);
    ClusterConfig config = cluster.cluster(command);
    String region = cluster.region(config, command);
    KeyRange range = prefix == null ? KeyRange.ALL : KeyRange.ofPrefix(Key.of(prefix));
    try (ProgressLine progress = ProgressLine.onStandardError("backup")) {
      Backup.Summary made =
          Backup.make(config, region, range, file, Duration.ofSeconds(patience), progress::show);
      progress.close();
      print(command.getOut(), made);
      return ExitCode.OK;
    } catch (BackupException | InvalidCredentialsException e) {
      throw new FailedException("no backup was made: " + e.getMessage(), e);
    }
  }

  private void print(PrintWriter out, Backup.Summary made) {
    if (output == OutputFormat.JSON) {
      out.println(Json.text(made));
    } else {
      out.printf(
          java.util.Locale.ROOT,
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
    out.flush();
  }
}
