package org.mortydb.check.journal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * Deletes a temporary folder if the process is interrupted before its owner is done with it. The
 * owner closes this when it deletes the folder itself, or keeps it.
 */
public final class DeletedAtExit implements AutoCloseable {
  private final Thread hook;

  /**
   * Watches over a folder.
   *
   * @param folder the folder to delete with all that it holds
   */
  public DeletedAtExit(Path folder) {
    hook = new Thread(() -> delete(folder), "morty-delete-at-exit");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Deletes a folder with all that it holds, as far as possible. */
  public static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      // A temporary folder that stays does no harm.
    }
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending, and the hook runs.
    }
  }
}
