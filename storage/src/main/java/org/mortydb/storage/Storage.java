package org.mortydb.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A data directory in use: its log, its checkpoints, and the number of this start. Safe for use by
 * several threads. Only opening, closing and the methods that say so wait for the disk.
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
   * Opens a data directory; creates it if it is missing or empty. The consumers get its records in
   * order: first those of the newest checkpoint, then those of the log from the checkpoint's
   * position.
   *
   * @param listener hears about records that are appended from now on
   * @throws DamagedStorageException when the directory does not hold what was stored
   * @throws StorageException when the directory cannot be used for another reason: it is in use,
   *     belongs to another server, has another format, or cannot be read or written
   * @throws IOException an exception of a consumer
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

  /** The same on another disk. */
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
      } catch (IOException | RuntimeException | Error e) {
        directory.close();
        throw e;
      }
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException(
          "the data directory "
              + path
              + " cannot be used: "
              + FileProblem.of(e)
              + "; correct server.data, or mend the directory or its disk",
          e);
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
    fromLog.end();
    if (!directory.isDoubtful() && directory.mayLack(recovery.end())) {
      directory.doubt(true); // the log and its note, which show it, are about to change
    }
    // After a crash or an error behind the renaming, the name of the checkpoint may not be on the
    // medium yet.
    directory.force();
    Checkpoints.deleteBefore(directory, restored.from());
    recovery.deleteSuperfluous();
    Log log = Log.open(directory, recovery, options.log(), listener);
    directory.started(options.log().durability());
    log.start();
    logger.info(
        "{}: start {}, last stop: {}; restored {} records of a checkpoint and {} of the log, up to"
            + " position {}, in {} ms",
        directory.path(),
        directory.incarnation(),
        directory.lastStop().name().toLowerCase(Locale.ROOT),
        restored.records(),
        recovery.records(),
        recovery.end(),
        (System.nanoTime() - startNanos) / 1_000_000);
    return new Storage(directory, options, log, restored.from());
  }

  /** Returns the path of the directory. */
  public Path path() {
    return directory.path();
  }

  /** Returns the number of this start of the directory, from 1. */
  public long incarnation() {
    return directory.incarnation();
  }

  /** Returns how the previous use ended. */
  public LastStop lastStop() {
    return directory.lastStop();
  }

  /**
   * Whether records that counted as kept may be missing: the machine crashed, or a force failed,
   * during a use with {@link Durability#ASYNC}; or {@link #doubt} was called. Stays true over
   * restarts until {@link #settled()} is called.
   */
  public boolean isDoubtful() {
    return directory.isDoubtful();
  }

  /**
   * Stores that no loss is in doubt, once all records appended so far are forced: among them are
   * those that have settled it. Waits for the disk; one thread at a time.
   */
  public void settled() throws IOException {
    try {
      log.flush();
      log.awaitForced(log.position());
      directory.doubt(false);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(
          directory.path() + " stays in doubt: the thread was interrupted", e);
    } catch (LogStoppedException e) {
      throw new StorageException(directory.path() + " stays in doubt: " + e.getMessage(), e);
    }
  }

  /** Stores that records may be missing. Waits for the disk; one thread at a time. */
  public void doubt() throws IOException {
    directory.doubt(true);
  }

  /**
   * Stores that records may be missing, until {@link #settled} is called, although that may not be
   * so. The next start can tell this doubt from another one if it calls this method, too. Waits for
   * the disk; one thread at a time.
   *
   * @return whether records may really be missing: the directory was in doubt before, and not only
   *     because the start before this one has called this method
   */
  public boolean doubtForNow() throws IOException {
    return directory.doubtForNow();
  }

  /**
   * Marks a directory as doubtful, because its server is about to do what the directory does not
   * tell of. Does nothing if there is no data directory.
   *
   * @throws StorageException when the directory is in use, belongs to another server, or cannot be
   *     read or written
   */
  public static void doubt(Path path, Identity identity) throws IOException {
    doubt(Disk.SYSTEM, path, identity);
  }

  /** The same on another disk. */
  static void doubt(Disk disk, Path path, Identity identity) throws IOException {
    if (!DataDirectory.exists(disk, path)) {
      return;
    }
    try (DataDirectory directory = DataDirectory.open(disk, path, identity)) {
      if (!directory.isDoubtful() || directory.isDoubtProvisional()) {
        directory.doubt(true);
      }
    }
  }

  /**
   * Returns the version that the records are written in, which the user of the directory defines; 0
   * if it was never stored. For any thread.
   */
  public int version() {
    return directory.version();
  }

  /**
   * Stores the version that the records are written in from now on. Durable when it returns. Waits
   * for the disk; for any thread.
   */
  public void version(int version) throws IOException {
    directory.version(version);
  }

  /** Returns the format of a directory whose records have a version. */
  public static int formatOf(int version) {
    return DirectoryState.formatOf(version);
  }

  /** Returns the newest format of directories that this program reads. */
  public static int newestFormat() {
    return DirectoryState.NEWEST_FORMAT;
  }

  /**
   * Refuses a directory whose records have a version that a program does not read. Does nothing if
   * there is no data directory, or its version was never stored.
   *
   * @param oldest the oldest version that the program reads
   * @param newest the newest one
   * @throws StorageException when the program does not read the directory's version; also when the
   *     directory has another format or is damaged. One that cannot be read at all is left to
   *     whoever opens it
   */
  public static void requireVersion(Path path, int oldest, int newest) throws StorageException {
    requireVersion(Disk.SYSTEM, path, oldest, newest);
  }

  /** The same on another disk. */
  static void requireVersion(Disk disk, Path path, int oldest, int newest) throws StorageException {
    int version;
    try {
      version =
          DataDirectory.exists(disk, path)
              ? DirectoryState.read(disk, path.resolve(Names.STATE)).version()
              : 0;
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      return;
    }
    if (version != 0 && (version < oldest || version > newest)) {
      throw new StorageException(
          "the data directory "
              + path
              + " is written in version "
              + version
              + ", this program reads "
              + (oldest == newest ? "version " + newest : "versions " + oldest + " to " + newest)
              + ": start a release that speaks version "
              + version
              + (version > newest
                  ? "; the upgrade to it is finished and cannot be undone"
                  : ", end the upgrade to it by 'morty upgrade finish', and upgrade after that"));
    }
  }

  /** Returns the log. */
  public Log log() {
    return log;
  }

  /** Returns where replay of the log would begin: the position of the newest checkpoint, or 0. */
  public long checkpointPosition() {
    return checkpointPosition;
  }

  /**
   * Begins a checkpoint. Its records must cover everything that was appended to the log before a
   * position, and may cover anything later.
   *
   * @param from the position: an earlier or the present {@link Log#position()} of this use, at
   *     least {@link #checkpointPosition()}
   * @throws IllegalStateException when another checkpoint is being written
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
    try {
      writer.start();
    } catch (RuntimeException | Error e) {
      checkpoint.set(null);
      throw e;
    }
    return writer;
  }

  private final class CheckpointOwner implements CheckpointWriter.Owner {
    @Override
    public void onComplete(long position) throws IOException {
      checkpointPosition = position;
      directory.requireLock();
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
   * Writes and forces all appended records, marks the stop as clean, and unlocks the directory. A
   * checkpoint that is being written is abandoned.
   *
   * @throws StorageException when a write failed, now or before
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
