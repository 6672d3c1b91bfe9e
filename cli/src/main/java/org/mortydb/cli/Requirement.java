package org.mortydb.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.NumberRange;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Requirements on options beyond their syntax. */
public final class Requirement {
  private Requirement() {}

  /**
   * Checks a condition.
   *
   * @throws ParameterException with this message when the condition does not hold
   */
  public static void that(boolean condition, CommandLine command, String message) {
    if (!condition) {
      throw new ParameterException(command, message);
    }
  }

  /**
   * Checks a number.
   *
   * @param option the name of the option, such as {@code --clients}
   * @throws ParameterException when the number is not in the range
   */
  public static void within(CommandLine command, String option, double value, NumberRange range) {
    that(
        range.contains(value),
        command,
        "%s must be %s, is %s".formatted(option, range, NumberRange.text(value)));
  }

  /**
   * Checks before a long run that a file can be written.
   *
   * @param file the value of the option; null without one
   * @throws ParameterException when the file's folder does not exist
   */
  public static void writable(CommandLine command, String option, @Nullable Path file) {
    Path folder = file == null ? null : file.toAbsolutePath().getParent();
    that(
        folder == null || Files.isDirectory(folder),
        command,
        option + " names a file in a folder that does not exist: " + folder);
  }

  /**
   * Checks before a long run that a folder exists or can be created, and that files can be written
   * there.
   *
   * @param folder the value of the option, or its default; null without one
   * @throws ParameterException when it, or the folder to create it in, is a file or read-only
   */
  public static void writableFolder(CommandLine command, String option, @Nullable Path folder) {
    Path existing = folder == null ? null : folder.toAbsolutePath().normalize();
    while (existing != null && !Files.exists(existing)) {
      existing = existing.getParent();
    }
    if (existing != null) {
      that(
          Files.isDirectory(existing),
          command,
          option + " must be a folder, but is a file: " + existing);
      that(
          Files.isWritable(existing),
          command,
          option + " must be a folder that you can write, but this one is read-only: " + existing);
    }
  }
}
