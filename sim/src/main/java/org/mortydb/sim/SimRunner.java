package org.mortydb.sim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.mortydb.sim.Violation.Rule;

/** Runs many seeds, several at a time, each on one thread. */
public final class SimRunner {

  /** Receives the progress of a campaign. */
  @FunctionalInterface
  public interface Progress {
    /** Seeds have ended. One thread calls this at a time. */
    void update(long done, long failures);

    /** A seed has failed. This comes before the update that counts it. */
    default void failed(SeedResult failure) {}
  }

  private final CampaignOptions options;
  private final Progress progress;
  private final AtomicLong next = new AtomicLong();
  private final Map<FaultMix, Tally> tallies = new EnumMap<>(FaultMix.class);
  private final List<SeedResult> failures = new ArrayList<>();
  private long done;
  private long events;
  private long virtualMicros;
  private long undecided;
  private long undecidedSeeds;

  private SimRunner(CampaignOptions options, Progress progress) {
    this.options = options;
    this.progress = progress;
    options.mixes().forEach(mix -> tallies.put(mix, new Tally()));
  }

  /** What the seeds of one mix have counted. */
  private static final class Tally {
    final Marks marks = new Marks();
    long seeds;
    long failed;
  }

  /**
   * Runs a campaign.
   *
   * @throws InterruptedException if the thread is interrupted before all seeds have ended
   */
  public static CampaignResult run(CampaignOptions options, Progress progress)
      throws InterruptedException {
    return new SimRunner(options, progress).run();
  }

  private CampaignResult run() throws InterruptedException {
    long start = System.nanoTime();
    ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    try {
      List<Callable<Void>> workers = new ArrayList<>();
      for (int i = 0; i < options.threads(); i++) {
        workers.add(this::work);
      }
      for (Future<Void> worker : executor.invokeAll(workers)) {
        Void _ = worker.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("the campaign failed", e.getCause());
    } finally {
      executor.shutdownNow();
    }
    return result(start);
  }

  private synchronized CampaignResult result(long startNanos) {
    failures.sort(Comparator.comparingLong(SeedResult::seed).thenComparing(SeedResult::mix));
    List<CampaignResult.OfMix> mixes = new ArrayList<>();
    Marks marks = new Marks();
    tallies.forEach(
        (mix, tally) -> {
          mixes.add(new CampaignResult.OfMix(mix, tally.seeds, tally.failed, tally.marks));
          marks.addAll(tally.marks);
        });
    return new CampaignResult(
        done,
        List.copyOf(mixes),
        List.copyOf(failures),
        failures.isEmpty() ? RequiredMarks.missing(options, mixes, marks) : List.of(),
        marks,
        events,
        virtualMicros,
        undecided,
        undecidedSeeds,
        (System.nanoTime() - startNanos) / 1_000);
  }

  private Void work() {
    while (!isEnough()) {
      // Each seed runs with all mixes before the next one, so that each mix fails early.
      int mixes = options.mixes().size();
      long number = next.getAndIncrement();
      if (number / mixes >= options.seeds()) {
        break;
      }
      long seed = options.firstSeed() + number / mixes;
      SeedOptions run = options.seed().withMix(options.mixes().get((int) (number % mixes)));
      SeedResult result = runOnce(seed, run);
      if (options.twice() && result.violations().isEmpty()) {
        result = compare(result, runOnce(seed, run));
      }
      add(result);
    }
    return null;
  }

  private static SeedResult runOnce(long seed, SeedOptions options) {
    try {
      return SeedRun.run(seed, options);
    } catch (ReplicaNotMadeException e) {
      Throwable cause = Objects.requireNonNull(e.getCause());
      return failed(seed, options, Rule.MACHINE, e.getMessage() + where(cause));
    } catch (RuntimeException | AssertionError | LinkageError | StackOverflowError e) {
      return failed(seed, options, Rule.SIMULATOR, e + where(e));
    }
  }

  private static String where(Throwable thrown) {
    StackTraceElement[] stack = thrown.getStackTrace();
    return stack.length == 0 ? "" : " at " + stack[0];
  }

  private static SeedResult failed(long seed, SeedOptions options, Rule rule, String what) {
    return new SeedResult(
        seed, options.mix(), "", 0, List.of(new Violation(rule, what)), new Marks(), 0, 0, 0);
  }

  private static SeedResult compare(SeedResult first, SeedResult second) {
    if (first.digest() == second.digest()) {
      return first;
    }
    String text =
        "two runs differ: their digests are %016x and %016x"
            .formatted(first.digest(), second.digest());
    return new SeedResult(
        first.seed(),
        first.mix(),
        first.plan(),
        first.digest(),
        List.of(new Violation(Rule.SAME_AGAIN, text)),
        first.marks(),
        first.events(),
        first.virtualMicros(),
        first.undecided());
  }

  private synchronized boolean isEnough() {
    return failures.size() >= options.maxFailures();
  }

  private synchronized void add(SeedResult result) {
    done++;
    Tally tally = Objects.requireNonNull(tallies.get(result.mix()));
    tally.seeds++;
    tally.marks.addAll(result.marks());
    events += result.events();
    virtualMicros += result.virtualMicros();
    undecided += result.undecided();
    undecidedSeeds += result.undecided() > 0 ? 1 : 0;
    if (!result.violations().isEmpty()) {
      tally.failed++;
      failures.add(result);
      progress.failed(result);
    }
    progress.update(done, failures.size());
  }
}
