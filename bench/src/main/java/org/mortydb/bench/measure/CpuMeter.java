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
   * @param children the processes that count in addition to this one
   */
  public CpuMeter(List<ProcessHandle> children) {
    this.children = List.copyOf(children);
  }

  /**
   * The processor time of all processes since their starts; empty if the system does not report it,
   * or if a child has ended. The resolution for children is a clock tick, 10 ms on Linux.
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
   * @param ownNanos the time of this process
   * @param childrenNanos the time of all children
   */
  public record CpuTime(long ownNanos, long childrenNanos) {

    /** The time between an earlier sample and this one. */
    public CpuTime since(CpuTime earlier) {
      return new CpuTime(ownNanos - earlier.ownNanos, childrenNanos - earlier.childrenNanos);
    }

    /** The time of all processes. */
    public long totalNanos() {
      return ownNanos + childrenNanos;
    }
  }
}
