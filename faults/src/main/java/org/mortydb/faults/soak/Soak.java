package org.mortydb.faults.soak;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.random.RandomGenerator.SplittableGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.ProcessCluster;
import org.mortydb.check.journal.Check;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.check.journal.HistoryLog;
import org.mortydb.check.journal.ReplayVerdict;
import org.mortydb.check.journal.SerialReplay;
import org.mortydb.client.net.MortyClient;
import org.mortydb.faults.kit.ServerFaults;
import org.mortydb.workloads.load.AbortCounter;
import org.mortydb.workloads.load.LastingLoad;
import org.mortydb.workloads.load.LastingLoad.Tally;
import org.mortydb.workloads.load.LoadFailedException;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.Target;
import org.mortydb.workloads.load.Workload.Source;
import org.mortydb.workloads.retwis.Retwis;

/**
 * Runs Retwis on server processes that are killed again and again, then reads all records, and
 * checks the whole history.
 *
 * @param workload the load
 * @param cluster the servers
 * @param options how long and how roughly
 * @param settings the options as the report lists them
 */
public record Soak(
    Retwis workload,
    ClusterSettings cluster,
    SoakOptions options,
    Map<String, @Nullable Object> settings) {
  private static final int PARTS = 16;
  private static final long STEP_MILLIS = 20;
  private static final long DISPLAY_NANOS = 1_000_000_000L;

  /** The run fails if nothing commits for so long although all servers serve. */
  private static final long STALL_NANOS = 60_000_000_000L;

  /**
   * Runs it.
   *
   * @throws ClusterFailedException when a server cannot be started, ends by itself, or does not
   *     serve in time
   * @throws LoadFailedException when a transaction cannot be run, or nothing commits any more
   */
  public SoakReport execute(Progress progress) throws InterruptedException {
    try (ProcessCluster servers = ProcessCluster.start(cluster)) {
      return ServerFaults.keepingEvidence(
          servers,
          () -> {
            try (HistoryFolder histories = new HistoryFolder();
                ResourceLog resources = new ResourceLog(servers, options.seconds())) {
              return new Run(servers, histories, resources, progress).execute();
            }
          });
    }
  }

  /** One run. */
  private final class Run {
    private final ProcessCluster servers;
    private final HistoryFolder histories;
    private final Progress progress;
    private final KillSchedule kills;
    private final SoakClients clients;
    private final LastingLoad load;
    private final HistoryLog ownLog;
    private Tally total = new Tally(0, 0);
    private long lastCommitNanos;
    private final ResourceLog resources;

    Run(ProcessCluster servers, HistoryFolder histories, ResourceLog resources, Progress progress)
        throws IOException {
      this.servers = servers;
      this.histories = histories;
      this.progress = progress;
      SplittableGenerator random =
          RandomGeneratorFactory.<SplittableGenerator>of("L64X128MixRandom").create(options.seed());
      this.resources = resources;
      kills = new KillSchedule(servers, cluster, options, random.split());
      load = new LastingLoad(workload, random.nextLong());
      ownLog = histories.newLog();
      clients =
          new SoakClients(servers.config(), cluster, load, options, histories, random.split());
    }

    SoakReport execute() throws IOException, InterruptedException {
      kills.awaitAllServing();
      withOwnClient(target -> load.fill(target, PARTS));
      double seconds;
      try (clients) {
        seconds = soak();
        kills.awaitAllServing();
        clients.drain();
        total = total.plus(clients.takeTally());
      }
      int firstAtEnd = load.nextSession();
      withOwnClient(this::readAllBack);
      List<HistoryLog> logs = histories.closeLogs();
      ReplayVerdict verdict =
          SerialReplay.check(logs, workload.records(), workload::recordName, firstAtEnd);
      return report(seconds, verdict);
    }

    private double soak() throws IOException, InterruptedException {
      clients.begin();
      kills.begin();
      long start = System.nanoTime();
      long end = start + (long) (options.seconds() * 1e9);
      long shown = start;
      lastCommitNanos = start;
      try (Progress.Phase phase = progress.begin("soak", "s", Math.round(options.seconds()))) {
        while (System.nanoTime() - end < 0) {
          Thread.sleep(STEP_MILLIS);
          kills.step();
          clients.step(kills.notServing() <= cluster.f());
          load.check();
          long now = System.nanoTime();
          if (now - shown >= DISPLAY_NANOS) {
            show(phase, start, now, (now - shown) / 1e9);
            shown = now;
            resources.look((now - start) / 1e9, servers::isServing);
          }
        }
      }
      return (System.nanoTime() - start) / 1e9;
    }

    private void show(Progress.Phase phase, long start, long now, double seconds) {
      Tally latest = clients.takeTally();
      total = total.plus(latest);
      if (latest.committed() > 0 || kills.notServing() > 0) {
        lastCommitNanos = now;
      } else if (now - lastCommitNanos > STALL_NANOS) {
        throw new LoadFailedException(
            "nothing has committed for %d s although all servers serve"
                .formatted(STALL_NANOS / 1_000_000_000L));
      }
      phase.update(
          Math.round((now - start) / 1e9),
          String.format(
              Locale.ROOT,
              "%,d txn, %,.0f/s, commit rate %.3f, %d kills, %d wiped, %d down, %d clients lost",
              total.committed(),
              latest.committed() / seconds,
              rate(latest),
              kills.faults().kills(),
              kills.faults().wipes(),
              kills.notServing(),
              clients.deaths()));
    }

    private static double rate(Tally tally) {
      return tally.attempts() == 0 ? 0 : (double) tally.committed() / tally.attempts();
    }

    private void readAllBack(Target target) throws InterruptedException {
      List<Source> sources = new ArrayList<>();
      for (int part = 0; part < PARTS; part++) {
        sources.add(workload.readingBack(part, PARTS));
      }
      load.runAll(target, sources, workload.readingsBack(), "read all records at the end");
    }

    private void withOwnClient(Use use) throws InterruptedException {
      AbortCounter aborts = new AbortCounter();
      String region = cluster.regions().getFirst();
      try (MortyClient client = SoakClients.connect(servers.config(), region, aborts)) {
        use.with(new Target(client, aborts, ownLog));
      }
    }

    private SoakReport report(double seconds, ReplayVerdict verdict) {
      return new SoakReport(
          verdict.serializable(),
          verdict.lost(),
          Math.round(seconds * 10) / 10.0,
          total.committed(),
          Math.round(rate(total) * 1e4) / 1e4,
          verdict.unknown(),
          kills.faults().kills(),
          kills.totalFailures(),
          kills.faults().wipes(),
          kills.faults().rejoins(),
          servers.recovered(),
          clients.deaths(),
          resources.resources(),
          Check.of(verdict),
          settings);
    }
  }

  private interface Use {
    void with(Target target) throws InterruptedException;
  }
}
