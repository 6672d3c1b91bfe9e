package org.mortydb.experiments.claims;

import java.util.List;
import java.util.Optional;

/**
 * What a machine must have for a claim's runs.
 *
 * @param cores the least number of cores
 * @param memoryGib the least memory of the machine, in GiB
 * @param files files of the checkout that the runs read
 */
public record Needs(int cores, int memoryGib, List<String> files) {
  /** Machines have a little less memory than they are sold with. */
  private static final double ENOUGH = 0.9;

  private static final double GIB = 1L << 30;

  /** Copies the list. */
  public Needs {
    files = List.copyOf(files);
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
