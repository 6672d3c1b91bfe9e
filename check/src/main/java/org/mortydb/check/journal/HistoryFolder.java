package org.mortydb.check.journal;

import com.google.protobuf.CodedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.mortydb.protocol.model.TxnId;

/** The logs of one run, in a temporary folder that it deletes. */
public final class HistoryFolder implements AutoCloseable {
  private final Path folder;
  private final DeletedAtExit atExit;
  private final List<HistoryLog> logs = new ArrayList<>();

  /** Creates the folder. */
  public HistoryFolder() throws IOException {
    folder = Files.createTempDirectory("morty-history-");
    atExit = new DeletedAtExit(folder);
  }

  /** Creates a log. */
  public HistoryLog newLog() throws IOException {
    HistoryLog log = new HistoryLog(folder.resolve("history-" + logs.size()));
    logs.add(log);
    return log;
  }

  /**
   * Copies the closed log of another process into a new log of this run.
   *
   * @param file the content of the other log
   * @param transactions the number of its transactions
   * @param firstSession the first session that may be in it
   * @param endOfSessions the number after that of the last session that may be in it
   * @throws IOException if the content is damaged, or not what was announced
   */
  public HistoryLog copy(InputStream file, long transactions, int firstSession, int endOfSessions)
      throws IOException {
    HistoryLog copy = newLog();
    CodedInputStream in = CodedInputStream.newInstance(file);
    for (long i = 0; i < transactions; i++) {
      in.resetSizeCounter();
      ObservedTransaction next = HistoryReader.read(in);
      if (next.session() < firstSession || next.session() >= endOfSessions) {
        throw new IOException(
            "the history is damaged: session %d is not from %d to %d"
                .formatted(next.session(), firstSession, endOfSessions - 1));
      }
      copy.append(next);
    }
    if (!in.isAtEnd()) {
      throw new IOException("the history has more than " + transactions + " transactions");
    }
    copy.close();
    return copy;
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
    atExit.close();
  }
}
