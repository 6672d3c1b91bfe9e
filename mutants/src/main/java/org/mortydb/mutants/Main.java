package org.mortydb.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * {@code support/mutants [--report FILE] [NAME...]} plants all mutants, or those named. {@code
 * support/mutants --table} prints the table of mutants/README.md. Exit code 1: one survived; 2:
 * wrong arguments.
 */
public final class Main {
  private static final int SURVIVED = 1;
  private static final int USAGE = 2;

  private Main() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Checkout checkout = new Checkout(Path.of(""));
    List<Mutant> all = Mutants.all();
    Deque<String> names = new ArrayDeque<>(Arrays.asList(arguments));
    if ("--table".equals(names.peek())) {
      RuleTable.lines(checkout.rules(), all).forEach(System.out::println);
      return;
    }
    Path file = null;
    if ("--report".equals(names.peek()) && names.size() > 1) {
      names.remove();
      file = checkout.file(names.remove());
    }
    Set<String> asked = Set.copyOf(names);
    Set<String> unknown = new TreeSet<>(asked);
    all.forEach(mutant -> unknown.remove(mutant.name()));
    if (!unknown.isEmpty()) {
      System.err.println("no mutant is named " + unknown + ": see mutants/README.md for the names");
      System.exit(USAGE);
    }
    List<Mutant> chosen =
        all.stream().filter(one -> asked.isEmpty() || asked.contains(one.name())).toList();
    Workbench workbench = new Workbench(checkout, Files.createTempDirectory("mutants"));
    int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    long begun = System.nanoTime();
    Report report =
        new Report(
            new MutationRun(workbench, System.out, threads).run(chosen),
            (System.nanoTime() - begun) / 1e9);
    report.print(System.out);
    if (file != null) {
      Files.writeString(file, report.json());
    }
    System.exit(report.survivors().isEmpty() ? 0 : SURVIVED);
  }
}
