package org.mortydb.bench.measure;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

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
   * What all have used since they began, in nanoseconds; empty when the system does not tell, or
   * when a child has ended. Children are known to a clock tick, 10 ms on Linux.
   */
  public OptionalLong nanos() {
    long sum = self.getProcessCpuTime();
    if (sum < 0) {
      return OptionalLong.empty();
    }
    for (ProcessHandle child : children) {
      Optional<Duration> used = child.info().totalCpuDuration();
      if (used.isEmpty()) {
        return OptionalLong.empty();
      }
      sum += used.get().toNanos();
    }
    return OptionalLong.of(sum);
  }
}
