package org.mortydb.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A data directory in use: its log, its checkpoints, and the number of this start. Safe for any
 * thread. Opening and closing wait for the disk; the rest does not, unless it says so.
 */
public final class Storage implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(Storage.class);

  private final DataDirectory directory;
  private final StorageOptions options;
  private final Log log;
  private final AtomicReference<@Nullable CheckpointWriter> checkpoint = new AtomicReference<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  private volatile long checkpointPosition;

  private Storage(
      DataDirectory directory, StorageOptions options, Log log, long checkpointPosition) {
    this.checkpointPosition = checkpointPosition;
    this.directory = directory;
    this.options = options;
    this.log = log;
  }

  /**
   * Opens a data directory, and makes it first if it is missing or empty. What it holds is given to
   * the consumers in order: the newest checkpoint's records, then the log's from its position on.
   *
   * @param listener told of what is appended from now on
   * @throws DamagedStorageException when it does not hold what was stored
   * @throws StorageException when it cannot be used for another reason: it is in use, belongs to
   *     somebody else, has another format, or cannot be read or written
   * @throws IOException what a consumer throws
   */
  public static Storage open(
      Path path,
      Identity identity,
      StorageOptions options,
      RecordConsumer fromCheckpoint,
      RecordConsumer fromLog,
      LogListener listener)
      throws IOException {
    return open(Disk.SYSTEM, path, identity, options, fromCheckpoint, fromLog, listener);
  }

  /** As above, on another disk. */
  public static Storage open(
      Disk disk,
      Path path,
      Identity identity,
      StorageOptions options,
      RecordConsumer fromCheckpoint,
      RecordConsumer fromLog,
      LogListener listener)
      throws IOException {
    try {
      DataDirectory directory = DataDirectory.open(disk, path, identity);
      try {
        return open(directory, options, fromCheckpoint, fromLog, listener);
      } catch (IOException | RuntimeException e) {
        directory.close();
        throw e;
      }
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException(
          "the data directory " + path + " cannot be used: " + e + "; see to the disk", e);
    }
  }

  private static Storage open(
      DataDirectory directory,
      StorageOptions options,
      RecordConsumer fromCheckpoint,
      RecordConsumer fromLog,
      LogListener listener)
      throws IOException {
    long startNanos = System.nanoTime();
    Checkpoints.Restored restored = Checkpoints.restore(directory, fromCheckpoint);
    LogRecovery recovery = LogRecovery.run(directory, restored.from(), restored.atLeast(), fromLog);
    Checkpoints.deleteBefore(directory, restored.from());
    Log log = Log.open(directory, recovery, options.log(), listener);
    directory.started(options.log().durability());
    log.start();
    logger.info(
        "{}: start {}, after {}; {} records of a checkpoint, {} of the log up to position {}, in {}"
            + " ms",
        directory.path(),
        directory.incarnation(),
        directory.lastStop(),
        restored.records(),
        recovery.records(),
        recovery.end(),
        (System.nanoTime() - startNanos) / 1_000_000);
    return new Storage(directory, options, log, restored.from());
  }

  /** Where it is. */
  public Path path() {
    return directory.path();
  }

  /** The number of this start of the directory, from 1 on; grows with each. */
  public long incarnation() {
    return directory.incarnation();
  }

  /** How the use before this one ended. */
  public LastStop lastStop() {
    return directory.lastStop();
  }

  /**
   * Whether the machine went down in an {@link Durability#ASYNC} use, so that the end of what was
   * kept may be missing. Stays so over restarts until {@link #settled()} is called.
   */
  public boolean isDoubtful() {
    return directory.isDoubtful();
  }

  /** Stores that nothing is in doubt any more. Waits for the disk; one thread at a time. */
  public void settled() throws IOException {
    directory.settled();
  }

  /** The log. */
  public Log log() {
    return log;
  }

  /** Where replay of the log would begin now: the position of the newest checkpoint, or 0. */
  public long checkpointPosition() {
    return checkpointPosition;
  }

  /**
   * Begins a checkpoint: what is offered to it must tell of everything that was appended to the log
   * before a position, and may tell of anything later.
   *
   * @param from the position, from {@link Log#position()} of this or an earlier moment of this use;
   *     not before {@link #checkpointPosition()}
   * @throws IllegalStateException when another one is being written
   */
  public CheckpointWriter beginCheckpoint(long from) {
    if (from < checkpointPosition || from > log.position()) {
      throw new IllegalArgumentException(
          "a checkpoint from " + from + ", not in " + checkpointPosition + ".." + log.position());
    }
    CheckpointWriter writer =
        new CheckpointWriter(directory, options.checkpoints(), log, from, new CheckpointOwner());
    if (closed.get() || !checkpoint.compareAndSet(null, writer)) {
      throw new IllegalStateException("a checkpoint is being written, or the storage is closed");
    }
    writer.start();
    return writer;
  }

  private final class CheckpointOwner implements CheckpointWriter.Owner {
    @Override
    public void onComplete(long position) throws IOException {
      checkpointPosition = position;
      Checkpoints.deleteBefore(directory, position);
      int deleted = log.deleteBefore(position);
      logger.info(
          "{}: checkpoint at position {}, {} segments deleted",
          directory.path(),
          position,
          deleted);
    }

    @Override
    public void onEnd() {
      checkpoint.set(null);
    }
  }

  /**
   * Writes and forces what was appended, says so on disk, and unlocks the directory. A checkpoint
   * that is being written is abandoned.
   *
   * @throws StorageException when writing failed, now or before
   */
  @Override
  public void close() throws IOException {
    if (closed.getAndSet(true)) {
      return;
    }
    try {
      CheckpointWriter writer = checkpoint.get();
      if (writer != null) {
        writer.abandon();
        writer.join();
      }
      directory.stopped(log.close());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(
          "closing " + directory.path() + " was interrupted; its next start is as after a crash",
          e);
    } finally {
      directory.close();
    }
  }
}
