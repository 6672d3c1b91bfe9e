package org.mortydb.faults.durability;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.ProcessCluster;
import org.mortydb.faults.durability.DurabilityReport.CatchUp;
import org.mortydb.faults.durability.DurabilityReport.Restart;
import org.mortydb.workloads.load.LastingLoad;
import org.mortydb.workloads.load.Progress.Phase;
import org.mortydb.workloads.load.Rounded;

/** The parts {@code restart} and {@code catch-up}: a server comes back. */
final class ReturnParts {
  private static final long SERVE_SECONDS = 600;
  private static final long STOP_SECONDS = 60;
  private static final int LOAD_CLIENTS = 16;
  private static final double MEGA = 1e6;

  /** Clients read from another server. */
  private static final int SERVER = 2;

  /** Transactions that are older are soon below every watermark. */
  private static final long RETENTION_SECONDS = 5;

  private static final Map<String, String> SHORT_RETENTION =
      Map.of("server.replica.retention", RETENTION_SECONDS + "s");

  private final DurabilityOptions options;
  private final LabelledProgress progress;

  ReturnParts(DurabilityOptions options, LabelledProgress progress) {
    this.options = options;
    this.progress = progress;
  }

  /** Restarts after SIGKILL and SIGTERM in turn. */
  List<Restart> restarts() throws IOException, InterruptedException {
    progress.label("restart");
    ClusterSettings settings = options.cluster("sync", false, Map.of());
    List<Restart> restarts = new ArrayList<>();
    try (MeasuredCluster cluster =
            MeasuredCluster.filled(settings, options.keys(), options, progress);
        Phase phase = progress.begin("restart", "starts", 2L * options.restarts())) {
      ProcessCluster servers = cluster.servers();
      for (int i = 0; i < 2 * options.restarts(); i++) {
        boolean kill = i % 2 == 0;
        if (kill) {
          servers.kill(SERVER);
        } else {
          servers.stop(SERVER, STOP_SECONDS);
        }
        Map<String, Long> stored = servers.storedFiles(SERVER);
        long checkpoints =
            stored.entrySet().stream()
                .filter(file -> file.getKey().endsWith(".ckpt"))
                .mapToLong(Map.Entry::getValue)
                .sum();
        long all = stored.values().stream().mapToLong(Long::longValue).sum();
        servers.restart(SERVER);
        double seconds = servers.awaitServing(SERVER, SERVE_SECONDS) / 1e9;
        restarts.add(
            new Restart(
                kill ? "kill" : "stop",
                Rounded.to(3, seconds),
                megabytes(all - checkpoints),
                megabytes(checkpoints)));
        phase.update(i + 1, "serves after %.2f s".formatted(seconds));
      }
    }
    return restarts;
  }

  private static double megabytes(long bytes) {
    return Rounded.to(3, bytes / MEGA);
  }

  /** A server that lost its data, under load; then one that was down while keys were loaded. */
  List<CatchUp> catchUps() throws IOException, InterruptedException {
    progress.label("wiped");
    ClusterSettings settings = options.cluster("sync", false, Map.of());
    List<CatchUp> all = new ArrayList<>();
    try (MeasuredCluster cluster =
        MeasuredCluster.filled(settings, options.keys(), options, progress)) {
      all.add(wiped(cluster));
    }
    progress.label("missed");
    settings = options.cluster("sync", false, SHORT_RETENTION);
    try (MeasuredCluster cluster =
        MeasuredCluster.empty(settings, options.keys(), options, progress)) {
      all.add(missed(cluster));
    }
    return all;
  }

  private CatchUp wiped(MeasuredCluster cluster) throws IOException, InterruptedException {
    ProcessCluster servers = cluster.servers();
    LastingLoad.Group load = cluster.load(LOAD_CLIENTS);
    try {
      Thread.sleep(Math.round(options.warmupSeconds() * 1e3));
      var unusedWarmUp = load.takeTally();
      long before = System.nanoTime();
      Thread.sleep(Math.round(options.seconds() * 1e3));
      double usual = load.takeTally().committed() / secondsSince(before);
      servers.kill(SERVER);
      servers.wipe(SERVER);
      var unusedDown = load.takeTally();
      long start = System.nanoTime();
      servers.restart(SERVER);
      double serving = servers.awaitServing(SERVER, SERVE_SECONDS) / 1e9;
      double meanwhile = load.takeTally().committed() / secondsSince(start);
      // It serves once it has copied everything.
      return catchUp("wiped", servers, serving, serving, usual, meanwhile);
    } finally {
      load.drain();
    }
  }

  private CatchUp missed(MeasuredCluster cluster) throws IOException, InterruptedException {
    ProcessCluster servers = cluster.servers();
    servers.kill(SERVER);
    cluster.fill();
    Thread.sleep((RETENTION_SECONDS + 2) * 1_000);
    long start = System.nanoTime();
    servers.restart(SERVER);
    double serving = servers.awaitServing(SERVER, SERVE_SECONDS) / 1e9;
    try (KeySampler sampler =
        new KeySampler(servers.config(), SERVER, Math.toIntExact(cluster.workload().records()))) {
      sampler.awaitAll(SERVE_SECONDS);
    }
    return catchUp("missed", servers, serving, secondsSince(start), null, null);
  }

  private CatchUp catchUp(
      String of,
      ProcessCluster servers,
      double serving,
      double caughtUp,
      @Nullable Double usual,
      @Nullable Double meanwhile)
      throws IOException {
    double stored = servers.dataBytes(SERVER) / MEGA;
    return new CatchUp(
        of,
        Rounded.to(3, serving),
        Rounded.to(3, caughtUp),
        Rounded.to(0, options.keys() / caughtUp),
        Rounded.to(1, stored),
        Rounded.to(1, stored / caughtUp),
        usual == null ? null : (Double) Rounded.to(1, usual),
        meanwhile == null ? null : (Double) Rounded.to(1, meanwhile),
        usual == null || meanwhile == null ? null : (Double) Rounded.ratio(meanwhile, usual));
  }

  private static double secondsSince(long nanos) {
    return (System.nanoTime() - nanos) / 1e9;
  }
}
