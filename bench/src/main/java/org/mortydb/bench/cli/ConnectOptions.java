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
import org.mortydb.bench.experiment.Patience;
import org.mortydb.cli.Requirement;
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

/** The options that have a workload run on a cluster that runs already. */
final class ConnectOptions {
  /** Those of the others that go with it as well. */
  private static final List<String> ALSO_FOR_IT = List.of("--client-loops");

  @Option(
      names = "--connect",
      paramLabel = "FILE",
      description = {
        "Runs on the cluster of that configuration file, whose servers run already and stay,"
            + " instead of one of its own; it decides what the options for a cluster of its own do."
            + " The workload fills its records anew, and must have them for itself while it runs."
      })
  @Nullable Path connect;

  @Option(
      names = "--region",
      paramLabel = "NAME",
      split = ",",
      description = {
        "With --connect: the regions of the cluster that the clients of this process count as"
            + " (default: the first). They read from servers there."
      })
  List<String> regions = new ArrayList<>();

  @Option(
      names = "--round-trip",
      paramLabel = "MS",
      description = {
        "With --connect: the longest round trip between two regions in milliseconds; how long"
            + " transactions wait that lost a conflict depends on it (default: that of the emulated"
            + " delays in the file, else 0)."
      })
  @Nullable Double roundTripMillis;

  /** Whether a cluster that runs is named. */
  boolean isGiven() {
    return connect != null;
  }

  /**
   * Sees that no option is given that goes with the other kind of cluster only.
   *
   * @param others the options for a cluster of its own
   * @throws ParameterException when there is one
   */
  void check(CommandLine command, List<OptionSpec> others) {
    if (isGiven()) {
      for (OptionSpec other : others) {
        Requirement.that(
            ALSO_FOR_IT.contains(other.longestName())
                || !command.getParseResult().hasMatchedOption(other),
            command,
            other.longestName() + " is for a cluster of its own; with --connect, leave it out");
      }
      return;
    }
    Requirement.that(regions.isEmpty(), command, "--region needs --connect");
    Requirement.that(roundTripMillis == null, command, "--round-trip needs --connect");
  }

  /**
   * The run on that cluster.
   *
   * @throws ParameterException when its file cannot be read, or has no such region
   */
  DeployedExperiment experiment(
      CommandLine command,
      Workload workload,
      int loops,
      RunOptions run,
      boolean check,
      Map<String, @Nullable Object> settings,
      int metricsPort) {
    ClusterConfig cluster = load(command);
    List<String> where = regions.isEmpty() ? cluster.regions().subList(0, 1) : regions;
    for (String region : where) {
      Requirement.that(
          cluster.regions().contains(region),
          command,
          "--region: cluster '"
              + cluster.name()
              + "' has no region '"
              + region
              + "', it has "
              + String.join(", ", cluster.regions()));
    }
    Requirement.within(command, "--client-loops", loops, NumberRange.POSITIVE);
    RetryPolicy retry = Patience.retries(cluster.system(), roundTripMicros(command, cluster));
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
        workload, cluster, where, loops, run, check, all, Patience.of(retry), metricsPort);
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
