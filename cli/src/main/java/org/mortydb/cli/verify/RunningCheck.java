package org.mortydb.cli.verify;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.Check;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.check.journal.HistoryLog;
import org.mortydb.client.Client;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;

/**
 * A short workload that can run beside others, and the check of its history. Its records are in a
 * key space of their own with a random name, and are deleted at the end. There are so few records
 * that transactions conflict all the time.
 */
public final class RunningCheck {
  private static final int RECORDS = 24;
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);
  private static final long DELETE_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long PROGRESS_MILLIS = 200;

  private final ClusterConfig config;
  private final String region;
  private final int clients;
  private final double seconds;
  private final SplittableRandom seeds = new SplittableRandom(new SecureRandom().nextLong());
  private final KeySpace<Long, Probe> keys =
      KeySpace.of("morty-verify-" + Long.toHexString(seeds.nextLong()), Codecs.INT64, Probe.CODEC);
  private final Tally tally = new Tally();
  private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

  /**
   * A check that has not run yet.
   *
   * @param region from where the records are deleted at the end
   * @param clients how many transactions run at a time, 1 or more
   * @param seconds how long the workload runs
   */
  public RunningCheck(ClusterConfig config, String region, int clients, double seconds) {
    this.config = config;
    this.region = region;
    this.clients = clients;
    this.seconds = seconds;
  }

  /**
   * Runs the workload with clients in all regions, deletes its records, and checks its history.
   *
   * @param progress gets the number of committed transactions a few times per second
   * @throws org.mortydb.client.ClusterUnreachableException when not enough servers can be reached
   * @throws RuntimeException when a transaction cannot be run at all
   */
  public RunningReport run(LongConsumer progress) throws InterruptedException {
    Map<String, MortyClient> connected = new LinkedHashMap<>();
    try (HistoryFolder history = new HistoryFolder()) {
      for (String one : config.regions()) {
        connected.put(
            one,
            MortyClient.connect(
                config, ClientOptions.inRegion(one).withConnectTimeout(CONNECT_TIMEOUT)));
      }
      HistoryLog log = history.newLog();
      load(List.copyOf(connected.values()), log, progress);
      boolean deleted = delete(Objects.requireNonNull(connected.get(region)), log);
      RuntimeException failed = failure.get();
      if (failed != null) {
        throw failed;
      }
      return RunningReport.of(
          config,
          keys.name(),
          clients,
          seconds,
          tally,
          deleted,
          Check.of(
              config.system().guarantee(),
              history.closeLogs(),
              RECORDS,
              record -> keys.name() + "/" + record));
    } catch (IOException e) {
      throw new UncheckedIOException("the history cannot be kept: " + e.getMessage(), e);
    } finally {
      connected.values().forEach(MortyClient::close);
    }
  }

  /** Runs all sessions, one thread each, until the time is over or one fails. */
  private void load(List<Client> inRegions, HistoryLog log, LongConsumer progress)
      throws InterruptedException {
    long endNanos = System.nanoTime() + (long) (seconds * 1e9);
    BooleanSupplier goesOn = () -> failure.get() == null && System.nanoTime() - endNanos < 0;
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      SplittableRandom random = seeds.split();
      ProbeSession session =
          new ProbeSession(i, inRegions.get(i % inRegions.size()), keys, log, tally, random);
      threads.add(
          Thread.ofVirtual()
              .start(
                  () ->
                      failing(
                          () -> {
                            while (goesOn.getAsBoolean()) {
                              session.run(Plan.draw(RECORDS, random), goesOn);
                            }
                            return true;
                          })));
    }
    while (goesOn.getAsBoolean()) {
      Thread.sleep(PROGRESS_MILLIS);
      progress.accept(tally.committed.sum());
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** Deletes all records; the transaction is part of the history, and not of the figures. */
  private boolean delete(Client client, HistoryLog log) {
    long endNanos = System.nanoTime() + DELETE_NANOS;
    BooleanSupplier goesOn = () -> System.nanoTime() - endNanos < 0;
    ProbeSession session = new ProbeSession(clients, client, keys, log, new Tally(), seeds.split());
    return failing(
        () -> {
          while (goesOn.getAsBoolean()) {
            if (session.run(Plan.deleteAll(RECORDS), goesOn)) {
              return true;
            }
          }
          return false;
        });
  }

  /** Work that runs transactions. */
  private interface Work {
    boolean run() throws InterruptedException;
  }

  /** Does some work, and keeps the first failure for {@link #run}. */
  private boolean failing(Work work) {
    try {
      return work.run();
    } catch (RuntimeException e) {
      failure.compareAndSet(null, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }
}
