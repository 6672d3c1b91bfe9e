package org.mortydb.storage;

import java.io.IOException;
import java.nio.file.Path;

/**
 * What a data directory holds, read as a start would read it, with all its checks, and without
 * changing anything.
 *
 * @param identity whose it is
 * @param incarnation how often it was started
 * @param lastStop how its last use ended
 * @param doubtful whether the end of what was kept may be missing, since the machine went down amid
 *     a use with {@link Durability#ASYNC}
 * @param checkpointPosition the position of the newest checkpoint, 0 if there is none
 * @param checkpointRecords how many records the checkpoint holds
 * @param logRecords how many records the log holds from there on
 * @param endPosition where the log ends
 * @param cutBytes how many bytes a start would cut off its end: a batch that was being written when
 *     its last use ended, and on which nothing rests
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
   * Reads a directory; what it holds is given to the consumers in order, as in {@link
   * Storage#open}. It is locked meanwhile.
   *
   * @throws DamagedStorageException when it does not hold what was stored, naming file and place
   * @throws StorageException when it is none, is in use, has another format, or cannot be read
   * @throws IOException what a consumer throws
   */
  public static StoredDirectory read(
      Path path, RecordConsumer fromCheckpoint, RecordConsumer fromLog) throws IOException {
    return read(Disk.SYSTEM, path, fromCheckpoint, fromLog);
  }

  /** As above, on another disk. */
  public static StoredDirectory read(
      Disk disk, Path path, RecordConsumer fromCheckpoint, RecordConsumer fromLog)
      throws IOException {
    try {
      return read(new ReadOnlyDisk(disk), path, fromCheckpoint, fromLog);
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException("the data directory " + path + " cannot be read: " + e, e);
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
          directory.isDoubtful(),
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
