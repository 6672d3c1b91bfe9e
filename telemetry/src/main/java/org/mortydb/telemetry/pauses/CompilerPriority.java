package org.mortydb.telemetry.pauses;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Gives the threads of the JIT compiler a lower priority than all others, on Linux. A compilation
 * takes a processor for up to some hundred milliseconds. On a host with few processors, an event
 * loop would wait for it as for its equals; so it gives way to them.
 *
 * <p>The JVM's own option for this, {@code -XX:CompilerThreadPriority}, prints a warning for every
 * user but root, although nobody needs a right to lower a priority.
 */
public final class CompilerPriority {
  /**
   * The nice value of these threads, of 0 (as all others) to 19. With 10, a thread that competes
   * with one of the others has a tenth of a processor, so that code is compiled under any load.
   */
  public static final int NICE = 10;

  private static final Path THREADS = Path.of("/proc/self/task");

  /** The kernel keeps 15 bytes of a thread's name. */
  private static final List<String> NAMES = List.of("C1 CompilerThre", "C2 CompilerThre");

  /** Names a thread by its id, in {@code setpriority} and {@code getpriority}. */
  private static final int PRIO_PROCESS = 0;

  private CompilerPriority() {}

  /**
   * Lowers the priority of the compiler's threads. Those that the JVM starts later inherit it,
   * because a compiler thread starts them. Any thread may call this, at any time.
   *
   * @return the number of threads that have the low priority now; 0 where there are no such
   *     threads, where the system is not Linux, or where it refuses
   */
  public static int lower() {
    Optional<MemorySegment> function = Linker.nativeLinker().defaultLookup().find("setpriority");
    if (function.isEmpty() || !Files.isDirectory(THREADS)) {
      return 0;
    }
    MethodHandle setPriority =
        Linker.nativeLinker()
            .downcallHandle(
                function.get(),
                FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT));
    int lowered = 0;
    for (int thread : threads()) {
      if (call(setPriority, thread) == 0) {
        lowered++;
      }
    }
    return lowered;
  }

  /** The kernel's ids of the compiler's threads. */
  static List<Integer> threads() {
    List<Integer> threads = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(THREADS)) {
      for (Path thread : all) {
        if (NAMES.contains(name(thread))) {
          threads.add(Integer.parseInt(thread.getFileName().toString()));
        }
      }
    } catch (IOException e) {
      // A system without such a folder has no threads that could be found by name.
    }
    return threads;
  }

  private static String name(Path thread) {
    try {
      return Files.readString(thread.resolve("comm")).strip();
    } catch (IOException e) {
      return ""; // it has ended
    }
  }

  private static int call(MethodHandle setPriority, int thread) {
    try {
      return (int) setPriority.invokeExact(PRIO_PROCESS, thread, NICE);
    } catch (Throwable e) {
      throw new LinkageError("setpriority cannot be called", e);
    }
  }
}
