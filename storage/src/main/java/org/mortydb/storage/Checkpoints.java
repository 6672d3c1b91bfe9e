package org.mortydb.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The checkpoints of a data directory. Only the newest is used; older ones are left-overs. */
final class Checkpoints {
  private static final Logger log = LoggerFactory.getLogger(Checkpoints.class);

  /**
   * The relation of the newest checkpoint to the log.
   *
   * @param from the position at which replay begins; 0 without a checkpoint
   * @param atLeast the position that the log reached
   * @param records the number of records in the checkpoint
   */
  record Restored(long from, long atLeast, long records) {}

  private Checkpoints() {}

  /** Reads the newest checkpoint if there is one. */
  static Restored restore(DataDirectory directory, RecordConsumer consumer) throws IOException {
    long newest = -1;
    for (String name : directory.list()) {
      newest = Math.max(newest, Names.checkpointPosition(name));
    }
    if (newest < 0) {
      return new Restored(0, 0, 0);
    }
    Path path = directory.resolve(Names.checkpoint(newest));
    try (DiskFile file = directory.disk().open(path)) {
      FileHeader.check(file, path, FileHeader.Kind.CHECKPOINT, directory.id(), newest);
      return read(path, file, newest, consumer);
    }
  }

  private static Restored read(Path path, DiskFile file, long position, RecordConsumer consumer)
      throws IOException {
    CheckpointTrailer trailer = new CheckpointTrailer();
    RecordReader reader = new RecordReader(file, FileHeader.BYTES, 0);
    while (reader.next()) {
      ByteBuffer payload = reader.payload();
      if (reader.kind() == RecordFormat.DATA) {
        trailer.add(reader.crc());
        consumer.accept(reader.tag(), payload);
      } else if (reader.kind() == RecordFormat.TRAILER
          && trailer.matches(payload)
          && reader.offset() == file.size()) {
        return new Restored(position, CheckpointTrailer.atLeast(payload), trailer.records());
      } else {
        throw new DamagedStorageException(
            path + " is damaged at offset " + reader.offset() + ": its end does not fit the rest");
      }
    }
    String problem = reader.problem();
    throw new DamagedStorageException(
        path
            + " is damaged at offset "
            + reader.offset()
            + ": "
            + (problem == null ? "its end is missing" : problem));
  }

  /** Deletes the checkpoints before a position. */
  static void deleteBefore(DataDirectory directory, long position) throws IOException {
    for (String name : directory.list()) {
      long other = Names.checkpointPosition(name);
      if (other >= 0 && other < position) {
        log.debug("deleting {}", directory.resolve(name));
        Io.deleteInSteps(directory.disk(), directory.resolve(name));
      }
    }
  }
}
