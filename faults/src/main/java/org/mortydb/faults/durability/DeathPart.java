package org.mortydb.faults.durability;

import io.netty.channel.EventLoopGroup;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.faults.durability.DurabilityReport.Deaths;
import org.mortydb.faults.durability.DyingClient.Decision;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.transport.EventLoops;
import org.mortydb.workloads.load.LastingLoad;
import org.mortydb.workloads.load.Percentiles;
import org.mortydb.workloads.load.Progress.Phase;

/** The part {@code death}: coordinators die during their commits, under load. */
final class DeathPart {
  private static final int AT_A_TIME = 10;
  private static final int LOAD_CLIENTS = 4;
  private static final long PATIENCE_SECONDS = 60;

  /** A server reports its recoveries every half second. */
  private static final long REPORT_MILLIS = 1_000;

  private final DurabilityOptions options;
  private final LabelledProgress progress;

  DeathPart(DurabilityOptions options, LabelledProgress progress) {
    this.options = options;
    this.progress = progress;
  }

  Deaths run() throws InterruptedException {
    progress.label("deaths of coordinators");
    var settings = options.cluster("sync", false, Map.of());
    EventLoopGroup loops = EventLoops.create(1, "morty-bench-dying");
    try (MeasuredCluster cluster =
        MeasuredCluster.filled(settings, options.loadKeys(), options, progress)) {
      LastingLoad.Group load = cluster.load(LOAD_CLIENTS);
      try {
        return die(cluster, loops);
      } finally {
        load.drain();
      }
    } finally {
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  private Deaths die(MeasuredCluster cluster, EventLoopGroup loops) throws InterruptedException {
    int replicas = 2 * cluster.servers().config().f() + 1;
    SecureRandom ids = new SecureRandom();
    Histogram all = Series.newHistogram();
    Histogram roundTrips = Series.newHistogram();
    Map<Integer, Histogram> byReach = new LinkedHashMap<>();
    List<Decision> decisions = new ArrayList<>();
    try (Phase phase = progress.begin("die", "deaths", options.deaths())) {
      while (decisions.size() < options.deaths()) {
        List<DyingClient> dying = new ArrayList<>();
        List<CompletableFuture<Decision>> batch = new ArrayList<>();
        int count = Math.min(AT_A_TIME, options.deaths() - decisions.size());
        for (int i = 0; i < count; i++) {
          int number = decisions.size() + i;
          DyingClient client =
              new DyingClient(
                  loops.next(),
                  cluster.servers().config(),
                  new ClientId(ids.nextLong()),
                  MeasuredCluster.REGION,
                  1 + number % replicas,
                  roundTrips);
          dying.add(client);
          batch.add(client.begin("number-" + number));
        }
        for (CompletableFuture<Decision> one : batch) {
          Decision decision = await(one);
          all.recordValue(decision.decidedMicros());
          byReach
              .computeIfAbsent(1 + decisions.size() % replicas, r -> Series.newHistogram())
              .recordValue(decision.decidedMicros());
          decisions.add(decision);
        }
        dying.forEach(DyingClient::close);
        phase.update(
            decisions.size(), "decided within %,d µs at most".formatted(all.getMaxValue()));
      }
    }
    Thread.sleep(REPORT_MILLIS);
    return deaths(cluster, decisions, all, roundTrips, byReach);
  }

  private static Decision await(CompletableFuture<Decision> decision) throws InterruptedException {
    try {
      return decision.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new ClusterFailedException(
          "a transaction of a dead coordinator is not decided everywhere after %d s"
              .formatted(PATIENCE_SECONDS),
          e);
    } catch (ExecutionException e) {
      throw new ClusterFailedException(
          "a client could not die during its commit: " + e.getMessage(), e);
    }
  }

  private static Deaths deaths(
      MeasuredCluster cluster,
      List<Decision> decisions,
      Histogram all,
      Histogram roundTrips,
      Map<Integer, Histogram> byReach) {
    ReplicaOptions replica = cluster.servers().config().replicaOptions();
    Percentiles trip = Percentiles.of(roundTrips);
    long bound = 2 * replica.inquireMicros() + 3 * trip.p99();
    long boundWithTicks = bound + 2 * replica.tickMicros();
    Map<String, Percentiles> reached = new LinkedHashMap<>();
    byReach.forEach((reach, times) -> reached.put(reach.toString(), Percentiles.of(times)));
    return new Deaths(
        decisions.size(),
        (int) decisions.stream().filter(Decision::committed).count(),
        Percentiles.of(all),
        trip,
        replica.inquireMicros(),
        replica.tickMicros(),
        bound,
        boundWithTicks,
        within(decisions, bound),
        within(decisions, boundWithTicks),
        reached,
        cluster.servers().recovered());
  }

  private static int within(List<Decision> decisions, long boundMicros) {
    return (int) decisions.stream().filter(one -> one.decidedMicros() <= boundMicros).count();
  }
}
