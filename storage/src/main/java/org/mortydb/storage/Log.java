package org.mortydb.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A write-ahead log with group commit: records that are appended during a force are written
 * together and forced once. Appending copies into memory and may be called by any thread. It waits
 * for the disk only while the buffer is full; {@link #isCongested} warns in time. One thread of the
 * log writes. After a failure the log writes and forces nothing more, because the operating system
 * may have dropped what it could not write.
 */
public final class Log {
  /** The name of the writing thread. */
  public static final String THREAD = "morty-log";

  private static final Logger log = LoggerFactory.getLogger(Log.class);

  /** How long a mark waits for records, to be written with them. */
  private static final long MARK_DELAY_NANOS = 1_000_000;

  private final DataDirectory directory;
  private final LogOptions options;
  private final LogListener listener;
  private final Thread writer = new Thread(this::write, THREAD);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final Condition forced = lock.newCondition();
  private final Condition room = lock.newCondition();

  // ---- guarded by the lock ------------------------------------------------------------------
  private final List<Long> bases;
  private Batch filling;
  private long appended;
  private boolean waiting;
  private boolean closing;
  private long records;
  private long batches;
  private long bytes;
  private long forces;
  private long forceNanos;
  private long slowestForceNanos;

  // ---- the writing thread's -----------------------------------------------------------------
  private Batch writing;
  private SegmentWriter segment;
  private final ForcedPosition forcedPosition;
  private long written;

  /** The end of the last batch with records; the marks after it need no force. */
  private long writtenRecords;

  /** The forced position in the last mark. */
  private long marked;

  private long nextForceNanos;

  private volatile long kept;
  private volatile long durable;
  private volatile long handedOver;
  private volatile boolean congested;
  private volatile @Nullable StorageException failure;

  private Log(
      DataDirectory directory,
      LogOptions options,
      LogListener listener,
      List<Long> bases,
      SegmentWriter segment,
      ForcedPosition forcedPosition,
      long end) {
    this.directory = directory;
    this.options = options;
    this.listener = listener;
    this.bases = new ArrayList<>(bases);
    this.segment = segment;
    this.forcedPosition = forcedPosition;
    this.filling = new Batch(options.bufferBytes());
    this.writing = new Batch(options.bufferBytes());
    filling.restart(end);
    this.appended = end;
    this.written = end;
    this.writtenRecords = end;
    this.marked = end;
    this.durable = end;
    this.kept = end;
    this.handedOver = end;
  }

  /** Continues a log in a new segment. */
  static Log open(
      DataDirectory directory, LogRecovery recovered, LogOptions options, LogListener listener)
      throws IOException {
    List<Long> bases = recovered.bases();
    long end = recovered.end();
    SegmentWriter segment = SegmentWriter.create(directory, end);
    if (bases.isEmpty() || bases.getLast() != end) {
      bases.add(end);
    }
    if (recovered.unsealed() >= 0) {
      SegmentWriter.seal(directory, recovered.unsealed(), end);
    }
    ForcedPosition forcedPosition = ForcedPosition.create(directory, end);
    return new Log(directory, options, listener, bases, segment, forcedPosition, end);
  }

  /** Starts the writing thread. */
  void start() {
    writer.setDaemon(true);
    writer.start();
  }

  // ---- appending ----------------------------------------------------------------------------

  /**
   * Appends a record. It is kept once {@link #keptPosition()} reaches the returned position.
   *
   * @param tag returned with the record when it is read
   * @param payload the bytes from its position to its limit, which do not change; at most {@link
   *     LogOptions#maxPayloadBytes()}
   * @return the position after the record
   * @throws LogStoppedException when the log was closed or has failed
   * @throws IllegalArgumentException when the payload is too long
   */
  public long append(byte tag, ByteBuffer payload) {
    long position = appendMore(tag, payload);
    flush();
    return position;
  }

  /**
   * Appends a record as {@link #append} does, but may leave it unwritten until the next {@link
   * #flush}. Use it for several records in a row; otherwise the first would be forced alone.
   */
  public long appendMore(byte tag, ByteBuffer payload) {
    int length = payload.remaining();
    if (length > options.maxPayloadBytes()) {
      throw new IllegalArgumentException(
          "a record of "
              + length
              + " bytes does not fit into the log, which takes "
              + options.maxPayloadBytes());
    }
    CRC32C crc = RecordFormat.checksum(payload);
    lock.lock();
    try {
      checkRunning();
      while (!filling.add(tag, payload.duplicate(), crc)) {
        congested = true;
        wakeWriter();
        room.awaitUninterruptibly();
        checkRunning();
      }
      appended = filling.end();
      congested = filling.bytes() > options.bufferBytes() / 2;
      return appended;
    } finally {
      lock.unlock();
    }
  }

  /** Starts the writing of all appended records. Does not wait. */
  public void flush() {
    lock.lock();
    try {
      if (!filling.isEmpty()) {
        wakeWriter();
      }
    } finally {
      lock.unlock();
    }
  }

  private void wakeWriter() {
    if (waiting) {
      waiting = false;
      work.signal();
    }
  }

  private void checkRunning() {
    StorageException failed = failure;
    if (failed != null) {
      throw new LogStoppedException(failed);
    }
    if (closing) {
      throw new LogStoppedException("the log in " + directory.path() + " is closed");
    }
  }

  /** Whether the buffer is more than half full: appenders should slow down. */
  public boolean isCongested() {
    return congested;
  }

  /** Returns how many appended bytes the operating system does not have yet. */
  public int pendingBytes() {
    lock.lock();
    try {
      return filling.isEmpty() ? 0 : filling.bytes();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the position after the last appended record. */
  public long position() {
    lock.lock();
    try {
      return appended;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the position before which all records are kept, by the log's {@link Durability}. */
  public long keptPosition() {
    return kept;
  }

  /** Returns the position before which all records are forced to the medium, in either mode. */
  public long forcedPosition() {
    return durable;
  }

  /**
   * Returns the position before which the operating system has all records: the end of this process
   * does not lose them.
   */
  public long writtenPosition() {
    return handedOver;
  }

  /** Returns why the log has stopped; null while it works. */
  public @Nullable StorageException failure() {
    return failure;
  }

  /**
   * Waits until all records before a position are forced to the medium, in either mode.
   *
   * @throws LogStoppedException when the log has stopped before
   */
  public void awaitForced(long position) throws InterruptedException {
    lock.lock();
    try {
      while (durable < position) {
        checkRunning();
        forced.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whether the writing thread has written all records and marks, and waits to be woken. */
  boolean isIdle() {
    lock.lock();
    try {
      // The writing thread has set what it owns before it took the lock to wait.
      return waiting && marked >= durable && durable >= writtenRecords;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the statistics so far. */
  public LogStatistics statistics() {
    lock.lock();
    try {
      return new LogStatistics(
          records, batches, bytes, forces, forceNanos / 1000, slowestForceNanos / 1000);
    } finally {
      lock.unlock();
    }
  }

  // ---- writing ------------------------------------------------------------------------------

  private void write() {
    try {
      Batch batch = take();
      while (batch != null) {
        writeBatch(batch);
        batch = take();
      }
      force();
      segment.close();
      forcedPosition.close();
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    }
  }

  /** Waits for records to write, and meanwhile forces if it is due; null at the end. */
  private @Nullable Batch take() throws IOException {
    boolean marking = false;
    while (true) {
      boolean unforced = durable < writtenRecords;
      if (unforced && nextForceNanos - System.nanoTime() <= 0) {
        force();
        unforced = false;
      }
      lock.lock();
      try {
        if (!filling.isEmpty() || (marked < durable && (marking || closing))) {
          Batch taken = filling;
          writing.restart(taken.end());
          filling = writing;
          writing = taken;
          congested = false;
          room.signalAll();
          return taken;
        }
        if (closing) {
          return null;
        }
        waiting = true;
        if (marked < durable) {
          marking = work.awaitNanos(MARK_DELAY_NANOS) <= 0;
        } else if (unforced) {
          var unused = work.awaitNanos(nextForceNanos - System.nanoTime());
        } else {
          work.await();
        }
        waiting = false;
      } catch (InterruptedException e) {
        throw new IOException("the thread was interrupted", e);
      } finally {
        lock.unlock();
      }
    }
  }

  private void writeBatch(Batch batch) throws IOException {
    if (segment.hasRecords() && segment.size() + batch.bytes() > options.segmentBytes()) {
      roll();
    }
    if (durable >= writtenRecords) {
      nextForceNanos = System.nanoTime() + options.forceInterval().toNanos();
    }
    segment.write(batch.toWrite(durable, directory.incarnation()));
    written = batch.end();
    marked = durable;
    lock.lock();
    try {
      bytes += batch.bytes();
      records += batch.records();
      batches += batch.isEmpty() ? 0 : 1;
    } finally {
      lock.unlock();
    }
    if (batch.isEmpty()) {
      // It says only that earlier batches were forced; it needs no force itself.
      return;
    }
    writtenRecords = written;
    handedOver = written;
    if (options.durability() == Durability.SYNC) {
      listener.onWritten(written);
      force();
    } else {
      directory.requireLock();
      forcedPosition.written(written);
      keep(written);
    }
  }

  private void force() throws IOException {
    long startNanos = System.nanoTime();
    segment.force();
    long nanos = System.nanoTime() - startNanos;
    directory.requireLock(); // nothing counts as kept that another user of the directory lacks
    forcedPosition.write(written);
    lock.lock();
    try {
      forces++;
      forceNanos += nanos;
      slowestForceNanos = Math.max(slowestForceNanos, nanos);
      durable = written;
      forced.signalAll();
    } finally {
      lock.unlock();
    }
    listener.onForced(nanos);
    keep(written);
  }

  private void keep(long position) {
    if (position > kept) {
      kept = position;
      listener.onKept(position);
    }
  }

  /** Goes on in a new segment. The old one is sealed only after the new one is durable. */
  private void roll() throws IOException {
    force();
    SegmentWriter old = segment;
    segment = SegmentWriter.create(directory, written);
    old.seal();
    old.close();
    lock.lock();
    try {
      bases.add(written);
    } finally {
      lock.unlock();
    }
  }

  private void fail(Throwable cause) {
    StorageException failed =
        new StorageException(
            "writing "
                + segment.path()
                + " failed at position "
                + written
                + ": "
                + cause.getMessage()
                + "; the log has stopped, what it had not kept is lost: mend the disk or make room"
                + " on it, and start the server again",
            cause);
    lock.lock();
    try {
      failure = failed;
      forced.signalAll();
      room.signalAll();
    } finally {
      lock.unlock();
    }
    try {
      listener.onFailed(failed);
    } catch (RuntimeException | Error e) {
      log.error("who uses {} was not told that its log has stopped", directory.path(), e);
    }
    doubtWhatWasKept();
    try {
      segment.close();
      forcedPosition.close();
    } catch (IOException e) {
      log.debug("{} cannot be closed", segment.path(), e);
    }
  }

  /**
   * What was kept before it was forced may be lost, although the machine goes on: the system may
   * have dropped it. If that cannot be stored, the note of how far the log was written remains.
   */
  private void doubtWhatWasKept() {
    if (kept > durable) {
      try {
        directory.doubt(true);
      } catch (IOException | RuntimeException e) {
        log.error("{} could not be marked as doubtful", directory.path(), e);
      }
    }
  }

  // ---- the end, and the beginning -----------------------------------------------------------

  /**
   * Deletes the segments that end before a position. Used by any thread, one at a time.
   *
   * @return the number of deleted segments
   */
  int deleteBefore(long position) throws IOException {
    int deleted = 0;
    while (true) {
      long base;
      lock.lock();
      try {
        if (bases.size() < 2 || bases.get(1) > position) {
          return deleted;
        }
        base = bases.removeFirst();
      } finally {
        lock.unlock();
      }
      Io.deleteInSteps(directory.disk(), directory.resolve(Names.segment(base)));
      deleted++;
    }
  }

  /**
   * Writes and forces all appended records, and ends.
   *
   * @return the end position of the log
   * @throws StorageException when a write failed, now or before
   */
  long close() throws StorageException, InterruptedException {
    lock.lock();
    try {
      closing = true;
      work.signal();
      room.signalAll();
    } finally {
      lock.unlock();
    }
    writer.join();
    StorageException failed = failure;
    if (failed != null) {
      throw failed;
    }
    return written;
  }
}
