package org.mortydb.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The option {@code --data}: the directory in which the servers of a run store their data. */
public class DataOption {
  @Option(
      names = "--data",
      order = 1,
      paramLabel = "DIR",
      description = {
        "The directory on whose disk servers store their data, each run in a new folder that is"
            + " deleted at its end (default: the directory for temporary files, which may be in"
            + " memory)."
      })
  private @Nullable Path data;

  /**
   * The named directory. Without a name, the directory for temporary files, which is printed on
   * standard error if servers store data.
   *
   * @param stores whether servers store data, that is, their durability is not {@code memory}
   * @throws ParameterException if the directory does not exist
   */
  public final Path directory(boolean stores, CommandLine command) {
    Path directory = data != null ? data : Path.of(System.getProperty("java.io.tmpdir"));
    Requirement.that(
        Files.isDirectory(directory),
        command,
        "--data must be a directory that exists, is '" + directory + "'");
    if (stores && data == null) {
      command
          .getErr()
          .printf("Servers store their data in %s; --data names another directory.%n", directory);
      command.getErr().flush();
    }
    return directory;
  }
}
