package org.mortydb.bench.measure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/**
 * The processor time of the JIT compilers of this process and some of its children, by the files
 * {@code /proc/PID/task/TID/stat} of Linux.
 *
 * <p>A process compiles its code once. So a short measurement after a short warm-up charges each
 * commit with a time that a server spends once in its life. Thread-safe.
 */
public final class CompilerMeter {
  /**
   * The key, in a record's environment, of the share of the processor time within the window that
   * JIT compilers used: 0 to 1. It is absent if unknown, and in virtual time.
   */
  public static final String COMPILERS = "compilers";

  /** With a larger share, a report says that the warm-up was too short. */
  public static final double MOST_COMPILERS = 0.10;

  /** Linux reports times to programs in ticks of this length, whatever the kernel's own. */
  private static final long NANOS_PER_TICK = 10_000_000;

  /** The names of the threads of HotSpot's compilers begin so; Linux cuts them to 15 characters. */
  private static final List<String> NAMES = List.of("C1 Compiler", "C2 Compiler", "JVMCI Compiler");

  /** The places of user and system time among the words behind a thread's name. */
  private static final List<Integer> TIMES = List.of(11, 12);

  private final Path root;
  private final List<Long> processes;

  /**
   * Creates a meter of this process and others.
   *
   * @param children the processes that count in addition to this one
   */
  public CompilerMeter(List<ProcessHandle> children) {
    this(
        Path.of("/proc"),
        LongStream.concat(
                LongStream.of(ProcessHandle.current().pid()),
                children.stream().mapToLong(ProcessHandle::pid))
            .boxed()
            .toList());
  }

  CompilerMeter(Path root, List<Long> processes) {
    this.root = root;
    this.processes = processes;
  }

  /**
   * The processor time of the compilers since the starts of the processes, in nanoseconds, with the
   * resolution of a tick of 10 ms for each thread; empty on a system without such files, or if a
   * process has ended.
   */
  public OptionalLong sample() {
    long ticks = 0;
    for (long process : processes) {
      Path threads = root.resolve(Long.toString(process)).resolve("task");
      try (DirectoryStream<Path> each = Files.newDirectoryStream(threads)) {
        for (Path thread : each) {
          ticks += compilerTicks(thread.resolve("stat"));
        }
      } catch (IOException | RuntimeException e) {
        return OptionalLong.empty();
      }
    }
    return OptionalLong.of(ticks * NANOS_PER_TICK);
  }

  /** The time of a thread, in ticks; 0 unless it is a compiler's, and if it has ended. */
  private static long compilerTicks(Path stat) {
    String line;
    try {
      line = Files.readString(stat, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return 0;
    }
    // PID (NAME) STATE …: a name may contain spaces and brackets.
    String name = line.substring(line.indexOf('(') + 1, line.lastIndexOf(')'));
    if (NAMES.stream().noneMatch(name::startsWith)) {
      return 0;
    }
    String[] words = line.substring(line.lastIndexOf(')') + 2).split(" ");
    return TIMES.stream().mapToLong(place -> Long.parseLong(words[place])).sum();
  }
}
