package org.mortydb.experiments.runs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Files that are there as a whole or not at all, also after a kill. */
public final class WholeFile {
  private WholeFile() {}

  /**
   * Writes or replaces a file, and creates its folder.
   *
   * @throws UncheckedIOException if that fails
   */
  public static void write(Path file, String text) {
    Path unfinished = file.resolveSibling(file.getFileName() + ".tmp");
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.writeString(unfinished, text);
      Files.move(
          unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file + ": " + e, e);
    }
  }

  /**
   * Deletes a file, if it exists.
   *
   * @throws UncheckedIOException if that fails
   */
  public static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + file + ": " + e, e);
    }
  }
}
