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
   * The directory, or that for temporary files when none is named.
   *
   * @throws ParameterException when it does not exist
   */
  public static Path of(@Nullable Path named, CommandLine command) {
    Path directory = named != null ? named : Path.of(System.getProperty("java.io.tmpdir"));
    Requirement.that(
        Files.isDirectory(directory),
        command,
        "--data names no directory that exists: " + directory);
    return directory;
  }
}
