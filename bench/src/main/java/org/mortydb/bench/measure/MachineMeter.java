package org.mortydb.bench.measure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The processor time of a whole machine, by the file {@code /proc/stat} of Linux. Together with the
 * time of a measurement's own processes it tells whether other programs disturbed it.
 *
 * <p>Interrupts do not count as work, because nobody knows for which program they were. The share
 * of other programs is therefore the least that it can be. Thread-safe.
 */
public final class MachineMeter {
  /**
   * The key, in a record's environment, of the share of the machine's processor time that other
   * programs used within the window, at least: 0 to 1. It is absent if unknown, and in virtual
   * time.
   */
  public static final String OTHER_PROGRAMS = "otherPrograms";

  /** The most that other programs may use of a quiet machine, as a share of its processor time. */
  public static final double MOST_OTHERS = 0.05;

  /** The columns of a line of processors: user, nice, system, idle, iowait, irq, softirq, steal. */
  private static final int COLUMNS = 8;

  /** The columns of work: user, nice, system and steal. */
  private static final List<Integer> WORK = List.of(0, 1, 2, 7);

  private final Path file;

  /** The meter of this machine. */
  public MachineMeter() {
    this(Path.of("/proc/stat"));
  }

  MachineMeter(Path file) {
    this.file = file;
  }

  /**
   * The processor time since the start of the machine.
   *
   * @param workTicks the time with work, in ticks
   * @param allTicks all time, in ticks
   * @param processors the number of processors
   */
  public record Sample(long workTicks, long allTicks, int processors) {
    /**
     * The share of the machine's processor time between an earlier sample and this one that went to
     * programs other than those of a measurement.
     *
     * @param ownNanos the processor time of the measurement's processes, in nanoseconds
     * @param seconds the time between the samples
     * @return 0 to 1; empty if no time has passed
     */
    public OptionalDouble others(Sample earlier, long ownNanos, double seconds) {
      long all = allTicks - earlier.allTicks;
      if (all <= 0 || seconds <= 0) {
        return OptionalDouble.empty();
      }
      double own = ownNanos / (seconds * 1e9 * processors);
      double work = (workTicks - earlier.workTicks) / (double) all;
      return OptionalDouble.of(Math.clamp(work - own, 0, 1));
    }
  }

  /** The processor time now; empty on a system without such a file. */
  public Optional<Sample> sample() {
    long work = -1;
    long all = 0;
    int processors = 0;
    try {
      for (String line : Files.readAllLines(file, StandardCharsets.US_ASCII)) {
        String[] words = line.strip().split("\\s+");
        if (words[0].equals("cpu") && words.length > COLUMNS) {
          work = 0;
          for (int column = 0; column < COLUMNS; column++) {
            long ticks = Long.parseLong(words[column + 1]);
            all += ticks;
            work += WORK.contains(column) ? ticks : 0;
          }
        } else if (words[0].startsWith("cpu")) {
          processors++;
        }
      }
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
    return work < 0 || processors == 0
        ? Optional.empty()
        : Optional.of(new Sample(work, all, processors));
  }
}
