package org.mortydb.bench.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Java programs that this process runs as processes with its own class path. */
public final class ChildJvm {
  private static final int LAST_LINES = 10;

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

  /** The last lines of a log, each indented on a line of its own; empty if it cannot be read. */
  public static String lastLines(Path log) {
    try {
      List<String> lines = Files.readAllLines(log);
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
