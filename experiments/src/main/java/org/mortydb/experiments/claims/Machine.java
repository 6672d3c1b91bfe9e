package org.mortydb.experiments.claims;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.Predicate;

/**
 * A machine with a checkout.
 *
 * @param cores its cores
 * @param memoryBytes its memory
 * @param heapBytes the largest heap of this process
 * @param has whether the checkout has a file
 */
public record Machine(int cores, long memoryBytes, long heapBytes, Predicate<String> has) {

  /** This machine, or the part of it that this process may use. */
  public static Machine here(Predicate<String> has) {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    Runtime runtime = Runtime.getRuntime();
    return new Machine(
        runtime.availableProcessors(), system.getTotalMemorySize(), runtime.maxMemory(), has);
  }
}
