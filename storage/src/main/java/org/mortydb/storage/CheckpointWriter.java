package org.mortydb.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one checkpoint on a thread of its own, slowly and in steps. {@link #offer} never waits and
 * may be called by any thread. The checkpoint takes effect when {@link #finish} completes. Until
 * then, and after a failure, it has no effect.
 */
public final class CheckpointWriter {
  private static final Logger log = LoggerFactory.getLogger(CheckpointWriter.class);
  private static final int CHUNKS = 2;

  /** Hears of the writer's end first, on the writer's thread. */
  interface Owner {
    /** The checkpoint is durable. */
    void onComplete(long position) throws IOException;

    /** Another checkpoint may begin. */
    void onEnd();
  }

  /** Makes a writer give up. */
  private static final class AbandonedException extends StorageException {
    AbandonedException() {
      super("the checkpoint was abandoned");
    }
  }

  private final DataDirectory directory;
  private final CheckpointOptions options;
  private final Log wal;
  private final long position;
  private final Owner owner;
  private final Path path;
  private final Path temporary;
  private final CompletableFuture<CheckpointInfo> result = new CompletableFuture<>();
  private final Thread writer = new Thread(this::write, "morty-checkpoint");

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // ---- guarded by the lock ------------------------------------------------------------------
  private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();
  private final ArrayDeque<ByteBuffer> full = new ArrayDeque<>();
  private @Nullable ByteBuffer filling;
  private final CheckpointTrailer trailer = new CheckpointTrailer();
  private long streamPosition;
  private long atLeast = -1;
  private boolean abandoned;

  CheckpointWriter(
      DataDirectory directory, CheckpointOptions options, Log wal, long position, Owner owner) {
    this.directory = directory;
    this.options = options;
    this.wal = wal;
    this.position = position;
    this.owner = owner;
    this.path = directory.resolve(Names.checkpoint(position));
    this.temporary = Names.temporary(path);
    for (int i = 0; i < CHUNKS; i++) {
      free.add(ByteBuffer.allocateDirect(options.stepBytes()));
    }
  }

  void start() {
    writer.setDaemon(true);
    writer.start();
  }

  /** Returns the position at which replay of the log begins after this checkpoint. */
  public long position() {
    return position;
  }

  /**
   * Accepts a record if there is room. Otherwise, and after a failure, the caller tries again later
   * and checks {@link #result()}.
   *
   * @param tag returned with the record when it is read
   * @param payload the bytes from its position to its limit; neither changes
   * @throws IllegalStateException after {@link #finish}
   * @throws IllegalArgumentException when the payload is longer than 64 MiB
   */
  public boolean offer(byte tag, ByteBuffer payload) {
    if (payload.remaining() > RecordFormat.MAX_PAYLOAD_BYTES) {
      throw new IllegalArgumentException(
          "a record of " + payload.remaining() + " bytes does not fit into a checkpoint");
    }
    lock.lock();
    try {
      if (atLeast >= 0) {
        throw new IllegalStateException("the checkpoint was finished");
      }
      ByteBuffer chunk = chunkFor(RecordFormat.HEADER_BYTES + payload.remaining());
      if (chunk == null) {
        return false;
      }
      put(chunk, RecordFormat.DATA, tag, payload.duplicate());
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Returns a chunk with this much room, or null. */
  private @Nullable ByteBuffer chunkFor(int needed) {
    ByteBuffer chunk = filling;
    if (chunk != null && chunk.remaining() < needed && chunk.position() > 0) {
      full.add(chunk);
      changed.signalAll();
      chunk = null;
    }
    if (chunk == null) {
      chunk = free.poll();
    }
    if (chunk != null && chunk.remaining() < needed) {
      // The record alone is longer than a chunk.
      chunk = ByteBuffer.allocateDirect(needed);
    }
    filling = chunk;
    return chunk;
  }

  private void put(ByteBuffer chunk, byte kind, byte tag, ByteBuffer payload) {
    int at = chunk.position();
    RecordFormat.put(chunk, streamPosition, kind, tag, payload);
    streamPosition += chunk.position() - at;
    trailer.add(RecordFormat.crc(chunk, at));
  }

  /**
   * Ends the records. They may cover anything that was appended to the log so far, so the
   * checkpoint takes effect after the log is forced up to here.
   *
   * @return completes, on the writer's thread, when the checkpoint is durable and superfluous files
   *     are deleted; fails with a {@link StorageException}
   */
  public CompletableFuture<CheckpointInfo> finish() {
    long logPosition = wal.position();
    lock.lock();
    try {
      if (atLeast < 0) {
        atLeast = logPosition;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
    return result();
  }

  /** Gives up unless the checkpoint is complete. Does not wait. */
  public void abandon() {
    lock.lock();
    try {
      abandoned = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the future of {@link #finish}, which fails as soon as writing fails. */
  public CompletableFuture<CheckpointInfo> result() {
    return result.copy();
  }

  /** Waits until the thread has ended. */
  void join() throws InterruptedException {
    writer.join();
  }

  // ---- the writer's thread ------------------------------------------------------------------

  private void write() {
    CheckpointInfo info;
    try {
      info = writeFile();
      wal.awaitForced(atLeast());
      directory.requireLock();
      directory.disk().rename(temporary, path);
      directory.disk().forceDirectory(directory.path());
    } catch (IOException | RuntimeException | InterruptedException | Error e) {
      fail(e);
      return;
    }
    try {
      owner.onComplete(position);
    } catch (IOException | RuntimeException | Error e) {
      log.warn("{} is complete, but what it made superfluous cannot be deleted", path, e);
    }
    owner.onEnd();
    result.complete(info);
  }

  private CheckpointInfo writeFile() throws IOException, InterruptedException {
    try (DiskFile file = directory.disk().create(temporary)) {
      ByteBuffer header = ByteBuffer.allocate(FileHeader.BYTES);
      FileHeader.put(header, FileHeader.Kind.CHECKPOINT, directory.id(), position);
      Io.write(file, header.flip(), 0);
      long size = FileHeader.BYTES;
      long startNanos = System.nanoTime();
      for (ByteBuffer chunk = take(); chunk != null; chunk = take()) {
        int bytes = chunk.flip().remaining();
        Io.write(file, chunk, size);
        file.force();
        size += bytes;
        giveBack(chunk);
        pause(startNanos, size);
      }
      ByteBuffer last = trailer();
      int bytes = last.remaining();
      Io.write(file, last, size);
      file.force();
      return new CheckpointInfo(position, trailer.records(), size + bytes);
    }
  }

  /** Returns the next chunk to write; null if there are no more. */
  private @Nullable ByteBuffer take() throws IOException, InterruptedException {
    lock.lock();
    try {
      while (true) {
        if (abandoned) {
          throw new AbandonedException();
        }
        if (!full.isEmpty()) {
          return full.poll();
        }
        if (atLeast >= 0) {
          ByteBuffer rest = filling;
          filling = null;
          return rest;
        }
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  private void giveBack(ByteBuffer chunk) {
    lock.lock();
    try {
      free.add(
          chunk.capacity() == options.stepBytes()
              ? chunk.clear()
              : ByteBuffer.allocateDirect(options.stepBytes()));
    } finally {
      lock.unlock();
    }
  }

  /** Waits as long as this many bytes should take, unless the writer must give up. */
  private void pause(long startNanos, long bytes) throws InterruptedException {
    double dueNanos = (double) bytes / options.bytesPerSecond() * TimeUnit.SECONDS.toNanos(1);
    long endNanos = startNanos + (long) dueNanos;
    lock.lock();
    try {
      long leftNanos = endNanos - System.nanoTime();
      while (leftNanos > 0 && !abandoned) {
        leftNanos = changed.awaitNanos(leftNanos);
      }
    } finally {
      lock.unlock();
    }
  }

  private ByteBuffer trailer() {
    lock.lock();
    try {
      ByteBuffer last = ByteBuffer.allocate(CheckpointTrailer.BYTES);
      RecordFormat.put(
          last, streamPosition, RecordFormat.TRAILER, (byte) 0, trailer.payload(atLeast));
      return last.flip();
    } finally {
      lock.unlock();
    }
  }

  private long atLeast() {
    lock.lock();
    try {
      return atLeast;
    } finally {
      lock.unlock();
    }
  }

  private void fail(Throwable cause) {
    abandon();
    try {
      directory.requireLock();
      Io.deleteInSteps(directory.disk(), temporary);
    } catch (IOException | RuntimeException | Error e) {
      log.debug("{} cannot be deleted", temporary, e);
    }
    owner.onEnd();
    result.completeExceptionally(
        cause instanceof AbandonedException abandonment
            ? abandonment
            : new StorageException(
                "writing the checkpoint "
                    + path
                    + " failed: "
                    + cause.getMessage()
                    + "; nothing is lost, the log is kept until a checkpoint succeeds",
                cause));
  }
}
