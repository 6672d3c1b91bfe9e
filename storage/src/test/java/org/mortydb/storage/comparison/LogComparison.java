package org.mortydb.storage.comparison;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.mortydb.storage.Durability;
import org.mortydb.storage.Identity;
import org.mortydb.storage.LogListener;
import org.mortydb.storage.Storage;
import org.mortydb.storage.StorageException;
import org.mortydb.storage.StorageOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * Forced records in a second: our log against RocksDB's synchronous writes, on the disk of a
 * directory. {@code docs/decisions/0001-storage.md} says how it is run and what came out.
 *
 * <p>In {@code batch} one thread appends as many records as there are writers and waits once, as an
 * event loop does that has that many clients; RocksDB gets them as one write batch, which suits it
 * best. In {@code threads} every writer is a thread that waits for each of its records.
 */
final class LogComparison {
  private static final int RECORD_BYTES = 200;
  private static final int[] WRITERS = {1, 8, 64, 512};
  private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int ROUNDS = 9;

  private LogComparison() {}

  /** Something that forces records. For any thread. */
  private interface Store extends AutoCloseable {
    /** Returns when so many records are on the medium. */
    void write(int records) throws Exception;

    @Override
    void close() throws Exception;
  }

  private interface Opener {
    Store open(Path directory) throws Exception;
  }

  public static void main(String[] args) throws Exception {
    RocksDB.loadLibrary();
    Path base = Files.createTempDirectory(Path.of(args.length > 0 ? args[0] : "."), "log-compared");
    try {
      System.out.println(
          "mode     writers      morty    rocksdb  records forced in a second, median");
      for (String mode : List.of("batch", "threads")) {
        for (int writers : WRITERS) {
          double[] ours = new double[ROUNDS];
          double[] theirs = new double[ROUNDS];
          for (int round = 0; round < ROUNDS; round++) {
            ours[round] = run(base, mode, writers, OurLog::new);
            theirs[round] = run(base, mode, writers, RocksLog::new);
          }
          Arrays.sort(ours);
          Arrays.sort(theirs);
          System.out.printf(
              "%-8s %7d %10.0f %10.0f  %.2f%n",
              mode,
              writers,
              ours[ROUNDS / 2],
              theirs[ROUNDS / 2],
              ours[ROUNDS / 2] / theirs[ROUNDS / 2]);
        }
      }
    } finally {
      delete(base);
    }
  }

  private static double run(Path base, String mode, int writers, Opener opener) throws Exception {
    Path directory = base.resolve("store");
    try (Store store = opener.open(directory)) {
      return mode.equals("batch") ? batches(store, writers) : threads(store, writers);
    } finally {
      delete(directory);
    }
  }

  private static double batches(Store store, int writers) throws Exception {
    store.write(writers);
    long startNanos = System.nanoTime();
    long records = 0;
    while (System.nanoTime() - startNanos < ROUND_NANOS) {
      store.write(writers);
      records += writers;
    }
    return perSecond(records, startNanos);
  }

  private static double threads(Store store, int writers) throws Exception {
    AtomicLong records = new AtomicLong();
    AtomicBoolean stop = new AtomicBoolean();
    List<Thread> threads = new ArrayList<>();
    long startNanos = System.nanoTime();
    for (int i = 0; i < writers; i++) {
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (!stop.get()) {
                      try {
                        store.write(1);
                      } catch (Exception e) {
                        throw new IllegalStateException(e);
                      }
                      records.incrementAndGet();
                    }
                  }));
    }
    Thread.sleep(TimeUnit.NANOSECONDS.toMillis(ROUND_NANOS));
    double rate = perSecond(records.get(), startNanos);
    stop.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
    return rate;
  }

  private static double perSecond(long records, long startNanos) {
    return records * 1e9 / (System.nanoTime() - startNanos);
  }

  private static byte[] payload() {
    byte[] payload = new byte[RECORD_BYTES];
    new SplittableRandom(1).nextBytes(payload);
    return payload;
  }

  private static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static final class OurLog implements Store, LogListener {
    private final Storage storage;
    private final ByteBuffer payload = ByteBuffer.wrap(payload());

    OurLog(Path directory) throws IOException {
      storage =
          Storage.open(
              directory,
              new Identity("bench", "a"),
              StorageOptions.of(Durability.SYNC),
              (tag, record) -> {},
              (tag, record) -> {},
              this);
    }

    @Override
    public void write(int records) throws InterruptedException {
      long position = 0;
      for (int i = 0; i < records; i++) {
        position = storage.log().append((byte) 1, payload.duplicate());
      }
      storage.log().awaitForced(position);
    }

    @Override
    public void onKept(long position) {}

    @Override
    public void onFailed(StorageException failure) {
      failure.printStackTrace();
      System.exit(1);
    }

    @Override
    public void close() throws IOException {
      storage.close();
    }
  }

  private static final class RocksLog implements Store {
    private final Options options;
    private final WriteOptions forced = new WriteOptions().setSync(true);
    private final RocksDB db;
    private final byte[] payload = payload();
    private final AtomicLong next = new AtomicLong();

    RocksLog(Path directory) throws RocksDBException {
      // Large enough that no table is written within a round: the log alone is compared.
      options = new Options().setCreateIfMissing(true).setWriteBufferSize(512L << 20);
      db = RocksDB.open(options, directory.toString());
    }

    private byte[] key() {
      return ByteBuffer.allocate(Long.BYTES).putLong(next.getAndIncrement()).array();
    }

    @Override
    public void write(int records) throws RocksDBException {
      if (records == 1) {
        db.put(forced, key(), payload);
        return;
      }
      try (WriteBatch batch = new WriteBatch()) {
        for (int i = 0; i < records; i++) {
          batch.put(key(), payload);
        }
        db.write(forced, batch);
      }
    }

    @Override
    public void close() {
      db.close();
      forced.close();
      options.close();
    }
  }
}
