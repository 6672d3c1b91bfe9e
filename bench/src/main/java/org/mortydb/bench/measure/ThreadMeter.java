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
 * The processor time of some threads of the JVM, by the files {@code /proc/PID/task/TID/stat} of
 * Linux: of the JIT compilers, or of the garbage collectors.
 *
 * <p>A process compiles its code once. So a short measurement after a short warm-up charges each
 * commit with a time that a server spends once in its life. A concurrent collector works beside the
 * event loops, on other cores if there are any. Thread-safe.
 */
public final class ThreadMeter {
  /**
   * The key, in a record's environment, of the share of the processor time within the window that
   * JIT compilers used: 0 to 1. It is absent if unknown, and in virtual time.
   */
  public static final String COMPILERS = "compilers";

  /**
   * The key, in a record's environment, of the share of the servers' processor time within the
   * window that their garbage collectors used: 0 to 1. It is absent if unknown, if servers and
   * clients share a process, and in virtual time.
   */
  public static final String SERVER_COLLECTORS = "serverCollectors";

  /** With a larger share, a report says that the warm-up was too short. */
  public static final double MOST_COMPILERS = 0.10;

  /** Linux reports times to programs in ticks of this length, whatever the kernel's own. */
  private static final long NANOS_PER_TICK = 10_000_000;

  /** The names of the threads of HotSpot's compilers begin so; Linux cuts them to 15 characters. */
  static final List<String> COMPILER_NAMES =
      List.of("C1 Compiler", "C2 Compiler", "JVMCI Compiler");

  /** The same of its collectors: ZGC, G1 and the parallel one, Shenandoah. */
  static final List<String> COLLECTOR_NAMES =
      List.of("ZWorker", "ZD", "ZStat", "ZUn", "GC Thread", "G1 ", "Shenandoah");

  /** The places of user and system time among the words behind a thread's name. */
  private static final List<Integer> TIMES = List.of(11, 12);

  private final Path root;
  private final List<Long> processes;
  private final List<String> names;

  ThreadMeter(Path root, List<Long> processes, List<String> names) {
    this.root = root;
    this.processes = processes;
    this.names = names;
  }

  /**
   * A meter of the compilers of this process and others.
   *
   * @param children the processes that count in addition to this one
   */
  public static ThreadMeter ofCompilers(List<ProcessHandle> children) {
    return new ThreadMeter(
        Path.of("/proc"),
        LongStream.concat(
                LongStream.of(ProcessHandle.current().pid()),
                children.stream().mapToLong(ProcessHandle::pid))
            .boxed()
            .toList(),
        COMPILER_NAMES);
  }

  /** A meter of the collectors of some processes. */
  public static ThreadMeter ofCollectors(List<ProcessHandle> processes) {
    return new ThreadMeter(
        Path.of("/proc"), processes.stream().map(ProcessHandle::pid).toList(), COLLECTOR_NAMES);
  }

  /**
   * The processor time of the threads since the starts of the processes, in nanoseconds, with the
   * resolution of a tick of 10 ms for each thread; empty on a system without such files, or if a
   * process has ended.
   */
  public OptionalLong sample() {
    long sum = 0;
    for (long process : processes) {
      Path threads = root.resolve(Long.toString(process)).resolve("task");
      try (DirectoryStream<Path> each = Files.newDirectoryStream(threads)) {
        for (Path thread : each) {
          sum += ticks(thread.resolve("stat"));
        }
      } catch (IOException | RuntimeException e) {
        return OptionalLong.empty();
      }
    }
    return OptionalLong.of(sum * NANOS_PER_TICK);
  }

  /** The time of a thread, in ticks; 0 unless it counts, and if it has ended. */
  private long ticks(Path stat) {
    String line;
    try {
      line = Files.readString(stat, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return 0;
    }
    // PID (NAME) STATE …: a name may contain spaces and brackets.
    String name = line.substring(line.indexOf('(') + 1, line.lastIndexOf(')'));
    if (names.stream().noneMatch(name::startsWith)) {
      return 0;
    }
    String[] words = line.substring(line.lastIndexOf(')') + 2).split(" ");
    return TIMES.stream().mapToLong(place -> Long.parseLong(words[place])).sum();
  }
}
