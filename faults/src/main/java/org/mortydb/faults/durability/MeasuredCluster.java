package org.mortydb.faults.durability;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.CheckpointWatch;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.ProcessCluster;
import org.mortydb.bench.experiment.Patience;
import org.mortydb.bench.measure.CpuMeter;
import org.mortydb.bench.measure.CpuMeter.CpuTime;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.workloads.load.AbortCounter;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.LoadGenerator;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunObserver;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.RunResult;
import org.mortydb.workloads.load.Target;
import org.mortydb.workloads.retwis.Retwis;

/** A cluster of server processes with a client, kept from point to point. Used by one thread. */
final class MeasuredCluster implements AutoCloseable {
  static final String REGION = "region-1";

  private final ProcessCluster servers;
  private final MortyClient client;
  private final LoadGenerator generator;
  private final Target target;
  private final DurabilityOptions options;

  private MeasuredCluster(
      ClusterSettings settings, int keys, DurabilityOptions options, Progress progress)
      throws InterruptedException {
    this.options = options;
    servers = ProcessCluster.start(settings);
    MortyClient connected = null;
    try {
      AbortCounter aborts = new AbortCounter();
      connected =
          MortyClient.connect(
              servers.config(),
              ClientOptions.inRegion(REGION)
                  .withTransaction(Patience.of(settings))
                  .withListener(aborts));
      target = new Target(connected, aborts, null);
      Retwis workload = new Retwis(keys, 0);
      generator = new LoadGenerator(workload, List.of(target), progress, options.seed());
    } catch (RuntimeException e) {
      if (connected != null) {
        connected.close();
      }
      servers.close();
      throw e;
    }
    client = connected;
  }

  /** Starts a cluster without records. */
  static MeasuredCluster empty(
      ClusterSettings settings, int keys, DurabilityOptions options, Progress progress)
      throws InterruptedException {
    return new MeasuredCluster(settings, keys, options, progress);
  }

  /** Starts a cluster, and fills its records. */
  static MeasuredCluster filled(
      ClusterSettings settings, int keys, DurabilityOptions options, Progress progress)
      throws InterruptedException {
    MeasuredCluster rig = new MeasuredCluster(settings, keys, options, progress);
    boolean done = false;
    try {
      rig.fill();
      done = true;
      return rig;
    } finally {
      if (!done) {
        rig.close();
      }
    }
  }

  /** Settings of a cluster of three servers. */
  static ClusterSettings settings(
      DurabilityOptions options,
      String durability,
      boolean tls,
      String jvm,
      Map<String, String> others) {
    return new ClusterSettings(
        1,
        1,
        OptionalLong.empty(),
        tls,
        durability,
        durability.equals("memory") ? null : options.data(),
        true,
        0,
        List.of(jvm.strip().split("\\s+")),
        1,
        1,
        others);
  }

  /** What a record says of a cluster's settings. */
  static Map<String, String> described(ClusterSettings settings) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("server.durability", settings.durability());
    all.put("server.tls.enabled", Boolean.toString(settings.tls()));
    all.putAll(settings.others());
    all.put("jvm", String.join(" ", settings.serverJvmOptions()));
    return all;
  }

  void fill() throws InterruptedException {
    generator.fill();
  }

  ProcessCluster servers() {
    return servers;
  }

  Target target() {
    return target;
  }

  /** Runs a load that is not measured. */
  void warmUp(int clients, double seconds) throws InterruptedException {
    if (seconds > 0) {
      var unused =
          generator.run(run(clients, OptionalDouble.empty(), 0, seconds), RunObserver.NONE);
    }
  }

  /** Measures a point: a closed loop, or an open one if a rate is given. */
  void measure(int clients, OptionalDouble rate, Series into) throws InterruptedException {
    CpuMeter cpu = new CpuMeter(servers.processes());
    Window window = new Window(cpu);
    try (CheckpointWatch watch = CheckpointWatch.start(servers)) {
      RunResult result =
          generator.run(run(clients, rate, options.warmupSeconds(), options.seconds()), window);
      servers.check();
      into.add(result, window.used, watch.seen());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot see what is stored: " + e.getMessage(), e);
    }
  }

  private RunOptions run(int clients, OptionalDouble rate, double warmup, double seconds) {
    return new RunOptions(clients, rate, Arrivals.POISSON, warmup, seconds, options.seed());
  }

  /** Takes the processor time of a window. */
  private static final class Window implements RunObserver {
    private final CpuMeter cpu;
    private Optional<CpuTime> begin = Optional.empty();
    private Optional<CpuTime> used = Optional.empty();

    Window(CpuMeter cpu) {
      this.cpu = cpu;
    }

    @Override
    public void windowBegins() {
      begin = cpu.sample();
    }

    @Override
    public void windowEnds() {
      used = cpu.sample().flatMap(end -> begin.map(end::since));
    }
  }

  /** Closes what there is. */
  static void close(List<@Nullable MeasuredCluster> rigs) {
    for (MeasuredCluster rig : rigs) {
      if (rig != null) {
        rig.close();
      }
    }
  }

  @Override
  public void close() {
    client.close();
    servers.close();
  }
}
