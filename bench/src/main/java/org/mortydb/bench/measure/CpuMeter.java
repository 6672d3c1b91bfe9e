package org.mortydb.bench.measure;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The processor time, user and system, of this process and some of its children. */
public final class CpuMeter {
  private final com.sun.management.OperatingSystemMXBean self =
      (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private final List<ProcessHandle> children;

  /**
   * @param children the processes that count beside this one
   */
  public CpuMeter(List<ProcessHandle> children) {
    this.children = List.copyOf(children);
  }

  /**
   * What all have used since they began; empty when the system does not tell, or when a child has
   * ended. Children are known to a clock tick, 10 ms on Linux.
   */
  public Optional<CpuTime> sample() {
    long own = self.getProcessCpuTime();
    if (own < 0) {
      return Optional.empty();
    }
    long others = 0;
    for (ProcessHandle child : children) {
      Optional<Duration> used = child.info().totalCpuDuration();
      if (used.isEmpty()) {
        return Optional.empty();
      }
      others += used.get().toNanos();
    }
    return Optional.of(new CpuTime(own, others));
  }

  /**
   * Processor time in nanoseconds.
   *
   * @param ownNanos of this process
   * @param childrenNanos of the children together
   */
  public record CpuTime(long ownNanos, long childrenNanos) {

    /** What was used from {@code earlier} to this. */
    public CpuTime since(CpuTime earlier) {
      return new CpuTime(ownNanos - earlier.ownNanos, childrenNanos - earlier.childrenNanos);
    }

    /** Of all processes. */
    public long totalNanos() {
      return ownNanos + childrenNanos;
    }
  }
}
