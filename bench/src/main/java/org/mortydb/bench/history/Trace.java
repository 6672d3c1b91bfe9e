package org.mortydb.bench.history;

import org.jspecify.annotations.Nullable;

/**
 * What one attempt of a transaction has seen and written so far: the state that travels in the
 * client's contexts. Because contexts are immutable, a re-execution drops what it has undone from
 * the trace too, and the trace of a committed transaction is that of the execution that committed.
 *
 * @param stamp of every value it writes
 * @param lastRead the newest read, null before the first
 * @param lastWrite the newest write, null before the first
 * @param commitNanos when it asked to commit, in nanoseconds of {@link System#nanoTime}; 0 before
 */
public record Trace(
    Stamp stamp,
    @Nullable ObservedRead lastRead,
    @Nullable ObservedWrite lastWrite,
    long commitNanos) {

  /** The trace of an attempt that begins. */
  public static Trace of(Stamp stamp) {
    return new Trace(stamp, null, null, 0);
  }

  /**
   * The trace after one more read.
   *
   * @param record the number of the record read
   * @param writer the stamp of the value, null when there was none
   * @param valueHash the hash of its bytes, 0 when there was none
   */
  public Trace read(int record, @Nullable Stamp writer, int valueHash) {
    ObservedRead read =
        writer == null
            ? new ObservedRead(lastRead, record, ObservedRead.ABSENT, 0, 0)
            : new ObservedRead(lastRead, record, writer.session(), writer.sequence(), valueHash);
    return new Trace(stamp, read, lastWrite, commitNanos);
  }

  /** The trace after one more write; a transaction writes a record once. */
  public Trace wrote(int record, int valueHash) {
    return new Trace(stamp, lastRead, new ObservedWrite(lastWrite, record, valueHash), commitNanos);
  }

  /** The trace once the transaction has asked to commit. */
  public Trace committing(long nanos) {
    return new Trace(stamp, lastRead, lastWrite, nanos);
  }
}
