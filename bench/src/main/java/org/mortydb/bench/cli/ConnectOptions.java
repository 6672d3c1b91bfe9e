package org.mortydb.bench.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.experiment.DeployedExperiment;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.cli.Requirement;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.RetryPolicy;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.InvalidConfigException;
import org.mortydb.config.NumberRange;
import org.mortydb.config.ServerSpec;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.Workload;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of a run on a cluster that is already running. */
final class ConnectOptions {
  /** Options for a cluster of its own that also suit a running one. */
  private static final List<String> COMMON = List.of("--client-loops");

  @Option(
      names = "--connect",
      paramLabel = "FILE",
      description = {
        "Use the running cluster of this configuration file, instead of a cluster of its own. The"
            + " file then replaces the options for a cluster of its own. The workload fills its"
            + " records again; no other program may use them during the run."
      })
  @Nullable Path connect;

  @Option(
      names = "--region",
      paramLabel = "NAME",
      split = ",",
      description = {
        "With --connect: the regions of the clients in this process (default: the first region)."
            + " Clients read from servers there."
      })
  List<String> regions = new ArrayList<>();

  @Option(
      names = "--round-trip",
      paramLabel = "MS",
      description = {
        "With --connect: the longest round trip between two regions in milliseconds, which sets"
            + " the back-off after a lost conflict (default: that of the file's emulated delays, or"
            + " 0)."
      })
  @Nullable Double roundTripMillis;

  /** Whether a running cluster is named. */
  boolean isGiven() {
    return connect != null;
  }

  /**
   * Refuses options for the other kind of cluster.
   *
   * @param others the options for a cluster of its own
   * @throws ParameterException if there is such an option
   */
  void check(CommandLine command, List<OptionSpec> others) {
    if (isGiven()) {
      for (OptionSpec other : others) {
        Requirement.that(
            COMMON.contains(other.longestName())
                || !command.getParseResult().hasMatchedOption(other),
            command,
            other.longestName() + " is for a cluster of its own; leave it out with --connect");
      }
      return;
    }
    Requirement.that(regions.isEmpty(), command, "--region needs --connect");
    Requirement.that(roundTripMillis == null, command, "--round-trip needs --connect");
  }

  /**
   * The run on the cluster.
   *
   * @throws ParameterException if the file cannot be read or lacks a region
   */
  DeployedExperiment experiment(
      CommandLine command,
      Workload workload,
      int loops,
      RunOptions run,
      boolean check,
      Map<String, @Nullable Object> settings,
      LoadOptions load,
      int metricsPort) {
    ClusterConfig cluster = load(command);
    List<String> where = regions.isEmpty() ? cluster.regions().subList(0, 1) : regions;
    for (String region : where) {
      Requirement.that(
          cluster.regions().contains(region),
          command,
          "--region: cluster '%s' has no region '%s'; its regions are %s"
              .formatted(cluster.name(), region, String.join(", ", cluster.regions())));
    }
    Requirement.within(command, "--client-loops", loops, NumberRange.POSITIVE);
    LoadOptions.requireMerges(command, workload, cluster.system());
    ReadLevel level = load.readLevel(command, cluster.system());
    LoadOptions.requireKept(
        command,
        level,
        cluster.replicaOptions().watermarkLagMicros(),
        cluster.replicaOptions().clockUncertaintyMicros());
    RetryPolicy retry = RetryDefaults.retries(cluster.system(), roundTripMicros(command, cluster));
    Map<String, @Nullable Object> all = new LinkedHashMap<>(settings);
    all.put("system", cluster.system().name());
    all.put("cluster", cluster.name());
    all.put("regions", cluster.regions().size());
    all.put("servers", cluster.servers().size());
    all.put("partitions", cluster.partitions());
    all.put("f", cluster.f());
    all.put("durability", cluster.durability().name().toLowerCase(Locale.ROOT));
    all.put("tls", cluster.security().tls());
    all.put("clientRegions", where);
    all.put("clientLoops", loops);
    all.put("check", check);
    all.put("backoffMicros", retry.baseMicros());
    all.put("backoffCapMicros", retry.capMicros());
    return new DeployedExperiment(
        workload,
        cluster,
        where,
        loops,
        run,
        check,
        all,
        RetryDefaults.of(retry)
            .withReadLevel(level)
            .withDurability(
                load.durability(command, cluster.durability().name().toLowerCase(Locale.ROOT))),
        metricsPort);
  }

  private ClusterConfig load(CommandLine command) {
    try {
      return ClusterConfig.load(connect == null ? Path.of("") : connect);
    } catch (InvalidConfigException | IOException e) {
      throw new ParameterException(command, "--connect: " + e.getMessage(), e);
    }
  }

  private long roundTripMicros(CommandLine command, ClusterConfig cluster) {
    Double given = roundTripMillis;
    if (given != null) {
      Requirement.within(command, "--round-trip", given, NumberRange.of(0, 20_000));
      return Math.round(given * 1_000);
    }
    long longest = 0;
    for (ServerSpec from : cluster.servers()) {
      for (ServerSpec to : cluster.servers()) {
        longest = Math.max(longest, cluster.delays().micros(from.region(), to.region()));
      }
    }
    return 2 * longest;
  }
}
