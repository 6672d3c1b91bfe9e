package org.mortydb.bench.cluster;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Java programs that this process runs as processes with its own class path. */
public final class ChildJvm {
  private static final int LAST_LINES = 10;
  private static final int MOST_LAST_BYTES = 16 * 1024;

  private ChildJvm() {}

  /** The command line of a program. */
  public static List<String> command(
      List<String> jvmOptions, Class<?> program, String... arguments) {
    return command(System.getProperty("java.class.path"), jvmOptions, program, arguments);
  }

  /** The command line of a program of another build, such as an older release. */
  public static List<String> command(
      String classPath, List<String> jvmOptions, Class<?> program, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", classPath, program.getName()));
    command.addAll(List.of(arguments));
    return command;
  }

  /**
   * The last lines of a log, each indented on a line of its own; empty if it cannot be read. Only
   * the end of the log is read, because it may be larger than the heap. What is no UTF-8, such as
   * half a character, is replaced.
   */
  public static String lastLines(Path log) {
    try (SeekableByteChannel file = Files.newByteChannel(log)) {
      long start = Math.max(0, file.size() - MOST_LAST_BYTES);
      byte[] bytes = Channels.newInputStream(file.position(start)).readNBytes(MOST_LAST_BYTES);
      String text = new String(bytes, StandardCharsets.UTF_8).stripTrailing();
      // The first line has probably lost its beginning. If it is the only one, it is shown.
      int begin = start == 0 ? 0 : text.indexOf('\n') + 1;
      List<String> lines = text.substring(begin).lines().toList();
      return lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()).stream()
          .map("\n  "::concat)
          .collect(Collectors.joining());
    } catch (IOException e) {
      return "";
    }
  }

  /** In such a program: ends this process when its parent has ended, however that ends. */
  public static void endWithParent() {
    ProcessHandle.current()
        .parent()
        .ifPresent(
            parent -> {
              // Halt, because an orderly end serves no one without the parent.
              var _ = parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1));
            });
  }
}
