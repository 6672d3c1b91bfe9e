package org.mortydb.spec;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Runs the model checker TLC in a process of its own: it keeps its state in statics and ends with
 * {@link System#exit}. Its whole output stays in {@code target/tlc}.
 *
 * @param workers threads; with 1 the search is breadth first to the letter, and the same each time
 * @param heap the process's heap, as for {@code -Xmx}
 * @param jvm further arguments of its JVM
 * @param progress is told each line on the progress of the search, about one a minute
 */
record Tlc(int workers, String heap, List<String> jvm, Consumer<String> progress) {
  private static final Path TARGET = Path.of("target", "tlc").toAbsolutePath();
  private static final Path SPECIFICATION = Path.of("").toAbsolutePath();

  private static final AtomicInteger RUNS = new AtomicInteger();

  /** For models that take seconds. */
  static Tlc small() {
    List<String> startsFast = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    return new Tlc(1, "512m", startsFast, line -> {});
  }

  /** Searches all that the model can do, or until an invariant is violated. */
  TlcReport check(Model model) throws IOException, InterruptedException {
    ArrayList<String> options = new ArrayList<>(List.of("-deadlock"));
    if (model.rulesOff().isEmpty()) {
      // Which actions were taken, once, at the end: the period is in minutes.
      options.addAll(List.of("-coverage", "30000"));
    }
    return run(model, List.of(), options);
  }

  /** Follows random behaviours of the model, or until an invariant is violated. */
  TlcReport simulate(Model model, Model.Simulation simulation)
      throws IOException, InterruptedException {
    return run(
        model,
        List.of(),
        List.of(
            "-deadlock",
            "-simulate",
            "num=" + simulation.behaviours(),
            "-depth",
            String.valueOf(simulation.depth()),
            "-seed",
            "1"));
  }

  /**
   * Follows traces to their ends, or until a step is none that the model can take.
   *
   * @param library the folder of the module with the traces
   */
  TlcReport replay(Model model, Path library) throws IOException, InterruptedException {
    return run(model, List.of("-DTLA-Library=" + library.toAbsolutePath()), List.of());
  }

  private TlcReport run(Model model, List<String> properties, List<String> options)
      throws IOException, InterruptedException {
    // Tests run side by side, and two of them may search the same model.
    String name = model.configuration().isAbsolute() ? model.module() : model.name();
    Path home = TARGET.resolve(name + "-" + RUNS.incrementAndGet());
    Path temporary = Files.createDirectories(home.resolve("tmp"));
    Path output = home.resolve("output.txt");
    ArrayList<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx" + heap);
    command.addAll(jvm);
    command.addAll(properties);
    command.add("-Djava.io.tmpdir=" + temporary);
    command.add("-cp");
    command.add(jar().toString());
    command.add("tlc2.TLC");
    command.add("-tool");
    command.addAll(options);
    command.addAll(List.of("-workers", String.valueOf(workers)));
    command.addAll(List.of("-metadir", home.resolve("states").toString()));
    command.addAll(List.of("-fp", "0"));
    command.addAll(List.of("-config", SPECIFICATION.resolve(model.configuration()).toString()));
    command.add(model.module());

    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(command)
            .directory(SPECIFICATION.toFile())
            .redirectErrorStream(true)
            .start();
    TlcReport.Parser parser = new TlcReport.Parser(progress);
    try (BufferedReader lines = process.inputReader();
        BufferedWriter copy = Files.newBufferedWriter(output)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        copy.write(line);
        copy.newLine();
        parser.line(line);
      }
    } finally {
      process.destroy();
    }
    int exit = process.waitFor();
    return parser.report(model, exit, (System.nanoTime() - start) / 1_000_000, output);
  }

  private static Path jar() {
    try {
      return Path.of(
          Class.forName("tlc2.TLC", false, Tlc.class.getClassLoader())
              .getProtectionDomain()
              .getCodeSource()
              .getLocation()
              .toURI());
    } catch (ClassNotFoundException | URISyntaxException e) {
      throw new IllegalStateException("TLC is not on the class path", e);
    }
  }
}
