package org.mortydb.bench.agent;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The TLS files of a run's processes, in the folder of its lease. Only this user can read it. */
final class CredentialFiles {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,100}\\.(crt|key)");
  private static final int MOST = 3;
  private static final int MOST_LENGTH = 64 * 1024;

  private final Path folder;

  CredentialFiles(Path folder) {
    this.folder = folder;
  }

  /**
   * Writes files. A file that exists must have the same text.
   *
   * @param texts the texts by the files' names; null for none
   * @throws IllegalArgumentException if there are too many files, or one has a wrong name, is too
   *     long or differs from the one that exists
   */
  void write(@Nullable Map<String, String> texts) throws IOException {
    if (texts == null) {
      return;
    }
    if (texts.size() > MOST) {
      throw new IllegalArgumentException("a process has at most " + MOST + " TLS files");
    }
    for (Map.Entry<String, String> file : texts.entrySet()) {
      String text = file.getValue();
      if (!NAME.matcher(file.getKey()).matches() || text == null || text.length() > MOST_LENGTH) {
        throw new IllegalArgumentException(
            "a TLS file must have a name such as ca.crt and at most %d characters, not '%s'"
                .formatted(MOST_LENGTH, file.getKey()));
      }
    }
    for (Map.Entry<String, String> file : texts.entrySet()) {
      write(folder.resolve(file.getKey()), file.getValue());
    }
  }

  private static void write(Path file, String text) throws IOException {
    try {
      Files.writeString(file, text, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    } catch (FileAlreadyExistsException e) {
      if (!Files.readString(file).equals(text)) {
        throw new IllegalArgumentException(
            "the TLS file " + file.getFileName() + " exists with another text", e);
      }
    }
  }
}
