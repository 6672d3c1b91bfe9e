package org.mortydb.mutants;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.mortydb.mutants.Workbench.Result;
import org.mortydb.mutants.Workbench.Verdict;

/**
 * Plants mutants one at a time, and reports which lane catches each. Before that, each lane must
 * pass on the code as it is: a lane that always fails would catch everything.
 */
final class MutationRun {
  private final Workbench workbench;
  private final PrintStream progress;
  private final int threads;

  MutationRun(Workbench workbench, PrintStream progress, int threads) {
    this.workbench = workbench;
    this.progress = progress;
    this.threads = threads;
  }

  /** Returns one line for each mutant, in their order. */
  List<Fate> run(List<Mutant> mutants) throws InterruptedException {
    List<Fate> fates = inParallel(mutants, this::fateOf);
    List<Lane> catchers =
        fates.stream().flatMap(fate -> fate.caughtBy().stream()).distinct().toList();
    inParallel(catchers, this::mustPass);
    return fates;
  }

  private Result mustPass(Lane lane) throws IOException, InterruptedException {
    Result result = workbench.run(lane, "unchanged");
    if (result.verdict() != Verdict.PASSED) {
      throw new IllegalStateException(
          "lane '%s' does not pass on the code as it is: %s (%s)"
              .formatted(lane, result.trouble(), result.output()));
    }
    progress.printf("%6.1f s  passes on the code as it is: %s%n", result.seconds(), lane);
    return result;
  }

  private Fate fateOf(Mutant mutant) throws IOException, InterruptedException {
    Path classes = workbench.plant(mutant);
    double seconds = 0;
    List<Lane> caughtBy = new ArrayList<>();
    String trouble = "";
    for (Lane lane : mutant.lanes()) {
      Result result = workbench.run(lane, mutant, classes);
      seconds += result.seconds();
      if (result.verdict() == Verdict.BROKEN) {
        throw new IllegalStateException(
            "mutant %s: lane '%s' could not run (%s)"
                .formatted(mutant.name(), lane, result.output()));
      }
      if (result.verdict() == Verdict.CAUGHT) {
        caughtBy.add(lane);
        trouble = trouble.isEmpty() ? result.trouble() : trouble;
        if (!mutant.each()) {
          break;
        }
      }
    }
    Fate fate = new Fate(mutant, List.copyOf(caughtBy), seconds, trouble);
    progress.println(fate);
    return fate;
  }

  private <T, R> List<R> inParallel(List<T> all, Work<T, R> work) throws InterruptedException {
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      List<Future<R>> futures = new ArrayList<>();
      for (T one : all) {
        futures.add(pool.submit(() -> work.on(one)));
      }
      List<R> results = new ArrayList<>();
      for (Future<R> future : futures) {
        results.add(resultOf(future));
      }
      return results;
    }
  }

  private static <R> R resultOf(Future<R> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      switch (cause) {
        case RuntimeException failure -> throw failure;
        case IOException failure -> throw new UncheckedIOException(failure);
        case null, default -> throw new IllegalStateException(e);
      }
    }
  }

  private interface Work<T, R> {
    R on(T one) throws IOException, InterruptedException;
  }

  /**
   * What became of a mutant.
   *
   * @param caughtBy the lanes that caught it; no other lane runs after the first one, unless each
   *     must catch it
   * @param seconds the time of all lanes that ran with the mutant
   * @param trouble what the first of these lanes has found
   */
  record Fate(Mutant mutant, List<Lane> caughtBy, double seconds, String trouble) {
    boolean survived() {
      int needed = mutant.each() ? mutant.lanes().size() : 1;
      return !mutant.isEquivalent() && caughtBy.size() < needed;
    }

    /** The lanes that caught the mutant, in words. */
    String catchers() {
      return caughtBy.stream().map(Lane::toString).collect(Collectors.joining(", "));
    }

    @Override
    public String toString() {
      String what =
          mutant.isEquivalent()
              ? "equivalent: " + mutant.equivalent()
              : (survived() ? "SURVIVED, caught by " : "caught by ")
                  + (caughtBy.isEmpty() ? "nothing" : catchers() + ": " + trouble);
      return "%6.1f s  %-40s %s".formatted(seconds, mutant.name(), what);
    }
  }
}
