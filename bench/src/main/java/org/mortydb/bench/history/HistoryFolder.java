package org.mortydb.bench.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The logs of one run, in a temporary folder that goes with it. */
public final class HistoryFolder implements AutoCloseable {
  private final Path folder;
  private final List<HistoryLog> logs = new ArrayList<>();

  /** Creates the folder. */
  public HistoryFolder() throws IOException {
    folder = Files.createTempDirectory("morty-history-");
  }

  /** Creates one more log. */
  public HistoryLog newLog() throws IOException {
    HistoryLog log = new HistoryLog(folder.resolve("history-" + logs.size()));
    logs.add(log);
    return log;
  }

  /** Closes the logs, which makes them readable. */
  public List<HistoryLog> closeLogs() throws IOException {
    for (HistoryLog log : logs) {
      log.close();
    }
    return List.copyOf(logs);
  }

  /** Deletes the logs. */
  @Override
  public void close() throws IOException {
    for (HistoryLog log : closeLogs()) {
      Files.deleteIfExists(log.file());
    }
    Files.deleteIfExists(folder);
  }
}
