package org.mortydb.experiments.claims;

import java.util.List;
import java.util.Optional;

/**
 * What a machine must have for a claim's runs.
 *
 * @param cores the least number of cores
 * @param memoryGib the least memory of the machine, in GiB
 * @param heapGib the least heap of the process that makes the runs, in GiB; 0 if the JVM's default
 *     suffices
 * @param files files of the checkout that the runs read
 */
public record Needs(int cores, int memoryGib, int heapGib, List<String> files) {
  /** Machines have a little less memory than they are sold with, and some collectors less heap. */
  private static final double ENOUGH = 0.9;

  private static final double GIB = 1L << 30;

  /** Copies the list. */
  public Needs {
    files = List.copyOf(files);
  }

  /**
   * What a machine or this process lacks to make the runs, in words; empty if it has everything.
   * Other processes may have made them with a larger heap.
   */
  public Optional<String> lackingToRun(Machine machine) {
    Optional<String> lacking = lacking(machine);
    return lacking.isPresent() || machine.heapBytes() >= heapGib * GIB * ENOUGH
        ? lacking
        : Optional.of(
            "needs a heap of %d GiB, this process has %s; set MORTY_JAVA_OPTS=-Xmx%dg"
                .formatted(heapGib, ClaimFigure.number(machine.heapBytes() / GIB), heapGib));
  }

  /** What a machine lacks, in words; empty if it has everything. */
  public Optional<String> lacking(Machine machine) {
    if (machine.cores() < cores) {
      return Optional.of("needs %d cores, this machine has %d".formatted(cores, machine.cores()));
    }
    if (machine.memoryBytes() < memoryGib * GIB * ENOUGH) {
      return Optional.of(
          "needs %d GiB of memory, this machine has %s"
              .formatted(memoryGib, ClaimFigure.number(machine.memoryBytes() / GIB)));
    }
    return files.stream()
        .filter(file -> !machine.has().test(file))
        .findFirst()
        .map(file -> "needs the file " + file + ", which this checkout lacks");
  }
}
