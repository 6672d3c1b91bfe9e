package org.mortydb.bench.simulated;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.mortydb.bench.cluster.ClusterFile;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.storage.Durability;
import org.mortydb.storage.Identity;
import org.mortydb.storage.Log;
import org.mortydb.storage.LogListener;
import org.mortydb.storage.LogStatistics;
import org.mortydb.storage.RecordConsumer;
import org.mortydb.storage.Storage;
import org.mortydb.storage.StorageException;
import org.mortydb.storage.StorageOptions;
import org.mortydb.wire.StoredRecordEncoder;

/**
 * Measures the costs of a server's log. One thread appends records of a transaction, a few at a
 * time, to the log of a real data directory, and waits until the log keeps them. The wall clock
 * times what it appends. The processor time of the log's own thread yields, by least squares, the
 * costs of a write and of a force.
 */
final class StorageGauge {
  private static final byte TAG = 1;
  private static final int[] AT_A_TIME = {1, 2, 4, 8, 16, 32};
  private static final int ROUNDS = 3;

  /** Something else has interrupted what takes longer. */
  private static final long LONGEST_NANOS = 1_000_000;

  private static final RecordConsumer NONE = (tag, payload) -> {};

  private final double seconds;
  private final Path disk;
  private final StoredRecordEncoder encoder = new StoredRecordEncoder();
  private final List<LogRecord> sample = sample();
  private final List<double[]> rows = new ArrayList<>();
  private long appendNanos;
  private long records;
  private long flushNanos;
  private long flushes;
  private long forceNanos;
  private long forces;

  /**
   * @param seconds the measured time of each of 36 runs, after an equal warm-up
   * @param disk the directory in which data is stored and deleted again
   */
  StorageGauge(double seconds, Path disk) {
    this.seconds = seconds;
    this.disk = disk;
  }

  /** What a replica logs of a transaction that reads and writes three keys. */
  private static List<LogRecord> sample() {
    TxnId txn = new TxnId(1_700_000_000_000_000L, 0x1234_5678_9abcL, 0);
    WriteId read = new WriteId(new TxnId(1_699_999_999_000_000L, 0x1234_5678_9abcL, 0), 1);
    List<Read> reads = new ArrayList<>();
    List<Write> writes = new ArrayList<>();
    byte[] bytes = "a value of the length that a short post has".getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < 3; i++) {
      Key key = Key.of("timeline-1234" + i);
      reads.add(new Read(key, read));
      writes.add(new Write(key, 1, Value.copyOf(bytes)));
    }
    return List.of(
        new LogRecord.Prepared(new ExecutionId(txn, 1), reads, writes, List.of(0), false),
        new LogRecord.Decided(txn, Outcome.commit(1, List.of(0))));
  }

  /**
   * Runs the measurement.
   *
   * @throws UncheckedIOException if the directory cannot be used
   */
  StorageCosts measure() throws InterruptedException {
    try {
      for (int round = 0; round < ROUNDS; round++) {
        for (int atATime : AT_A_TIME) {
          run(Durability.ASYNC, atATime);
          run(Durability.SYNC, atATime);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot store in " + disk + ": " + e.getMessage(), e);
    }
    double[] ones = new double[rows.size()];
    Arrays.fill(ones, 1);
    double[] x = LeastSquares.solve(rows, ones);
    return new StorageCosts(
        Math.round((double) appendNanos / records),
        Math.round((double) flushNanos / flushes),
        Math.round(x[0]),
        Math.round(x[1]),
        Math.max(0, Math.round((double) forceNanos / forces - x[1])));
  }

  private void run(Durability durability, int atATime) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory(disk, "morty-calibrate-");
    Set<Thread> before = writers();
    try (Storage storage =
        Storage.open(
            folder.resolve("data"),
            new Identity("calibrate", "server"),
            StorageOptions.of(durability),
            NONE,
            NONE,
            new Silent())) {
      Set<Thread> opened = new HashSet<>(writers());
      opened.removeAll(before);
      if (opened.size() != 1) {
        throw new IllegalStateException("the log has not one thread, but " + opened);
      }
      long writer = opened.iterator().next().threadId();
      append(storage.log(), atATime, false);
      LogStatistics first = storage.log().statistics();
      long cpu = cpuNanos(writer);
      append(storage.log(), atATime, true);
      cpu = cpuNanos(writer) - cpu;
      LogStatistics last = storage.log().statistics();
      long forced = last.forces() - first.forces();
      if (cpu > 0) {
        // Scaled so that the fit minimises the relative error.
        rows.add(
            new double[] {
              (double) (last.batches() - first.batches()) / cpu, (double) forced / cpu
            });
      }
      if (durability == Durability.SYNC) {
        forces += forced;
        forceNanos += (last.forceMicros() - first.forceMicros()) * 1_000;
      }
    } finally {
      ClusterFile.delete(folder);
    }
  }

  private static Set<Thread> writers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(Log.THREAD))
        .collect(Collectors.toSet());
  }

  private static long cpuNanos(long thread) {
    return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread);
  }

  private void append(Log log, int atATime, boolean counts) throws InterruptedException {
    ReplicaId replica = new ReplicaId(0, 0);
    long end = System.nanoTime() + Math.round(seconds * 1e9);
    int next = 0;
    for (long begun = System.nanoTime(); begun < end; begun = System.nanoTime()) {
      long position = 0;
      for (int i = 0; i < atATime; i++) {
        position = log.appendMore(TAG, encoder.encode(replica, sample.get(next)));
        next = (next + 1) % sample.size();
      }
      long appended = System.nanoTime();
      log.flush();
      long flushed = System.nanoTime();
      if (counts && flushed - begun < LONGEST_NANOS) {
        appendNanos += appended - begun;
        records += atATime;
        flushNanos += flushed - appended;
        flushes++;
      }
      // Not parked: to wake this thread would count as a cost of the log.
      while (log.keptPosition() < position) {
        Thread.onSpinWait();
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        StorageException failure = log.failure();
        if (failure != null) {
          throw new UncheckedIOException(failure);
        }
      }
    }
  }

  private static final class Silent implements LogListener {
    @Override
    public void onKept(long position) {}

    @Override
    public void onFailed(StorageException failure) {}
  }
}
