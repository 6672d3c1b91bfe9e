package org.mortydb.check.journal;

import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Value;

/**
 * The reads and writes of an attempt so far. It is the state in the client's contexts. Contexts are
 * immutable, so a re-execution also undoes the trace, and the trace of a committed transaction is
 * that of the committed execution.
 *
 * @param stamp the stamp of its values
 * @param lastRead the last read; null before the first
 * @param lastWrite the last write; null before the first
 * @param commitNanos the time of its commit request, in nanoseconds of the clock; 0 before
 * @param told an immutable message of the transaction to its runner; null if there is none
 * @param deletions its deletions, and its writes without a stamp, shared by all traces of the
 *     attempt
 * @param clock the time in nanoseconds, like {@link System#nanoTime}
 */
public record Trace(
    Stamp stamp,
    @Nullable ObservedRead lastRead,
    @Nullable ObservedWrite lastWrite,
    long commitNanos,
    @Nullable Object told,
    Deletions deletions,
    LongSupplier clock) {

  /** The trace of a new attempt, with the machine's clock. */
  public static Trace of(Stamp stamp) {
    return of(stamp, System::nanoTime);
  }

  /** The trace of a new attempt, with a clock in nanoseconds. */
  public static Trace of(Stamp stamp, LongSupplier clock) {
    return new Trace(stamp, null, null, 0, null, new Deletions(), clock);
  }

  /**
   * The trace after one more read. It ignores reads of own writes.
   *
   * @param record the number of the record
   * @param writer the stamp of the value; null if there was none
   * @param valueHash the hash of its bytes; 0 if there was none
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

  /** The trace after a read of a record whose values carry no stamp. */
  public Trace readUnstamped(long record, Value value) {
    ObservedRead read =
        new ObservedRead(lastRead, record, ObservedRead.UNSTAMPED, 0, hashOf(value));
    return new Trace(stamp, read, lastWrite, commitNanos, told, deletions, clock);
  }

  /** The hash of a value without a stamp. */
  static int hashOf(Value value) {
    return Arrays.hashCode(value.bytes());
  }

  /** The trace after a write of such a record: a value, or a merge. All merges count. */
  public Trace wroteUnstamped(long record, Value value) {
    deletions.add(record, value);
    return wrote(new ObservedWrite(lastWrite, record, value));
  }

  /** The trace after one more write. The last write of a record counts. */
  public Trace wrote(long record, int valueHash) {
    return wrote(new ObservedWrite(lastWrite, record, valueHash));
  }

  /** The trace after a deletion. The transaction must not access the record again. */
  public Trace deleted(long record) {
    deletions.add(record);
    return wrote(new ObservedWrite(lastWrite, record, true, 0));
  }

  private Trace wrote(ObservedWrite write) {
    return new Trace(stamp, lastRead, write, commitNanos, told, deletions, clock);
  }

  /** The trace with a message to the runner. */
  public Trace telling(Object what) {
    return new Trace(stamp, lastRead, lastWrite, commitNanos, what, deletions, clock);
  }

  /** The trace at the commit request, which is now. */
  public Trace committing() {
    return committing(clock.getAsLong());
  }

  /** The trace at the commit request. */
  public Trace committing(long nanos) {
    return new Trace(stamp, lastRead, lastWrite, nanos, told, deletions, clock);
  }
}
