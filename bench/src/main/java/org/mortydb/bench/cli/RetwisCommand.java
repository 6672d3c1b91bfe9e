package org.mortydb.bench.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.retwis.Retwis;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code morty bench retwis}. */
@Command(
    name = "retwis",
    header = "Runs Retwis, a small social network, on a cluster of three regions on this machine.",
    description = {
      "",
      "Starts the cluster, fills it, warms up, measures, and checks that everything that the"
          + " clients saw is serializable. The mix is that of the TAPIR and Morty papers: 5 %% add"
          + " user (1 read, 3 writes), 15 %% follow (2, 2), 30 %% post tweet (3, 5), 50 %% get"
          + " timeline (1 to 10, 0). What is written follows from what was read.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty bench retwis                               the whole thing, in about a minute",
      "  morty bench retwis --processes --keys 1000000    one process for each server",
      "  morty bench retwis --zipf 0.9 --json run.json    popular and less popular users",
      "  morty bench retwis --delay 30 --rate 500         far apart, 500 transactions a second"
    })
final class RetwisCommand extends WorkloadCommand {
  private static final int MOST_KEYS = 300_000_000;

  @ArgGroup(heading = "%nWorkload:%n", validate = false, order = 1)
  private Options options = new Options();

  private static final class Options {
    @Option(
        names = "--keys",
        paramLabel = "N",
        defaultValue = "100000",
        description = "Keys in all, six for each user (default: ${DEFAULT-VALUE}).")
    private int keys = 100_000;

    @Option(
        names = "--zipf",
        paramLabel = "THETA",
        defaultValue = "0",
        description = "Zipf exponent of the users' popularity, such as 0.9 (default: 0, uniform).")
    private double zipf;
  }

  @Override
  Workload workload(long seed) {
    if (options.keys > MOST_KEYS) {
      throw new IllegalArgumentException(
          "--keys must be at most " + MOST_KEYS + ", is " + options.keys);
    }
    return new Retwis(options.keys, options.zipf);
  }

  @Override
  void addTo(Map<String, @Nullable Object> settings) {
    settings.put("keys", options.keys);
    settings.put("zipf", options.zipf);
  }
}
