package org.mortydb.storage;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The content of a data directory, read with all the checks of a start and without a change.
 *
 * @param identity the owner
 * @param incarnation how often the directory was started
 * @param lastStop how the last use ended
 * @param doubtful whether records that counted as kept may be missing
 * @param checkpointPosition the position of the newest checkpoint, 0 if there is none
 * @param checkpointRecords how many records the checkpoint holds
 * @param logRecords how many records the log holds from there on
 * @param endPosition the end position of the log
 * @param cutBytes how many bytes a start would cut off the end: an incomplete batch, which was
 *     never acknowledged
 */
public record StoredDirectory(
    Identity identity,
    long incarnation,
    LastStop lastStop,
    boolean doubtful,
    long checkpointPosition,
    long checkpointRecords,
    long logRecords,
    long endPosition,
    long cutBytes) {

  /**
   * Reads a directory, and locks it meanwhile. The consumers get its records in the order of {@link
   * Storage#open}.
   *
   * @throws DamagedStorageException when it does not hold what was stored; names file and place
   * @throws StorageException when it is not a data directory, is in use, has another format, or
   *     cannot be read
   * @throws IOException an exception of a consumer
   */
  public static StoredDirectory read(
      Path path, RecordConsumer fromCheckpoint, RecordConsumer fromLog) throws IOException {
    return read(Disk.SYSTEM, path, fromCheckpoint, fromLog);
  }

  /** The same on another disk. */
  public static StoredDirectory read(
      Disk disk, Path path, RecordConsumer fromCheckpoint, RecordConsumer fromLog)
      throws IOException {
    try {
      return read(new ReadOnlyDisk(disk), path, fromCheckpoint, fromLog);
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException(
          "the data directory " + path + " cannot be read: " + FileProblem.of(e), e);
    }
  }

  private static StoredDirectory read(
      ReadOnlyDisk disk, Path path, RecordConsumer fromCheckpoint, RecordConsumer fromLog)
      throws IOException {
    Identity identity = identity(disk, path);
    try (DataDirectory directory = DataDirectory.open(disk, path, identity)) {
      Checkpoints.Restored restored = Checkpoints.restore(directory, fromCheckpoint);
      LogRecovery log = LogRecovery.run(directory, restored.from(), restored.atLeast(), fromLog);
      return new StoredDirectory(
          identity,
          directory.incarnation() - 1,
          directory.lastStop(),
          directory.mayLack(log.end()),
          restored.from(),
          restored.records(),
          log.records(),
          log.end(),
          disk.cutBytes());
    }
  }

  private static Identity identity(Disk disk, Path path) throws IOException {
    Path file = path.resolve(Names.STATE);
    if (disk.list(path).contains(Names.STATE)) {
      return DirectoryState.read(disk, file).identity();
    }
    for (String name : disk.list(path)) {
      if (Names.segmentPosition(name) >= 0 || Names.checkpointPosition(name) >= 0) {
        throw new DamagedStorageException(file + " is missing, beside " + path.resolve(name));
      }
    }
    throw new StorageException(path + " is no data directory of a server: it has no file 'state'");
  }
}
