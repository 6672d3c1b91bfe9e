package org.mortydb.faults.nemesis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.random.RandomGenerator.SplittableGenerator;
import org.mortydb.check.jepsen.OperationType;

/** Those who ask clients for one operation after the other, each in a thread of its own. */
final class RequestThreads {
  private static final long POLL_MILLIS = 10;

  private final ClientProcesses clients;
  private final List<RecordedWorkload> tracks;
  private final FaultRunOptions options;
  private final long timeoutMillis;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  /**
   * @param timeoutMillis after which nobody knows what became of an operation
   */
  RequestThreads(
      ClientProcesses clients,
      List<RecordedWorkload> tracks,
      FaultRunOptions options,
      long timeoutMillis) {
    this.clients = clients;
    this.tracks = tracks;
    this.options = options;
    this.timeoutMillis = timeoutMillis;
  }

  /** Begins. */
  void begin(SplittableGenerator random) {
    for (int i = 0; i < options.concurrency(); i++) {
      int operator = i;
      RandomGenerator own = random.split();
      threads.add(Thread.ofVirtual().start(() -> operate(operator, own)));
    }
  }

  private void operate(int operator, RandomGenerator random) {
    RecordedWorkload track = tracks.get(operator % tracks.size());
    int client = operator / tracks.size() % clients.size();
    int process = operator;
    double meanMillis = 1_000.0 * options.concurrency() / options.rate();
    try {
      while (!stopped) {
        TimeUnit.MICROSECONDS.sleep((long) (random.nextExponential() * meanMillis * 1_000));
        ClientProcess asked = clients.get(client);
        if (!asked.isReady()) {
          Thread.sleep(POLL_MILLIS);
        } else if (track.carryOut(track.next(random), process, asked, timeoutMillis).type()
            == OperationType.INFO) {
          // Whoever does not know what he has done does nothing more.
          process += options.concurrency();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Begins nothing more, and waits for what has begun. */
  void stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
