package org.mortydb.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.storage.RecordConsumer;
import org.mortydb.wire.StoredRecord;

/**
 * Restores the replicas of a server with several threads. The thread that reads the directory
 * distributes the records. Each other thread decodes and applies those of its replicas, in the
 * order of the directory.
 *
 * <p>Used by the reading thread. Everything is applied once {@link #end} has returned.
 */
final class Replay implements RecordConsumer, AutoCloseable {
  /** How much a thread gets at a time. */
  private static final int BATCH_BYTES = 256 * 1024;

  /** How many batches wait for a thread. */
  private static final int MOST_WAITING = 4;

  /** What happens to records. */
  interface Target {
    /** Finds out to which replica a record belongs. */
    ReplicaId replicaOf(byte tag, ByteBuffer payload) throws IOException;

    /** Returns which thread restores a replica, from 0. */
    int threadOf(ReplicaId replica) throws IOException;

    /** Decodes a record. */
    StoredRecord decode(ByteBuffer payload) throws IOException;

    /** Applies a record. */
    void apply(StoredRecord stored) throws IOException;
  }

  private final Target target;
  private final List<Worker> workers = new ArrayList<>();

  Replay(int threads, Target target) {
    this.target = target;
    for (int i = 0; i < threads; i++) {
      workers.add(new Worker(i));
    }
    workers.forEach(worker -> worker.thread.start());
  }

  @Override
  public void accept(byte tag, ByteBuffer payload) throws IOException {
    workers.get(target.threadOf(target.replicaOf(tag, payload))).add(payload);
  }

  @Override
  public void end() throws IOException {
    for (Worker worker : workers) {
      worker.finish();
    }
    for (Worker worker : workers) {
      worker.await();
    }
  }

  /** Ends the threads, whether or not they have applied everything. */
  @Override
  public void close() {
    workers.forEach(worker -> worker.thread.interrupt());
  }

  private final class Worker implements Runnable {
    private final Thread thread;
    private final BlockingQueue<ByteBuffer> waiting = new ArrayBlockingQueue<>(MOST_WAITING);

    /** Records, each after its length. */
    private ByteBuffer filling = ByteBuffer.allocate(BATCH_BYTES);

    private volatile @Nullable Throwable failure;

    Worker(int number) {
      thread = new Thread(this, "morty-replay-" + number);
      thread.setDaemon(true);
    }

    // ---- the reading thread -----------------------------------------------------------------

    void add(ByteBuffer payload) throws IOException {
      int bytes = Integer.BYTES + payload.remaining();
      if (filling.remaining() < bytes) {
        handOver();
        filling = ByteBuffer.allocate(Math.max(BATCH_BYTES, bytes));
      }
      filling.putInt(payload.remaining()).put(payload.duplicate());
    }

    /** Hands over the rest, and an empty batch, which is the last. */
    void finish() throws IOException {
      handOver();
      filling = ByteBuffer.allocate(0);
      put(filling);
    }

    private void handOver() throws IOException {
      if (filling.position() > 0) {
        put(filling.flip());
      }
    }

    private void put(ByteBuffer batch) throws IOException {
      checkFailure();
      try {
        waiting.put(batch);
      } catch (InterruptedException e) {
        throw interrupted(e);
      }
    }

    void await() throws IOException {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw interrupted(e);
      }
      checkFailure();
    }

    private void checkFailure() throws IOException {
      switch (failure) {
        case null -> {}
        case IOException e -> throw e;
        case RuntimeException e -> throw e;
        case Error e -> throw e;
        case Throwable e -> throw new AssertionError(e);
      }
    }

    private static IOException interrupted(InterruptedException e) {
      Thread.currentThread().interrupt();
      return new IOException("the start was interrupted", e);
    }

    // ---- the worker's thread ----------------------------------------------------------------

    @Override
    public void run() {
      try {
        for (ByteBuffer batch = waiting.take(); batch.hasRemaining(); batch = waiting.take()) {
          apply(batch);
        }
      } catch (InterruptedException e) {
        waiting.clear(); // the start has failed, and nothing waits for this thread
      }
    }

    /** Applies a batch; after a failure it only makes room. */
    private void apply(ByteBuffer batch) {
      try {
        while (failure == null && batch.hasRemaining()) {
          int length = batch.getInt();
          target.apply(target.decode(batch.slice(batch.position(), length)));
          batch.position(batch.position() + length);
        }
      } catch (IOException | RuntimeException | Error e) {
        failure = e;
      }
    }
  }
}
