package org.mortydb.faults.durability;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.OptionalDouble;
import org.mortydb.bench.cluster.CheckpointWatch;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.ProcessCluster;
import org.mortydb.bench.experiment.ResourceProbe;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.workloads.load.AbortCounter;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.LastingLoad;
import org.mortydb.workloads.load.LoadGenerator;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunObserver;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.RunResult;
import org.mortydb.workloads.load.Target;
import org.mortydb.workloads.retwis.Retwis;

/** A cluster of server processes with a client under load. Used by one thread. */
final class MeasuredCluster implements AutoCloseable {
  static final String REGION = "region-1";

  private static final int WARM_UP_CLIENTS = 64;

  /** The first warm-up is so many times as long, so that the servers' code is compiled. */
  private static final int FIRST_WARM_UP = 5;

  private final ProcessCluster servers;
  private final MortyClient client;
  private final LoadGenerator generator;
  private final Target target;
  private final Retwis workload;
  private final DurabilityOptions options;

  private MeasuredCluster(
      ProcessCluster servers,
      ClusterSettings settings,
      int keys,
      DurabilityOptions options,
      Progress progress) {
    AbortCounter aborts = new AbortCounter();
    this.options = options;
    this.servers = servers;
    this.client =
        MortyClient.connect(
            servers.config(),
            ClientOptions.inRegion(REGION)
                .withTransaction(RetryDefaults.of(settings))
                .withListener(aborts));
    this.target = new Target(client, aborts, null);
    this.workload = new Retwis(keys, 0);
    this.generator = new LoadGenerator(workload, List.of(target), progress, options.seed());
  }

  /** Starts a cluster without records. */
  static MeasuredCluster empty(
      ClusterSettings settings, int keys, DurabilityOptions options, Progress progress)
      throws InterruptedException {
    ProcessCluster servers = ProcessCluster.start(settings);
    try {
      return new MeasuredCluster(servers, settings, keys, options, progress);
    } catch (RuntimeException e) {
      servers.close();
      throw e;
    }
  }

  /** Starts a cluster, and fills its records. */
  static MeasuredCluster filled(
      ClusterSettings settings, int keys, DurabilityOptions options, Progress progress)
      throws InterruptedException {
    MeasuredCluster cluster = empty(settings, keys, options, progress);
    try {
      cluster.fill();
      return cluster;
    } catch (RuntimeException | InterruptedException e) {
      cluster.close();
      throw e;
    }
  }

  void fill() throws InterruptedException {
    generator.fill();
  }

  ProcessCluster servers() {
    return servers;
  }

  Retwis workload() {
    return workload;
  }

  /** Starts a load until it is drained. */
  LastingLoad.Group load(int clients) {
    return new LastingLoad(workload, options.seed()).begin(target, clients);
  }

  /** Runs the load of a new cluster that is not measured. */
  void warmUp() throws InterruptedException {
    double seconds = FIRST_WARM_UP * options.warmupSeconds();
    if (seconds > 0) {
      var unused =
          generator.run(run(WARM_UP_CLIENTS, OptionalDouble.empty(), 0, seconds), RunObserver.NONE);
    }
  }

  /** Measures a point: a closed loop, or an open one if a rate is given. */
  void measure(int clients, OptionalDouble rate, Series into) throws InterruptedException {
    try (ResourceProbe probe = new ResourceProbe(servers.processes(), List.of());
        CheckpointWatch watch = CheckpointWatch.start(servers)) {
      RunResult result =
          generator.run(run(clients, rate, options.warmupSeconds(), options.seconds()), probe);
      servers.check();
      into.add(result, probe.cpuOfWindow(), watch.seen());
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot read the data directories of the servers: " + e.getMessage(), e);
    }
  }

  private RunOptions run(int clients, OptionalDouble rate, double warmup, double seconds) {
    return new RunOptions(clients, rate, Arrivals.POISSON, warmup, seconds, options.seed());
  }

  @Override
  public void close() {
    client.close();
    servers.close();
  }
}
