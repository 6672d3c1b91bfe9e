package org.mortydb.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import tools.jackson.core.JacksonException;

/** The file that {@code --json} names. */
public final class JsonFile {
  private JsonFile() {}

  /**
   * Checks before a long run that the file can be written.
   *
   * @throws ParameterException when its folder does not exist
   */
  public static void check(@Nullable Path file, CommandLine command) {
    Path folder = file == null ? null : file.toAbsolutePath().getParent();
    Requirement.that(
        folder == null || Files.isDirectory(folder),
        command,
        "--json names a file in a folder that does not exist: " + folder);
  }

  /**
   * Writes a result if a file is named.
   *
   * @throws FailedException when it cannot be written
   */
  public static void write(Object result, @Nullable Path file) {
    if (file == null) {
      return;
    }
    try {
      Json.write(result, file);
    } catch (JacksonException e) {
      throw new FailedException("cannot write " + file + ": " + e.getOriginalMessage(), e);
    }
  }
}
