package org.mortydb.check.journal;

import com.google.protobuf.CodedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;

/**
 * Reads closed logs in the order of transaction ids. Logs are in the order of ends, so the reader
 * holds a transaction back until no later block can contain an earlier id. It holds about as many
 * transactions as run during the longest one.
 *
 * <p>Reads and writes of a transaction are in program order.
 */
final class HistoryReader implements AutoCloseable {
  /** More than a transaction of a workload has, each of whose scans may read many records. */
  private static final int MOST_OPERATIONS = 1 << 20;

  private final List<Source> sources = new ArrayList<>();
  private final PriorityQueue<ObservedTransaction> heldBack =
      new PriorityQueue<>(Comparator.comparing(ObservedTransaction::id));

  HistoryReader(List<HistoryLog> logs) throws IOException {
    try {
      for (HistoryLog log : logs) {
        sources.add(new Source(log));
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /** The transaction with the next id; null after the last. */
  @Nullable ObservedTransaction next() throws IOException {
    while (true) {
      @Nullable Source earliest = null;
      for (Source source : sources) {
        if (source.remaining > 0
            && (earliest == null || source.nextMinimum() < earliest.nextMinimum())) {
          earliest = source;
        }
      }
      ObservedTransaction first = heldBack.peek();
      if (earliest == null || (first != null && first.id().timeMicros() < earliest.nextMinimum())) {
        return heldBack.poll();
      }
      earliest.readBlock(heldBack);
    }
  }

  @Override
  public void close() throws IOException {
    for (Source source : sources) {
      source.stream.close();
    }
  }

  private static final class Source {
    private final InputStream stream;
    private final CodedInputStream in;

    /** The earliest id in a block and all later ones. */
    private final long[] minimumFrom;

    private int block;
    private long remaining;

    Source(HistoryLog log) throws IOException {
      stream = Files.newInputStream(log.file());
      in = CodedInputStream.newInstance(stream, 64 * 1024);
      in.setSizeLimit(Integer.MAX_VALUE);
      minimumFrom = log.blockMinimum().toLongArray();
      for (int i = minimumFrom.length - 2; i >= 0; i--) {
        minimumFrom[i] = Math.min(minimumFrom[i], minimumFrom[i + 1]);
      }
      remaining = log.size();
    }

    long nextMinimum() {
      return minimumFrom[block];
    }

    void readBlock(PriorityQueue<ObservedTransaction> into) throws IOException {
      // Protobuf counts the bytes of a stream in an int, and a history can be longer.
      in.resetSizeCounter();
      long count = Math.min(remaining, HistoryLog.BLOCK);
      for (long i = 0; i < count; i++) {
        into.add(read(in));
      }
      remaining -= count;
      block++;
    }
  }

  /**
   * Reads the next transaction of a log.
   *
   * @throws IOException if the log is damaged
   */
  static ObservedTransaction read(CodedInputStream in) throws IOException {
    boolean certain = in.readBool();
    long timeMicros = in.readUInt64();
    long clientId = in.readFixed64();
    TxnId id = new TxnId(timeMicros, clientId, in.readUInt32());
    int session = in.readUInt32();
    int sequence = in.readUInt32();
    long ageMicros = in.readUInt64();
    @Nullable ObservedRead lastRead = null;
    for (int reads = count(in); reads > 0; reads--) {
      long record = in.readUInt64();
      int writerSession = in.readUInt32() - 1;
      int writerSequence = in.readUInt32();
      lastRead =
          new ObservedRead(lastRead, record, writerSession, writerSequence, in.readFixed32());
    }
    @Nullable ObservedWrite lastWrite = null;
    for (int writes = count(in); writes > 0; writes--) {
      long record = in.readUInt64();
      lastWrite = write(in, lastWrite, record);
    }
    return new ObservedTransaction(id, certain, session, sequence, lastRead, lastWrite, ageMicros);
  }

  private static ObservedWrite write(
      CodedInputStream in, @Nullable ObservedWrite previous, long record) throws IOException {
    int kind = in.readUInt32();
    switch (kind) {
      case HistoryLog.STAMPED, HistoryLog.DELETED -> {
        return new ObservedWrite(previous, record, kind == HistoryLog.DELETED, in.readFixed32());
      }
      case HistoryLog.UNSTAMPED -> {
        int form = in.readUInt32();
        try {
          return new ObservedWrite(previous, record, Value.ofForm(form, in.readByteArray()));
        } catch (IllegalArgumentException e) {
          throw new IOException("the history is damaged: " + e.getMessage(), e);
        }
      }
      default -> throw new IOException("the history is damaged: a write of kind " + kind);
    }
  }

  private static int count(CodedInputStream in) throws IOException {
    int count = in.readUInt32();
    if (count < 0 || count > MOST_OPERATIONS) {
      throw new IOException("the history is damaged: a transaction has " + count + " operations");
    }
    return count;
  }
}
