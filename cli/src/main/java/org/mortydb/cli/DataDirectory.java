package org.mortydb.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The directory that {@code --data} names. */
public final class DataDirectory {
  private DataDirectory() {}

  /**
   * The named directory. Without a name, the directory for temporary files, which is printed on
   * standard error if servers store data.
   *
   * @param stores whether servers store data, that is, their durability is not {@code memory}
   * @throws ParameterException if the directory does not exist
   */
  public static Path of(@Nullable Path named, boolean stores, CommandLine command) {
    Path directory = named != null ? named : Path.of(System.getProperty("java.io.tmpdir"));
    Requirement.that(
        Files.isDirectory(directory),
        command,
        "--data must be a directory that exists, is '" + directory + "'");
    if (stores && named == null) {
      command
          .getErr()
          .printf("Servers store their data in %s; --data names another directory.%n", directory);
      command.getErr().flush();
    }
    return directory;
  }
}
