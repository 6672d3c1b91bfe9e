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

/**
 * The transactions of some sessions in the order in which they ended, appended to a file of about
 * 80 bytes for each, so that a long run needs no more memory than a short one. Safe for use by
 * several threads, and meant for one.
 */
public final class HistoryLog implements AutoCloseable {
  /** Transactions in a block; the reader knows the earliest id of every block. */
  static final int BLOCK = 4_096;

  private static final int BUFFER_BYTES = 64 * 1024;

  private final Path file;
  private final OutputStream stream;
  private final CodedOutputStream out;
  private final LongArrayList blockMinimum = new LongArrayList();
  private long size;
  private long unknown;
  private boolean closed;

  /** Creates the file, which must not exist. */
  public HistoryLog(Path file) throws IOException {
    this.file = file;
    this.stream = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW);
    this.out = CodedOutputStream.newInstance(stream, BUFFER_BYTES);
  }

  /**
   * Appends one transaction.
   *
   * @throws UncheckedIOException when the disk takes no more
   */
  public synchronized void append(ObservedTransaction txn) {
    try {
      write(txn);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the history to " + file, e);
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
      out.writeBoolNoTag(w.deleted());
      out.writeFixed32NoTag(w.valueHash());
    }
  }

  /** Transactions appended so far. */
  public synchronized long size() {
    return size;
  }

  /** How many of them have an unknown outcome. */
  public synchronized long unknown() {
    return unknown;
  }

  /** Where the transactions are. */
  Path file() {
    return file;
  }

  /** For every block the earliest time of an id in it, in microseconds. */
  LongArrayList blockMinimum() {
    return blockMinimum;
  }

  /** Makes all that was appended readable; it takes no more. */
  @Override
  public synchronized void close() throws IOException {
    if (!closed) {
      closed = true;
      out.flush();
      stream.close();
    }
  }
}
