package org.mortydb.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.testing.EmbeddedCluster;
import org.mortydb.testing.MortyCluster;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/** Scans while YCSB's workload E inserts into what they read. */
@MortyCluster(partitions = 4)
class ScanTest {
  private static final int RECORDS = 100;
  private static final int COUNTERS = 4;
  private static final int EACH = 12;
  private static final long MOST_THOUGHT_NANOS = 8_000_000;

  /** Above all of the workload's own keys; its scans reach these. */
  private static final String COUNTED = "v";

  @TempDir Path folder;

  private Properties workloadE(EmbeddedCluster cluster) throws IOException {
    Properties properties = new Properties();
    try (var file = Files.newBufferedReader(Path.of("workloads/workloade"))) {
      properties.load(file);
    }
    Path config = Files.writeString(folder.resolve("cluster.conf"), cluster.configuration());
    properties.setProperty(Settings.CONFIG, config.toString());
    properties.setProperty("table", "posts");
    properties.setProperty("recordcount", Integer.toString(RECORDS));
    properties.setProperty("insertproportion", "0.5");
    properties.setProperty("scanproportion", "0.5");
    return properties;
  }

  private static MortyDb open(Properties properties) throws DBException {
    MortyDb db = new MortyDb();
    db.setProperties(properties);
    db.init();
    return db;
  }

  /**
   * Everyone counts the records of a range, and adds one to it that tells the count, under a key
   * that nobody else uses. With a phantom, two would have counted the same.
   */
  @Test
  void nobodyIsAddedToARangeUnnoticed(EmbeddedCluster cluster) throws Exception {
    Properties properties = workloadE(cluster);
    Measurements.setProperties(properties);
    CoreWorkload workload = new CoreWorkload();
    workload.init(properties);
    MortyDb db = open(properties);
    for (int i = 0; i < RECORDS; i++) {
      assertThat(workload.doInsert(db, null)).isTrue();
    }
    AtomicBoolean counted = new AtomicBoolean();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> stock = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        stock.add(threads.submit(() -> work(workload, properties, counted)));
      }
      List<Callable<Boolean>> counters = new ArrayList<>();
      for (int i = 0; i < COUNTERS; i++) {
        String author = "author" + i;
        counters.add(() -> count(properties, author));
      }
      for (Future<Boolean> counter : threads.invokeAll(counters)) {
        assertThat(counter.get()).isTrue();
      }
      counted.set(true);
      for (Future<Integer> operations : stock) {
        assertThat(operations.get()).as("the workload went on meanwhile").isPositive();
      }
    }
    List<Integer> counts =
        Objects.requireNonNull(
            db.query(in -> in.scan("posts", COUNTED, 1_000)).value().stream()
                .map(record -> (int) record.get("count")[0])
                .toList());
    assertThat(counts).isEqualTo(IntStream.range(0, COUNTERS * EACH).boxed().toList());
    db.cleanup();
  }

  private static int work(CoreWorkload workload, Properties properties, AtomicBoolean end)
      throws DBException {
    MortyDb db = open(properties);
    int operations = 0;
    while (!end.get()) {
      assertThat(workload.doTransaction(db, null)).isTrue();
      operations++;
    }
    db.cleanup();
    return operations;
  }

  private static boolean count(Properties properties, String author) throws DBException {
    MortyDb db = open(properties);
    for (int i = 0; i < EACH; i++) {
      MortyDb.Outcome<Boolean> outcome =
          db.transact(
              in -> {
                int count = in.scan("posts", COUNTED, 1_000).size();
                // Who began early and inserts late meets those that have counted meanwhile.
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(MOST_THOUGHT_NANOS));
                String key = COUNTED + "%04d-%s".formatted(count, author);
                in.insert("posts", key, Map.of("count", new byte[] {(byte) count}));
                return true;
              });
      assertThat(outcome).isEqualTo(new MortyDb.Outcome<>(Status.OK, true));
    }
    db.cleanup();
    return true;
  }
}
