package org.mortydb.workloads.load;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator.SplittableGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.ClientClosedException;
import org.mortydb.workloads.load.Workload.Source;

/**
 * Load without a fixed end, on clients that come and go. For one thread; the clients' threads do
 * the work.
 */
public final class LastingLoad {
  private static final long POLL_MILLIS = 20;

  /** Longer than a client takes to give a transaction up. */
  private static final long DRAIN_SECONDS = 30;

  private final Workload workload;
  private final SplittableGenerator random;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private int sessions;

  /**
   * @param seed the seed of all random choices
   */
  public LastingLoad(Workload workload, long seed) {
    this(workload, seed, 0);
  }

  /**
   * @param seed the seed of all random choices
   * @param firstSession the number of the first session: a history has each number once
   */
  public LastingLoad(Workload workload, long seed, int firstSession) {
    this.workload = workload;
    this.sessions = firstSession;
    this.random = RandomGeneratorFactory.<SplittableGenerator>of("L64X128MixRandom").create(seed);
  }

  /** The number of the next session. */
  public int nextSession() {
    return sessions;
  }

  /**
   * Fills the records.
   *
   * @throws LoadFailedException when a record cannot be filled
   */
  public void fill(Target target, int parts) throws InterruptedException {
    List<Source> sources = new ArrayList<>();
    for (int part = 0; part < parts; part++) {
      sources.add(workload.initialTransactions(random.split(), part, parts));
    }
    runAll(target, sources, workload.initialTransactionCount(), "fill the records");
  }

  /**
   * Runs all transactions of some sources, one of each source at a time.
   *
   * @param total the number of their transactions
   * @param purpose completes the sentence "transactions that ..."
   * @throws LoadFailedException when not all of them commit
   */
  public void runAll(Target target, List<Source> sources, long total, String purpose)
      throws InterruptedException {
    Group group = newGroup(target, sources);
    group.loop.start();
    while (group.loop.underWay() > 0) {
      Thread.sleep(POLL_MILLIS);
      check();
    }
    check();
    Meter.Interval done = new Meter.Interval();
    group.meter.takeInterval(done);
    if (done.committed != total) {
      throw new LoadFailedException(
          "only %d of the %d transactions that %s committed"
              .formatted(done.committed, total, purpose));
    }
  }

  /** Starts a closed loop of new sessions on a client. */
  public Group begin(Target target, int count) {
    List<Source> sources = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      sources.add(workload.source(sessions + i, random.split()));
    }
    Group group = newGroup(target, sources);
    group.loop.start();
    return group;
  }

  private Group newGroup(Target target, List<Source> sources) {
    Meter meter = new Meter(workload.types().size());
    List<LoadSession> made = new ArrayList<>();
    for (Source source : sources) {
      made.add(
          new LoadSession(
              sessions++, target.client(), source, meter, target.log(), LoadClock.WALL));
    }
    return new Group(made, meter);
  }

  /**
   * Checks that all sessions continue.
   *
   * @throws LoadFailedException when one of them could not
   */
  public void check() {
    Throwable cause = failure.get();
    if (cause != null) {
      throw new LoadFailedException("a transaction could not be run: " + cause.getMessage(), cause);
    }
  }

  /** The numbers of transactions and attempts since the last call. */
  public record Tally(long committed, long attempts) {
    /** The sum of both. */
    public Tally plus(Tally other) {
      return new Tally(committed + other.committed, attempts + other.attempts);
    }
  }

  /** The sessions of one client. */
  public final class Group {
    private final ClosedLoop loop;
    private final Meter meter;
    private volatile boolean stopped;

    private Group(List<LoadSession> sessions, Meter meter) {
      this.meter = meter;
      this.loop = new ClosedLoop(sessions, LoadClock.WALL, this::failed);
    }

    private void failed(Throwable cause) {
      // A client may be closed during its transactions only after the group was stopped.
      if (!(stopped && cause instanceof ClientClosedException)) {
        failure.compareAndSet(null, cause);
      }
    }

    /** Begins no more transactions. The client may be closed now. */
    public void stop() {
      stopped = true;
      loop.stop();
    }

    /**
     * Begins no more transactions, and waits until all have ended.
     *
     * @throws LoadFailedException when a session could not continue, or a transaction takes longer
     *     than a client's patience
     */
    public void drain() throws InterruptedException {
      stop();
      long giveUp = System.nanoTime() + DRAIN_SECONDS * 1_000_000_000L;
      while (loop.underWay() > 0) {
        check();
        if (System.nanoTime() - giveUp > 0) {
          throw new LoadFailedException(
              "%d transactions have not ended %d s after the last one began"
                  .formatted(loop.underWay(), DRAIN_SECONDS));
        }
        Thread.sleep(POLL_MILLIS);
      }
      check();
    }

    /** The numbers since the last call. */
    public Tally takeTally() {
      Meter.Interval interval = new Meter.Interval();
      meter.takeInterval(interval);
      return new Tally(interval.committed, interval.attempts);
    }
  }
}
