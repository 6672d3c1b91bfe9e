package org.mortydb.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Reads a log at the start, and distinguishes a torn tail from damage.
 *
 * <p>A crash may leave any part of the batch that was being written. That batch is the last in the
 * last segment and was never acknowledged, so recovery cuts it off. An invalid record anywhere else
 * is damage. Within the last segment the marks decide. Each batch begins with a mark: the position
 * up to which the log was forced before. If an intact mark reaches beyond an invalid record, that
 * record was once whole, and is damaged.
 */
final class LogRecovery {
  private static final Logger log = LoggerFactory.getLogger(LogRecovery.class);
  private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final DataDirectory directory;
  private final long from;
  private final RecordConsumer consumer;

  /** The start positions of the segments. */
  private final List<Long> bases = new ArrayList<>();

  /** The segments before those that are read. */
  private final List<Path> superfluous = new ArrayList<>();

  /** The segment without a seal, before a last one without records; -1 if there is none. */
  private long unsealed = -1;

  private long end;
  private long records;
  private long lastProgressNanos = System.nanoTime();

  private LogRecovery(DataDirectory directory, long from, RecordConsumer consumer) {
    this.directory = directory;
    this.from = from;
    this.consumer = consumer;
    this.end = from;
  }

  /**
   * Reads a log and cuts off its torn tail. Afterwards the whole log is on the medium, and can go
   * on in a new segment.
   *
   * @param from the position of the first record to read
   * @param atLeast the position that the log must reach
   */
  static LogRecovery run(DataDirectory directory, long from, long atLeast, RecordConsumer consumer)
      throws IOException {
    LogRecovery recovery = new LogRecovery(directory, from, consumer);
    recovery.listSegments();
    recovery.read(Math.max(atLeast, ForcedPosition.read(directory)));
    return recovery;
  }

  /** Returns the end position of the log. */
  long end() {
    return end;
  }

  /** Returns the start positions of the remaining segments. */
  List<Long> bases() {
    return bases;
  }

  /** Returns the segment that still needs a seal because it gets a successor; -1 if none. */
  long unsealed() {
    return unsealed;
  }

  long records() {
    return records;
  }

  /** Deletes the segments that the checkpoint has made superfluous; it must be on the medium. */
  void deleteSuperfluous() throws IOException {
    for (Path path : superfluous) {
      log.info("deleting {}, which the checkpoint has made superfluous", path);
      directory.disk().delete(path);
    }
  }

  private void listSegments() throws IOException {
    for (String name : directory.list()) {
      long base = Names.segmentPosition(name);
      if (base >= 0) {
        bases.add(base);
      } else if (!isKnown(name)) {
        log.warn("{} is no file of this directory, it is ignored", directory.resolve(name));
      }
    }
    while (bases.size() > 1 && bases.get(1) <= from) {
      superfluous.add(directory.resolve(Names.segment(bases.removeFirst())));
    }
    boolean fresh = directory.lastStop() == LastStop.NONE && from == 0;
    if (bases.isEmpty() ? !fresh : bases.getFirst() > from) {
      throw new DamagedStorageException(
          "a segment of the log, or a newer checkpoint, is missing: "
              + directory.path()
              + " has no segment with position "
              + from);
    }
  }

  private static boolean isKnown(String name) {
    return name.equals(Names.LOCK)
        || name.equals(Names.STATE)
        || name.equals(Names.FORCED)
        || Names.checkpointPosition(name) >= 0
        || Names.isTemporary(name);
  }

  private void read(long atLeast) throws IOException {
    for (int i = 0; i < bases.size(); i++) {
      Path path = directory.resolve(Names.segment(bases.get(i)));
      try (DiskFile file = directory.disk().open(path)) {
        FileHeader.check(file, path, FileHeader.Kind.SEGMENT, directory.id(), bases.get(i));
        RecordReader reader = new RecordReader(file, FileHeader.BYTES, bases.get(i));
        boolean sealed = readSegment(path, reader);
        if (i + 1 < bases.size()) {
          checkEnd(path, file, reader, sealed, i);
        } else {
          finish(path, file, reader, sealed, atLeast);
        }
      }
    }
  }

  /** Reads the records of a segment; returns whether it ended with a seal. */
  private boolean readSegment(Path path, RecordReader reader) throws IOException {
    while (true) {
      long position = reader.position();
      boolean boundary = position == from;
      if (!reader.next()) {
        return false;
      }
      if (!boundary && position < from && reader.position() > from) {
        throw new DamagedStorageException(
            path + " has no record that begins at " + from + ", as the checkpoint says");
      }
      switch (reader.kind()) {
        case RecordFormat.SEAL -> {
          return true;
        }
        case RecordFormat.MARK -> {}
        case RecordFormat.DATA -> {
          if (position >= from) {
            consumer.accept(reader.tag(), reader.payload());
            records++;
            showProgress(reader.position());
          }
        }
        default ->
            throw new StorageException(
                path
                    + " holds a record of the unknown kind "
                    + reader.kind()
                    + " at position "
                    + position
                    + ": start the version of Morty that wrote it");
      }
    }
  }

  private void showProgress(long position) {
    long nowNanos = System.nanoTime();
    if (nowNanos - lastProgressNanos > PROGRESS_NANOS) {
      lastProgressNanos = nowNanos;
      log.info(
          "replaying {}: {} MiB, {} records so far",
          directory.path(),
          (position - from) >> 20,
          records);
    }
  }

  /** Checks that a segment ends where its successor begins. */
  private void checkEnd(Path path, DiskFile file, RecordReader reader, boolean sealed, int index)
      throws IOException {
    long next = bases.get(index + 1);
    if (reader.position() != next) {
      if (reader.problem() != null) {
        throw damaged(path, reader);
      }
      throw new DamagedStorageException(
          path
              + " ends at position "
              + reader.position()
              + ", but the next segment, "
              + Names.segment(next)
              + ", begins at "
              + next
              + ": a segment is missing between them, or the first was cut");
    }
    if (!sealed) {
      // The crash came after the last segment was created and before this one was sealed. Until
      // then nothing is written to the last segment, which is checked there.
      if (index + 2 < bases.size()) {
        throw new DamagedStorageException(
            path + " is damaged at offset " + reader.offset() + ": its end is missing");
      }
      unsealed = bases.get(index);
    } else if (reader.offset() != file.size()) {
      throw new DamagedStorageException(
          path + " is damaged at offset " + reader.offset() + ": there is something after its end");
    }
  }

  private static DamagedStorageException damaged(Path path, RecordReader reader) {
    return new DamagedStorageException(
        path
            + " is damaged at offset "
            + reader.offset()
            + ", position "
            + reader.position()
            + ": "
            + reader.problem());
  }

  /** Checks the end of the last segment, and cuts off what a crash left there. */
  private void finish(Path path, DiskFile file, RecordReader reader, boolean sealed, long atLeast)
      throws IOException {
    end = reader.position();
    if (sealed) {
      throw new DamagedStorageException(
          directory.resolve(Names.segment(end)) + " is missing: " + path + " has a successor");
    }
    ByteBuffer tail = tail(file, reader.offset());
    checkTail(path, reader, tail);
    checkReached(path, reader, atLeast);
    boolean empty = end == bases.getLast();
    if (unsealed >= 0 && !empty) {
      throw new DamagedStorageException(
          directory.resolve(Names.segment(unsealed)) + " is damaged: its end is missing");
    }
    if (tail.capacity() > 0) {
      cut(path, file, reader, tail);
    }
    boolean crash = directory.lastStop() == LastStop.CRASH;
    if (!empty) {
      unsealed = bases.getLast();
    } else if (bases.size() > 1) {
      // Its seal may not be on the medium, also after a clean stop: a start has failed since then.
      unsealed = bases.get(bases.size() - 2);
    }
    if (unsealed >= 0 && crash && !directory.disk().isReadOnly()) {
      SegmentWriter.rewrite(directory, unsealed, end);
    }
  }

  private static ByteBuffer tail(DiskFile file, long offset) throws IOException {
    ByteBuffer tail = ByteBuffer.allocate(Math.toIntExact(file.size() - offset));
    Io.read(file, tail, offset);
    return tail;
  }

  /** Refuses a tail if a later mark or seal proves that its beginning was once whole. */
  private static void checkTail(Path path, RecordReader reader, ByteBuffer tail)
      throws DamagedStorageException {
    for (int at = 0; at + RecordFormat.HEADER_BYTES <= tail.capacity(); at++) {
      // A seal is written after everything before it was forced, and has no position.
      boolean seal = RecordFormat.kind(tail, at) == RecordFormat.SEAL;
      boolean mark = RecordFormat.kind(tail, at) == RecordFormat.MARK;
      if (!(seal || mark) || RecordFormat.position(tail, at) != reader.position() + at) {
        continue;
      }
      int length = RecordFormat.length(tail, at);
      boolean whole =
          length == (mark ? RecordFormat.MARK_PAYLOAD_BYTES : 0)
              && at + RecordFormat.HEADER_BYTES + length <= tail.capacity()
              && RecordFormat.isIntact(tail, at);
      if (whole && (seal || tail.getLong(at + RecordFormat.HEADER_BYTES) > reader.position())) {
        throw damaged(path, reader);
      }
    }
  }

  private void checkReached(Path path, RecordReader reader, long atLeast)
      throws DamagedStorageException {
    long endBefore = directory.endBefore();
    boolean clean = directory.lastStop() == LastStop.CLEAN;
    if (end < atLeast || (clean && end != endBefore)) {
      throw new DamagedStorageException(
          path
              + " is damaged at offset "
              + reader.offset()
              + ": the log ends there, at position "
              + end
              + ", but has been "
              + (clean ? "closed in order at " + endBefore : "forced up to " + atLeast));
    }
  }

  private void cut(Path path, DiskFile file, RecordReader reader, ByteBuffer tail)
      throws IOException {
    log.atLevel(directory.disk().isReadOnly() ? Level.DEBUG : Level.WARN)
        .log(
            "cutting {} bytes off {} at offset {}, position {}: they were being written at the"
                + " crash, nothing rests on them",
            tail.capacity(),
            path,
            reader.offset(),
            reader.position());
    file.truncate(reader.offset());
  }
}
