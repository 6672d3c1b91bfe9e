package org.mortydb.check.journal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.mortydb.protocol.model.TxnId;

/** The logs of one run, in a temporary folder that it deletes. */
public final class HistoryFolder implements AutoCloseable {
  private final Path folder;
  private final List<HistoryLog> logs = new ArrayList<>();

  /** Creates the folder. */
  public HistoryFolder() throws IOException {
    folder = Files.createTempDirectory("morty-history-");
  }

  /** Creates a log. */
  public HistoryLog newLog() throws IOException {
    HistoryLog log = new HistoryLog(folder.resolve("history-" + logs.size()));
    logs.add(log);
    return log;
  }

  /** Closes the logs, so that they can be read. */
  public List<HistoryLog> closeLogs() throws IOException {
    for (HistoryLog log : logs) {
      log.close();
    }
    return List.copyOf(logs);
  }

  /**
   * Copies closed logs into one log with other serial positions.
   *
   * @param position maps each id to its new position
   * @return the new log, closed
   */
  public HistoryLog reordered(List<HistoryLog> closed, UnaryOperator<TxnId> position)
      throws IOException {
    HistoryLog copy = newLog();
    try (HistoryReader reader = new HistoryReader(closed)) {
      for (ObservedTransaction t = reader.next(); t != null; t = reader.next()) {
        copy.append(
            new ObservedTransaction(
                position.apply(t.id()),
                t.certain(),
                t.session(),
                t.sequence(),
                t.lastRead(),
                t.lastWrite()));
      }
    }
    copy.close();
    return copy;
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
