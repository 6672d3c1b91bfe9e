package org.mortydb.workloads.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator.SplittableGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
import org.mortydb.workloads.load.Progress.Phase;
import org.mortydb.workloads.load.Workload.Source;

/**
 * Runs a workload: fills the records, then keeps sessions busy for a warm-up and a measured window.
 * Sessions are distributed over the targets in turn. For one thread.
 */
public final class LoadGenerator implements LoadRunner {
  /** The number of concurrent transactions that fill the records. */
  private static final int FILLING_SESSIONS = 16;

  /** Longer than the time after which a client gives up a transaction. */
  private static final long DRAIN_NANOS = 20_000_000_000L;

  /** The window is announced at least this long before it begins. */
  private static final long WINDOW_LEAD_NANOS = 10_000_000L;

  private static final long POLL_NANOS = 20_000_000L;
  private static final long DRAIN_POLL_NANOS = 5_000_000L;

  private final Workload workload;
  private final List<Target> targets;
  private final Progress progress;
  private final LoadClock clock;
  private final SplittableGenerator random;
  private final Share share;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private List<Meter> meters = List.of();
  private int nextSession;

  /**
   * @param targets at least one
   * @param seed the seed of all random choices
   */
  public LoadGenerator(Workload workload, List<Target> targets, Progress progress, long seed) {
    this(workload, targets, progress, seed, LoadClock.WALL);
  }

  /**
   * @param targets at least one
   * @param seed the seed of all random choices
   * @param clock the load's clock
   */
  public LoadGenerator(
      Workload workload, List<Target> targets, Progress progress, long seed, LoadClock clock) {
    this(workload, targets, progress, seed, clock, Share.ALL);
  }

  /**
   * A generator that runs its share of each load.
   *
   * @param targets at least one
   * @param seed the seed of all random choices, the same in all shares
   * @param clock the load's clock
   */
  public LoadGenerator(
      Workload workload,
      List<Target> targets,
      Progress progress,
      long seed,
      LoadClock clock,
      Share share) {
    this.clock = clock;
    this.workload = workload;
    this.targets = List.copyOf(targets);
    this.progress = progress;
    this.share = share;
    this.nextSession = share.firstSession();
    this.random = randomOf(share, seed);
  }

  /** See {@link #drawing}. */
  private LoadGenerator(LoadGenerator before, Workload workload) {
    this.clock = before.clock;
    this.workload = workload;
    this.targets = before.targets;
    this.progress = before.progress;
    this.share = before.share;
    this.nextSession = before.nextSession;
    this.random = before.random;
  }

  /**
   * Returns a generator that goes on with the transactions of another workload, on the records that
   * this one has filled. This one must not be used any more.
   *
   * @param other has the same records, such as the same workload with another popularity
   */
  public LoadGenerator drawing(Workload other) {
    return new LoadGenerator(this, other);
  }

  /** Each share has random choices of its own. */
  private static SplittableGenerator randomOf(Share share, long seed) {
    SplittableGenerator random =
        RandomGeneratorFactory.<SplittableGenerator>of("L64X128MixRandom").create(seed);
    if (share.count() == 1) {
      return random;
    }
    for (int i = 0; i < share.index(); i++) {
      var unused = random.split();
    }
    return random.split();
  }

  /**
   * Fills the records, or this share of them.
   *
   * @return the number of transactions that filled them; all shares together must have {@link
   *     Workload#initialTransactionCount}
   * @throws LoadFailedException when a record cannot be filled
   */
  public long fill() throws InterruptedException {
    meters = newMeters();
    int parts = FILLING_SESSIONS * share.count();
    int first = FILLING_SESSIONS * share.index();
    long total = Math.ceilDiv(workload.initialTransactionCount(), share.count()); // about
    List<LoadSession> fillers =
        newSessions(
            FILLING_SESSIONS, i -> workload.initialTransactions(random.split(), first + i, parts));
    Load load = new ClosedLoop(fillers, clock, this::failed);
    Meter.Interval done = new Meter.Interval();
    String message = "%,d records".formatted(workload.records());
    try (Phase phase = progress.begin("load", "txn", total)) {
      load.start();
      while (load.underWay() > 0 && failure.get() == null) {
        clock.sleep(POLL_NANOS);
        takeInterval(done);
        phase.update(done.committed, message);
      }
      takeInterval(done);
      phase.update(done.committed, message);
    }
    checkFailure();
    if (share.count() == 1 && done.committed != total) {
      throw new LoadFailedException(
          "only %d of the %d transactions that fill the records committed"
              .formatted(done.committed, total));
    }
    return done.committed;
  }

  @Override
  public RunResult run(RunOptions options, RunObserver observer) throws InterruptedException {
    return run(options, observer, OptionalLong.empty());
  }

  /**
   * Runs the mix of transactions from a given moment on, as {@link #run(RunOptions, RunObserver)}.
   *
   * @param beginNanos when the load begins, on the load's clock
   * @throws LoadFailedException also if the moment has passed
   */
  public RunResult runAt(long beginNanos, RunOptions options, RunObserver observer)
      throws InterruptedException {
    return run(options, observer, OptionalLong.of(beginNanos));
  }

  private RunResult run(RunOptions options, RunObserver observer, OptionalLong beginNanos)
      throws InterruptedException {
    meters = newMeters();
    int before = share.sessionsBefore(options.sessions());
    List<LoadSession> loaded =
        newSessions(
            share.sessionsOf(options.sessions()),
            session -> workload.source(before + session, random.split()));
    OptionalDouble rate = share.rateOf(options.ratePerSecond(), options.sessions());
    @Nullable OpenLoop open =
        rate.isPresent() && !loaded.isEmpty()
            ? new OpenLoop(
                loaded, rate.getAsDouble(), options.arrivals(), random.split(), clock, this::failed)
            : null;
    Load load = open != null ? open : new ClosedLoop(loaded, clock, this::failed);
    Window window;
    if (open != null) {
      observer.warmingUp(); // under load, a disturbance would leave a queue for the window
    }
    if (beginNanos.isPresent()) {
      awaitBegin(beginNanos.getAsLong());
    }
    load.start();
    try {
      window =
          warmUp(
              beginNanos.orElseGet(clock::nanos),
              options,
              open != null ? RunObserver.NONE : observer);
      observer.windowBegins();
      try (Phase phase =
          progress.begin("measure", "s", seconds(window.startNanos(), window.endNanos()))) {
        show(phase, window.startNanos(), window.endNanos());
      }
      observer.windowEnds();
    } finally {
      load.stop();
    }
    long giveUp = clock.nanos() + DRAIN_NANOS;
    while (load.underWay() > 0 && clock.nanos() - giveUp < 0) {
      clock.sleep(DRAIN_POLL_NANOS);
      checkFailure();
    }
    checkFailure();
    Measurement measurement =
        new Measurement(
            workload.types().size(), window, meters, targets.stream().map(Target::aborts).toList());
    return new RunResult(
        measurement,
        window,
        open == null ? Optional.empty() : Optional.of(open.offered()),
        load.underWay());
  }

  private void awaitBegin(long beginNanos) throws InterruptedException {
    long rest = beginNanos - clock.nanos();
    if (rest < 0) {
      throw new LoadFailedException(
          "the moment to begin passed %,d ms before this process was ready"
              .formatted(-rest / 1_000_000));
    }
    clock.sleep(rest);
  }

  /** Returns when the window begins. */
  private Window warmUp(long start, RunOptions options, RunObserver observer)
      throws InterruptedException {
    long planned = start + (long) (options.warmupSeconds() * 1e9);
    try (Phase phase = progress.begin("warm-up", "s", seconds(start, planned))) {
      // The other half of the warm-up absorbs the effects of the observer's actions.
      show(phase, start, start + (planned - start) / 2);
      observer.warmingUp();
      long begin = Math.max(planned, clock.nanos() + WINDOW_LEAD_NANOS);
      Window window = new Window(begin, begin + (long) (options.seconds() * 1e9));
      meters.forEach(meter -> meter.measure(window));
      targets.forEach(target -> target.aborts().count(window));
      show(phase, start, begin);
      return window;
    }
  }

  /** Shows the live figures of a phase until a given time. */
  private void show(Phase phase, long phaseStart, long until) throws InterruptedException {
    long shown = clock.nanos();
    takeInterval(new Meter.Interval());
    while (clock.nanos() - until < 0) {
      long rest = Math.min(shown + clock.displayNanos(), until) - clock.nanos();
      if (rest > 0) {
        clock.sleep(rest);
      }
      checkFailure();
      long now = clock.nanos();
      Meter.Interval latest = new Meter.Interval();
      takeInterval(latest);
      phase.update(seconds(phaseStart, now), describe(latest, (now - shown) / 1e9));
      shown = now;
    }
  }

  private static long seconds(long fromNanos, long toNanos) {
    return Math.round((toNanos - fromNanos) / 1e9);
  }

  private static String describe(Meter.Interval interval, double seconds) {
    return String.format(
        Locale.ROOT,
        "%,.0f txn/s, commit rate %.3f, p50 %.1f ms, p99 %.1f ms",
        interval.committed / seconds,
        interval.attempts == 0 ? 0.0 : (double) interval.committed / interval.attempts,
        interval.latency.getValueAtPercentile(50) / 1e3,
        interval.latency.getValueAtPercentile(99) / 1e3);
  }

  private void takeInterval(Meter.Interval into) {
    for (Meter meter : meters) {
      meter.takeInterval(into);
    }
  }

  /** The number of the next session; those of a whole load are numbered from 0. */
  public int nextSession() {
    return nextSession;
  }

  private List<Meter> newMeters() {
    List<Meter> made = new ArrayList<>();
    for (int i = 0; i < targets.size(); i++) {
      made.add(new Meter(workload.types().size()));
    }
    return List.copyOf(made);
  }

  private List<LoadSession> newSessions(int count, IntFunction<Source> sources) {
    if (count > share.endOfSessions() - nextSession - 1) { // one remains for an audit
      throw new LoadFailedException(
          "a history has at most %,d sessions in each of %d processes: run fewer loads or clients"
              .formatted(share.endOfSessions() - share.firstSession(), share.count()));
    }
    List<LoadSession> made = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int place = i % targets.size();
      Target target = targets.get(place);
      made.add(
          new LoadSession(
              nextSession++,
              target.client(),
              sources.apply(i),
              meters.get(place),
              target.log(),
              clock));
    }
    return made;
  }

  private void failed(Throwable cause) {
    failure.compareAndSet(null, cause);
  }

  private void checkFailure() {
    Throwable cause = failure.get();
    if (cause != null) {
      throw new LoadFailedException("a transaction could not be run: " + cause.getMessage(), cause);
    }
  }
}
