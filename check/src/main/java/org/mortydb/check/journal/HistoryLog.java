package org.mortydb.check.journal;

import com.google.protobuf.CodedOutputStream;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Value;

/**
 * A file of the transactions of some sessions, in the order of their ends. It takes about 80 bytes
 * per transaction, so that long runs need no more memory than short ones. Thread-safe, but intended
 * for one thread.
 */
public final class HistoryLog implements AutoCloseable {
  /** The transactions of a block. The reader knows the earliest id of every block. */
  static final int BLOCK = 4_096;

  // The kinds of writes.
  static final int STAMPED = 0;
  static final int DELETED = 1;
  static final int UNSTAMPED = 2;

  private static final int BUFFER_BYTES = 64 * 1024;

  private final Path file;
  private final OutputStream stream;
  private final CodedOutputStream out;
  private final LongArrayList blockMinimum = new LongArrayList();
  private long size;
  private long unknown;
  private boolean closed;

  /** Creates the file. It must not exist. */
  public HistoryLog(Path file) throws IOException {
    this.file = file;
    this.stream = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW);
    this.out = CodedOutputStream.newInstance(stream, BUFFER_BYTES);
  }

  /**
   * Appends a transaction.
   *
   * @throws UncheckedIOException if the file cannot be written
   */
  public synchronized void append(ObservedTransaction txn) {
    try {
      write(txn);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot write the history to " + file + ": " + e.getMessage(), e);
    }
    long time = txn.id().timeMicros();
    int block = (int) (size / BLOCK);
    if (block == blockMinimum.size()) {
      blockMinimum.add(time);
    } else {
      blockMinimum.set(block, Math.min(time, blockMinimum.getLong(block)));
    }
    size++;
    if (!txn.certain()) {
      unknown++;
    }
  }

  private void write(ObservedTransaction txn) throws IOException {
    out.writeBoolNoTag(txn.certain());
    out.writeUInt64NoTag(txn.id().timeMicros());
    out.writeFixed64NoTag(txn.id().clientId());
    out.writeUInt32NoTag(txn.id().home());
    out.writeUInt32NoTag(txn.session());
    out.writeUInt32NoTag(txn.sequence());
    out.writeUInt64NoTag(txn.ageMicros());
    int reads = 0;
    for (@Nullable ObservedRead r = txn.lastRead(); r != null; r = r.previous()) {
      reads++;
    }
    out.writeUInt32NoTag(reads);
    for (@Nullable ObservedRead r = txn.lastRead(); r != null; r = r.previous()) {
      out.writeUInt64NoTag(r.record());
      out.writeUInt32NoTag(r.writerSession() + 1);
      out.writeUInt32NoTag(r.writerSequence());
      out.writeFixed32NoTag(r.valueHash());
    }
    int writes = 0;
    for (@Nullable ObservedWrite w = txn.lastWrite(); w != null; w = w.previous()) {
      writes++;
    }
    out.writeUInt32NoTag(writes);
    for (@Nullable ObservedWrite w = txn.lastWrite(); w != null; w = w.previous()) {
      out.writeUInt64NoTag(w.record());
      Value unstamped = w.unstamped();
      out.writeUInt32NoTag(unstamped != null ? UNSTAMPED : w.deleted() ? DELETED : STAMPED);
      if (unstamped == null) {
        out.writeFixed32NoTag(w.valueHash());
      } else {
        out.writeUInt32NoTag(unstamped.form());
        out.writeByteArrayNoTag(unstamped.bytes());
      }
    }
  }

  /** The number of transactions. */
  public synchronized long size() {
    return size;
  }

  /** The number of transactions with unknown outcome. */
  public synchronized long unknown() {
    return unknown;
  }

  /** The file. */
  Path file() {
    return file;
  }

  /** The earliest time of an id in each block, in microseconds. */
  LongArrayList blockMinimum() {
    return blockMinimum;
  }

  /** Closes the file, so that it can be read. It takes no more transactions. */
  @Override
  public synchronized void close() throws IOException {
    if (!closed) {
      closed = true;
      out.flush();
      stream.close();
    }
  }
}
