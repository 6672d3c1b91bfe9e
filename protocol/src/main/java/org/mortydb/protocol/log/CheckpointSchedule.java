package org.mortydb.protocol.log;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a server writes a checkpoint, and how much of the log it keeps (docs/protocol.md,
 * section 8). From time to time the server takes a mark: it notes where the log ends, and all its
 * replicas note the mark's number. A checkpoint that keeps the log after a mark has the
 * transactions that were known when the mark was taken. So it is complete whatever the clocks show;
 * time only decides how long the log is.
 */
public final class CheckpointSchedule {
  /**
   * A place in the log.
   *
   * @param number under which the replicas know it; positive and ascending
   * @param position where the log ended before any replica noted the mark
   * @param takenMicros when it was taken
   */
  public record Mark(int number, long position, long takenMicros) {}

  private final long logLimit;
  private final long keptMicros;

  /** Ascending; the first is the latest that is old enough, if any is. */
  private final ArrayDeque<Mark> marks = new ArrayDeque<>();

  private int lastNumber;
  private boolean starting = true;

  /**
   * @param logLimit how long the log may grow, in positions
   * @param keptMicros how far back a checkpoint keeps the log, in microseconds. Transactions of
   *     that time are in the log and not in the checkpoint.
   */
  public CheckpointSchedule(long logLimit, long keptMicros) {
    this.logLimit = logLimit;
    this.keptMicros = keptMicros;
  }

  /**
   * Takes a mark. The caller then tells its number to all replicas, before it begins a checkpoint.
   *
   * @param nowMicros of a clock that is never set
   * @param position where the log ends
   */
  public Mark take(long nowMicros, long position) {
    Mark taken = new Mark(++lastNumber, position, nowMicros);
    marks.add(taken);
    Mark first = marks.remove();
    while (!marks.isEmpty() && isOld(marks.element())) {
      first = marks.remove();
    }
    marks.addFirst(first);
    return taken;
  }

  private boolean isOld(Mark mark) {
    return marks.getLast().takenMicros - mark.takenMicros >= keptMicros;
  }

  /**
   * The mark after which the next checkpoint keeps the log, or null if none is due. To be called
   * after {@link #take}, and not while a checkpoint is written. A log that is long at the start is
   * replaced at once: the server may not live long enough for a later checkpoint.
   *
   * @param keptPosition where the log begins that the last checkpoint keeps
   */
  public @Nullable Mark due(long keptPosition) {
    boolean first = starting;
    starting = false;
    Mark latest = marks.getLast();
    if (latest.position - keptPosition < logLimit) {
      return null;
    }
    Mark mark = first ? latest : marks.getFirst();
    return (first || isOld(mark)) && mark.position > keptPosition ? mark : null;
  }
}
