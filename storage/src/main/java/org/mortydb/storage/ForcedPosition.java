package org.mortydb.storage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The file {@code forced}: a note, beside the log, of how far the log has been forced. It shows a
 * start that the end of the last segment is missing, which the log alone cannot show. The note is
 * written after each force and not forced itself, so it costs no time. It may be old or missing
 * after a power failure, but is never ahead of the log.
 *
 * <p>With {@link Durability#ASYNC} there is a second note, of how far the log has been written. It
 * shows a start that the system has dropped what it had, although the machine went on: forcing it
 * has failed. After a power failure it may be ahead of the log.
 */
final class ForcedPosition implements Closeable {
  /** Position, checksum. Two slots take turns, so that one is always whole. */
  private static final int SLOT_BYTES = 12;

  private static final int SLOTS = 2;

  private final DiskFile file;
  private final ByteBuffer slot = ByteBuffer.allocate(SLOT_BYTES);
  private int turn;
  private int turnOfWritten;

  private ForcedPosition(DiskFile file) {
    this.file = file;
  }

  /** Begins a new note. */
  static ForcedPosition create(DataDirectory directory, long position) throws IOException {
    DiskFile file = directory.disk().create(directory.resolve(Names.FORCED));
    try {
      ForcedPosition note = new ForcedPosition(file);
      note.write(position);
      note.write(position);
      return note;
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /** The log is forced up to here. */
  void write(long position) throws IOException {
    write(turn, position);
    turn = 1 - turn;
  }

  /** The log is written up to here. */
  void written(long position) throws IOException {
    write(SLOTS + turnOfWritten, position);
    turnOfWritten = 1 - turnOfWritten;
  }

  private void write(int number, long position) throws IOException {
    slot.clear().putLong(position).putInt(checksum(slot)).flip();
    Io.write(file, slot, (long) number * SLOT_BYTES);
  }

  /** Returns how far the last use has forced the log, as it has noted; 0 if it has not. */
  static long read(DataDirectory directory) throws IOException {
    return read(directory, 0);
  }

  /** Returns how far the last use has written the log, as it has noted; 0 if it has not. */
  static long readWritten(DataDirectory directory) throws IOException {
    return read(directory, SLOTS);
  }

  private static long read(DataDirectory directory, int firstSlot) throws IOException {
    Path path = directory.resolve(Names.FORCED);
    if (!directory.list().contains(Names.FORCED)) {
      return 0;
    }
    ByteBuffer both = ByteBuffer.allocate(SLOTS * SLOT_BYTES);
    try (DiskFile file = directory.disk().open(path)) {
      Io.read(file, both, (long) firstSlot * SLOT_BYTES);
    }
    return Math.max(
        position(both.slice(0, SLOT_BYTES)), position(both.slice(SLOT_BYTES, SLOT_BYTES)));
  }

  private static long position(ByteBuffer slot) {
    return slot.getInt(8) == checksum(slot) ? slot.getLong(0) : 0;
  }

  private static int checksum(ByteBuffer slot) {
    return (int) RecordFormat.checksum(slot.slice(0, 8)).getValue();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
