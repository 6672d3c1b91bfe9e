package org.mortydb.check.journal;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What one attempt of a transaction has seen and written so far: the state that travels in the
 * client's contexts. Because contexts are immutable, a re-execution drops what it has undone from
 * the trace too, and the trace of a committed transaction is that of the execution that committed.
 *
 * @param stamp of every value it writes
 * @param lastRead the newest read, null before the first
 * @param lastWrite the newest write, null before the first
 * @param commitNanos when it asked to commit, in nanoseconds of the clock; 0 before
 * @param told what the transaction has to tell whoever runs it, null when nothing; immutable
 * @param deletions what it has deleted, shared by all traces of the attempt
 * @param clock tells the time in nanoseconds, as {@link System#nanoTime} does
 */
public record Trace(
    Stamp stamp,
    @Nullable ObservedRead lastRead,
    @Nullable ObservedWrite lastWrite,
    long commitNanos,
    @Nullable Object told,
    Deletions deletions,
    LongSupplier clock) {

  /** The trace of an attempt that begins, by the machine's clock. */
  public static Trace of(Stamp stamp) {
    return of(stamp, System::nanoTime);
  }

  /** The trace of an attempt that begins, by a clock in nanoseconds. */
  public static Trace of(Stamp stamp, LongSupplier clock) {
    return new Trace(stamp, null, null, 0, null, new Deletions(), clock);
  }

  /**
   * The trace after one more read. What the transaction has written itself is no part of it.
   *
   * @param record the number of the record read
   * @param writer the stamp of the value, null when there was none
   * @param valueHash the hash of its bytes, 0 when there was none
   */
  public Trace read(long record, @Nullable Stamp writer, int valueHash) {
    if (stamp.equals(writer)) {
      return this;
    }
    ObservedRead read =
        writer == null
            ? new ObservedRead(lastRead, record, ObservedRead.ABSENT, 0, 0)
            : new ObservedRead(lastRead, record, writer.session(), writer.sequence(), valueHash);
    return new Trace(stamp, read, lastWrite, commitNanos, told, deletions, clock);
  }

  /** The trace after one more write; of several writes of a record the last one counts. */
  public Trace wrote(long record, int valueHash) {
    return wrote(new ObservedWrite(lastWrite, record, valueHash));
  }

  /** The trace after a deletion; the transaction reads and writes the record no more. */
  public Trace deleted(long record) {
    deletions.add(record);
    return wrote(new ObservedWrite(lastWrite, record, true, 0));
  }

  private Trace wrote(ObservedWrite write) {
    return new Trace(stamp, lastRead, write, commitNanos, told, deletions, clock);
  }

  /** The trace with something to tell. */
  public Trace telling(Object what) {
    return new Trace(stamp, lastRead, lastWrite, commitNanos, what, deletions, clock);
  }

  /** The trace once the transaction asks to commit, which is now. */
  public Trace committing() {
    return committing(clock.getAsLong());
  }

  /** The trace once the transaction has asked to commit. */
  public Trace committing(long nanos) {
    return new Trace(stamp, lastRead, lastWrite, nanos, told, deletions, clock);
  }
}
