package org.mortydb.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.mortydb.mutants.MutationRun.Fate;

/**
 * {@code support/mutants [NAME...]}: plants all mutants, or those named. Exit code 1: one survived.
 */
public final class Main {
  private Main() {}

  public static void main(String[] names) throws IOException, InterruptedException {
    List<Mutant> all = Mutants.all();
    Set<String> unknown = new TreeSet<>(Arrays.asList(names));
    all.forEach(mutant -> unknown.remove(mutant.name()));
    if (!unknown.isEmpty()) {
      System.err.println("no mutant is named " + unknown + "; known are:");
      all.forEach(mutant -> System.err.println("  " + mutant.name()));
      System.exit(2);
    }
    Set<String> asked = Set.of(names);
    List<Mutant> chosen =
        all.stream().filter(one -> asked.isEmpty() || asked.contains(one.name())).toList();
    var workbench = new Workbench(new Checkout(Path.of("")), Files.createTempDirectory("mutants"));
    int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    List<Fate> fates = new MutationRun(workbench, System.out, threads).run(chosen);
    List<Fate> survivors = fates.stream().filter(Fate::survived).toList();
    System.out.printf(
        "%d mutants: %d caught, %d equivalent, %d survived%s%n",
        fates.size(),
        fates.stream().filter(fate -> fate.caughtBy().isPresent()).count(),
        fates.stream().filter(fate -> fate.mutant().isEquivalent()).count(),
        survivors.size(),
        survivors.stream()
            .map(fate -> "\n  " + fate.mutant().name() + ": " + fate.mutant().breaks())
            .collect(Collectors.joining()));
    System.exit(survivors.isEmpty() ? 0 : 1);
  }
}
