package org.mortydb.mutants;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.mortydb.mutants.Checkout.TestClass;
import org.mortydb.mutants.Lane.Sim;
import org.mortydb.mutants.Lane.Units;

/** Compiles mutants, and runs lanes with or without one. Threads may share it. */
final class Workbench {
  /** A lane that runs for longer has met a mutant that hangs. */
  private static final Duration LIMIT = Duration.ofMinutes(4);

  private static final int VIOLATION = 1;

  /** Options of a JVM that ends before an optimizing compiler has paid for itself. */
  private static final List<String> SHORT_LIVED =
      List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  /** Options with which the compiler finds every error and then stops, before it writes classes. */
  private static final List<String> NO_CLASSES =
      List.of("-XDcompilePolicy=simple", "-XDshould-stop.ifNoError=FLOW");

  private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

  private final Checkout checkout;
  private final Path folder;
  private final String classPath;

  /** One for all mutants, because it reads every library once. Guarded by this. */
  private final StandardJavaFileManager files;

  /**
   * @param folder where to write; must be empty
   */
  Workbench(Checkout checkout, Path folder) {
    this.checkout = checkout;
    this.folder = folder;
    classPath = checkout.classPath(System.getProperty("java.class.path"));
    files = COMPILER.getStandardFileManager(null, null, null);
  }

  /**
   * Compiles the mutant's file, and nothing else.
   *
   * @return the folder of its classes
   * @throws IllegalStateException if the mutant does not fit the code, or does not compile
   */
  synchronized Path plant(Mutant mutant) throws IOException {
    Path classes = Files.createDirectories(folder.resolve(mutant.name()).resolve("classes"));
    String messages = compile(List.of(changed(mutant)), classes, List.of());
    if (!messages.isEmpty()) {
      throw new IllegalStateException(
          "mutant " + mutant.name() + " does not compile:\n" + messages);
    }
    return classes;
  }

  /**
   * Compiles mutants of different files together, which takes much less time than one by one. If
   * that fails, it compiles each by itself, to name those that do not fit.
   *
   * @return what is wrong with mutants that do not fit the code, or do not compile; a line each
   */
  synchronized List<String> misfits(List<Mutant> mutants) throws IOException {
    List<String> misfits = new ArrayList<>();
    List<Path> sources = new ArrayList<>();
    for (Mutant mutant : mutants) {
      try {
        sources.add(changed(mutant));
      } catch (IllegalStateException e) {
        misfits.add(e.getMessage());
      }
    }
    Path classes = Files.createTempDirectory(folder, "together");
    if (misfits.isEmpty() && compile(sources, classes, NO_CLASSES).isEmpty()) {
      return misfits;
    }
    misfits.clear();
    for (Mutant mutant : mutants) {
      try {
        plant(mutant);
      } catch (IllegalStateException e) {
        misfits.add(e.getMessage());
      }
    }
    return misfits;
  }

  /** Writes the mutant's file. */
  private Path changed(Mutant mutant) throws IOException {
    Path original = checkout.file(mutant.file());
    Path changed =
        Files.createDirectories(folder.resolve(mutant.name())).resolve(original.getFileName());
    return Files.writeString(changed, mutant.applyTo(Files.readString(original)));
  }

  /** Returns the messages of the compiler; empty if it has compiled all. */
  private String compile(List<Path> sources, Path classes, List<String> more) {
    StringWriter messages = new StringWriter();
    List<String> options =
        new ArrayList<>(
            List.of(
                "-proc:none",
                "-nowarn",
                "-parameters",
                "-d",
                classes.toString(),
                "-cp",
                classPath));
    options.addAll(more);
    var files = this.files.getJavaFileObjectsFromPaths(sources);
    boolean compiled = COMPILER.getTask(messages, this.files, null, options, null, files).call();
    return compiled ? "" : "error: " + messages;
  }

  /** Runs a lane on the code as it is. */
  Result run(Lane lane, String label) throws IOException, InterruptedException {
    return run(lane, label, "");
  }

  /** Runs a lane with the classes of a mutant. */
  Result run(Lane lane, Mutant mutant, Path classes) throws IOException, InterruptedException {
    return run(lane, mutant.name(), classes + File.pathSeparator);
  }

  private Result run(Lane lane, String label, String first)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("-Xmx1g", "-XX:+UseCompactObjectHeaders", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(SHORT_LIVED);
    command.addAll(List.of("-cp", first + classPath));
    Path at = checkout.file("");
    switch (lane) {
      case Units units -> {
        List<TestClass> tests = units.classes().stream().map(checkout::test).toList();
        at = tests.getFirst().module();
        command.add(TestRun.class.getName());
        tests.forEach(test -> command.add(test.name()));
      }
      case Sim sim -> {
        command.addAll(List.of("org.mortydb.cli.Main", "sim"));
        command.addAll(sim.options());
      }
    }
    Path output = Files.createTempFile(folder, label + "-", ".log");
    long begun = System.nanoTime();
    Process process =
        new ProcessBuilder(command)
            .directory(at.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        return new Result(
            Verdict.CAUGHT, secondsSince(begun), "did not end within " + LIMIT, output);
      }
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    Verdict verdict =
        switch (process.exitValue()) {
          case 0 -> Verdict.PASSED;
          case VIOLATION -> Verdict.CAUGHT;
          default -> Verdict.BROKEN;
        };
    return new Result(verdict, secondsSince(begun), firstTrouble(output), output);
  }

  private static double secondsSince(long begun) {
    return (System.nanoTime() - begun) / 1e9;
  }

  private static String firstTrouble(Path output) throws IOException {
    return Files.readAllLines(output).stream()
        .filter(line -> line.startsWith("FAILED: ") || line.startsWith("SEED "))
        .findFirst()
        .map(line -> line.strip().replace("FAILED: ", ""))
        .orElse("");
  }

  /** What a lane says. */
  enum Verdict {
    /** Every test passed, no seed failed. */
    PASSED,
    /** A test or seed failed, or the lane did not end. */
    CAUGHT,
    /** The lane could not run at all. */
    BROKEN
  }

  /**
   * The end of one lane.
   *
   * @param trouble the first line that tells of a failure; may be empty
   * @param output everything that the lane printed
   */
  record Result(Verdict verdict, double seconds, String trouble, Path output) {}
}
