package org.mortydb.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads the records of a file, one after the other, up to its end or the first invalid one. */
final class RecordReader {
  private static final int WINDOW_BYTES = 1024 * 1024;

  private final DiskFile file;
  private final long size;

  /** Filled from {@code windowOffset} on; the next record begins at its position. */
  private ByteBuffer window;

  private long windowOffset;
  private long position;
  private int recordAt;
  private @Nullable String problem;

  /**
   * Creates a reader that starts at an offset of the file.
   *
   * @param position the position of the record there
   */
  RecordReader(DiskFile file, long offset, long position) throws IOException {
    this.file = file;
    this.size = file.size();
    this.window =
        ByteBuffer.allocate(
                (int) Math.clamp(size - offset, RecordFormat.HEADER_BYTES, WINDOW_BYTES))
            .limit(0);
    this.windowOffset = offset;
    this.position = position;
  }

  /**
   * Moves to the next record. Returns false at the end of the file and at an invalid record; {@link
   * #problem()} tells them apart.
   */
  boolean next() throws IOException {
    long left = size - offset();
    if (left == 0) {
      return false;
    }
    if (left < RecordFormat.HEADER_BYTES) {
      return invalid("the file ends within a record's header");
    }
    fill(RecordFormat.HEADER_BYTES);
    int at = window.position();
    int length = RecordFormat.length(window, at);
    if (length < 0 || length > RecordFormat.MAX_PAYLOAD_BYTES) {
      return invalid("there is no record");
    }
    if (RecordFormat.position(window, at) != position) {
      return invalid("there is no record of position " + position);
    }
    int bytes = RecordFormat.HEADER_BYTES + length;
    if (left < bytes) {
      return invalid("the file ends within a record");
    }
    fill(bytes);
    at = window.position();
    if (!RecordFormat.isIntact(window, at)) {
      return invalid("the checksum of a record does not hold");
    }
    recordAt = at;
    window.position(at + bytes);
    if (kind() != RecordFormat.SEAL) {
      position += bytes;
    }
    return true;
  }

  private boolean invalid(String what) {
    problem = what;
    return false;
  }

  /** Fills the window with this many bytes from the position; the file has them. */
  private void fill(int bytes) throws IOException {
    if (window.remaining() >= bytes) {
      return;
    }
    long offset = offset();
    if (window.capacity() < bytes) {
      ByteBuffer larger = ByteBuffer.allocate(Math.max(bytes, 2 * window.capacity()));
      larger.put(window);
      window = larger;
    } else {
      window.compact();
    }
    int kept = window.position();
    window.limit((int) Math.min(window.capacity(), size - offset));
    Io.read(file, window, offset + kept);
    if (window.hasRemaining()) {
      throw new IOException("the file became shorter while it was read");
    }
    window.position(0);
    windowOffset = offset;
  }

  byte kind() {
    return RecordFormat.kind(window, recordAt);
  }

  byte tag() {
    return RecordFormat.tag(window, recordAt);
  }

  int crc() {
    return RecordFormat.crc(window, recordAt);
  }

  /** Returns the payload of the record, valid until the reader moves on. */
  ByteBuffer payload() {
    return window
        .slice(recordAt + RecordFormat.HEADER_BYTES, RecordFormat.length(window, recordAt))
        .asReadOnlyBuffer();
  }

  /** Returns the offset in the file after the record, where the next or an invalid one begins. */
  long offset() {
    return windowOffset + window.position();
  }

  /** Returns the position in the log after the record. */
  long position() {
    return position;
  }

  /** Returns why the bytes after the last record are invalid; null at the end of the file. */
  @Nullable String problem() {
    return problem;
  }
}
