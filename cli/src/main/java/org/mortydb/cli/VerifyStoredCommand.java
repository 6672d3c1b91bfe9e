package org.mortydb.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.verify.StoredData;
import org.mortydb.cli.verify.StoredDataText;
import org.mortydb.config.ClusterConfig;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code morty verify stored}. */
@Command(
    name = "stored",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Checks the data directories of stopped servers.",
    description = {
      "",
      "Reads logs and checkpoints with all checksums, as a start would, and changes nothing."
          + " Restores the replicas and checks their invariants. Compares the replicas of each"
          + " partition, key by key, up to the smaller of their watermarks: there both know every"
          + " commit.",
      "",
      "The directory of a running server is locked. A copy made while its server ran is not a"
          + " state that the server ever had. All versions are held in memory: set -Xmx in"
          + " MORTY_JAVA_OPTS.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty verify stored --config cluster.conf                    the directories it names",
      "  morty verify stored --config cluster.conf /copies/us-1 /copies/eu-1 /copies/ap-1"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all directories are intact, and the replicas agree",
      "1:a directory is damaged or cannot be read, or replicas differ",
      "2:the command line or the configuration file is wrong, or there is no directory"
    })
final class VerifyStoredCommand implements Callable<Integer> {
  private static final String STATE = "state";

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClusterFileOptions cluster = new ClusterFileOptions();

  @Mixin private OutputOption output = new OutputOption();

  @Parameters(
      arity = "0..*",
      paramLabel = "DIR",
      description = {
        "Data directories of servers, or a folder that holds some (default: server.data of the"
            + " configuration)."
      })
  private List<Path> folders = new ArrayList<>();

  @Override
  public Integer call() {
    CommandLine command = spec.commandLine();
    ClusterConfig config = cluster.cluster(command);
    StoredData data = StoredData.of(config, directories(config, command));
    output.print(command, data, () -> StoredDataText.of(data));
    return data.clean() ? ExitCode.OK : ExitCode.VIOLATION;
  }

  private List<Path> directories(ClusterConfig config, CommandLine command) {
    List<Path> named = folders;
    Path configured = config.storage().data();
    if (named.isEmpty()) {
      Requirement.that(
          configured != null,
          command,
          "the cluster names no directory (server.data is empty): name directories of servers");
      named = List.of(configured == null ? Path.of("") : configured);
    }
    List<Path> found = new ArrayList<>();
    for (Path folder : named) {
      Requirement.that(Files.isDirectory(folder), command, "there is no directory " + folder);
      found.addAll(within(folder));
    }
    Requirement.that(
        !found.isEmpty(),
        command,
        "there is no data directory of a server in " + named + ": none has a file 'state'");
    return found;
  }

  private static List<Path> within(Path folder) {
    List<Path> inner = subfolders(folder).filter(VerifyStoredCommand::isData).sorted().toList();
    // A named folder that has neither is checked as well, so that its problem is reported.
    return isData(folder) || inner.isEmpty() ? List.of(folder) : inner;
  }

  private static Stream<Path> subfolders(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.filter(Files::isDirectory).toList().stream();
    } catch (IOException e) {
      throw new FailedException(folder + " cannot be listed: " + e.getMessage(), e);
    }
  }

  private static boolean isData(@Nullable Path folder) {
    return folder != null && Files.exists(folder.resolve(STATE));
  }
}
