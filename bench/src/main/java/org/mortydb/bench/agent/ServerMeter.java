package org.mortydb.bench.agent;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.agent.AgentMessages.ServerUse;
import org.mortydb.bench.measure.HeapMeter;
import org.mortydb.bench.measure.PauseMeter;
import org.mortydb.bench.measure.Pauses;

/**
 * The processor time, the heap and the pauses of a server process, as local runs measure them.
 * Thread-safe.
 */
final class ServerMeter implements AutoCloseable {
  private final ProcessHandle process;
  private final HeapMeter heap;
  private final PauseMeter pauses;

  /** Connects to the process. Heap and pauses remain unknown if that fails. */
  ServerMeter(ProcessHandle process) {
    this.process = process;
    this.heap = new HeapMeter(List.of(process));
    this.pauses = new PauseMeter(heap.connections());
  }

  /**
   * Collects garbage, and waits for the window and for its end.
   *
   * @param beginNanos when the window begins, by {@link System#nanoTime}
   */
  ServerUse measure(long beginNanos, double seconds) throws InterruptedException {
    Long heapBytes = heapBytes();
    sleepUntil(beginNanos);
    synchronized (this) {
      pauses.begin();
    }
    Optional<Duration> before = process.info().totalCpuDuration();
    sleepUntil(beginNanos + (long) (seconds * 1e9));
    Optional<Duration> after = process.info().totalCpuDuration();
    Long cpuNanos =
        after.flatMap(end -> before.map(begin -> end.minus(begin).toNanos())).orElse(null);
    return new ServerUse(cpuNanos, heapBytes, pausesOfServer());
  }

  private static void sleepUntil(long nanos) throws InterruptedException {
    Thread.sleep(Duration.ofNanos(Math.max(0, nanos - System.nanoTime())));
  }

  private synchronized Pauses.@Nullable OfProcess pausesOfServer() {
    return pauses.end().processes().stream()
        .filter(one -> !one.process().equals(Pauses.CLIENT))
        .findFirst()
        .orElse(null);
  }

  /** Collects garbage in the server, and returns its used heap; null if unknown. */
  synchronized @Nullable Long heapBytes() {
    OptionalLong bytes = heap.othersAfterCollection();
    return bytes.isPresent() ? (Long) bytes.getAsLong() : null;
  }

  @Override
  public synchronized void close() {
    pauses.close();
    heap.close();
  }
}
