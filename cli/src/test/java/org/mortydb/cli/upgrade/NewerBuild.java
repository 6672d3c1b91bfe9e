package org.mortydb.cli.upgrade;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * A second build of this program, which stands for the next release: it speaks one version more,
 * and every message has a field more. Its classes are those of this build, but for a few that are
 * compiled from changed sources.
 */
final class NewerBuild {
  /** The field, which this build does not know. */
  private static final String NUMBER = "60";

  private NewerBuild() {}

  /** Compiles the changed classes into a folder; returns the class path of the build. */
  static String classPath(Path folder) throws IOException {
    Path sources = Files.createDirectories(folder.resolve("sources"));
    Path classes = Files.createDirectories(folder.resolve("classes"));
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("-d", classes.toString(), "-proc:none", "-nowarn"));
    arguments.addAll(List.of("-cp", System.getProperty("java.class.path")));
    arguments.add(
        changed(sources, "WireContract", "new VersionRange(3, 3)", "new VersionRange(3, 4)"));
    arguments.add(
        changed(
            sources,
            "MessageFormat",
            "PartEncoder.stampSize(message.txn()) + size",
            "CodedOutputStream.computeStringSize("
                + NUMBER
                + ", \"next\")"
                + " + PartEncoder.stampSize(message.txn()) + size",
            "writer.write(out, type.cast(message));",
            "writer.write(out, type.cast(message)); out.writeString(" + NUMBER + ", \"next\");"));
    arguments.add(
        changed(
            sources,
            "MessageFields",
            "if (!in.isTolerant()) {",
            "if (!in.isTolerant() && tag != (" + NUMBER + " << 3 | 2)) {"));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler.run(null, null, null, arguments.toArray(String[]::new)) != 0) {
      throw new AssertionError("the newer build does not compile");
    }
    return classes + File.pathSeparator + System.getProperty("java.class.path");
  }

  /** Copies a source of the module wire with changes; returns the copy's path. */
  private static String changed(Path to, String name, String... replacements) throws IOException {
    String text = Files.readString(source(name));
    for (int i = 0; i < replacements.length; i += 2) {
      if (!text.contains(replacements[i])) {
        throw new AssertionError(name + " has no '" + replacements[i] + "' any more");
      }
      text = text.replace(replacements[i], replacements[i + 1]);
    }
    return Files.writeString(to.resolve(name + ".java"), text).toString();
  }

  private static Path source(String name) throws IOException {
    String path = "wire/src/main/java/org/mortydb/wire/" + name + ".java";
    try (Stream<Path> places = Stream.of(Path.of(path), Path.of("..", path))) {
      return places
          .filter(Files::exists)
          .findFirst()
          .orElseThrow(() -> new IOException("there is no " + path));
    }
  }
}
