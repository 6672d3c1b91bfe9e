package org.mortydb.bench.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.smallbank.SmallBank;
import org.mortydb.workloads.smallbank.SmallBankOptions;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code morty bench smallbank}. */
@Command(
    name = "smallbank",
    header = "Runs SmallBank, short transactions on savings and checking accounts, on a cluster.",
    description = {
      "",
      "15 %% each balance, deposit checking, transact savings, amalgamate and write check; 25 %%"
          + " send payment. Afterwards the sum of all accounts must be what it was at first and"
          + " what was paid in since.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty bench smallbank --processes",
      "  morty bench smallbank --hotspot 100                nine in ten go to 100 customers"
    })
final class SmallBankCommand extends WorkloadCommand {
  @ArgGroup(heading = "%nWorkload:%n", validate = false, order = 1)
  private Options options = new Options();

  private static final class Options {
    @Option(
        names = "--accounts",
        paramLabel = "N",
        defaultValue = "100000",
        description = "Customers, each with two accounts (default: ${DEFAULT-VALUE}).")
    private int accounts = 100_000;

    @Option(
        names = "--hotspot",
        paramLabel = "N",
        defaultValue = "0",
        description = "Customers that are more popular than the others (default: none).")
    private int hotspot = 0;

    @Option(
        names = "--hotspot-share",
        paramLabel = "P",
        defaultValue = "0.9",
        description = {
          "With --hotspot: the probability, 0 to 1, that a customer is drawn from there (default:"
              + " ${DEFAULT-VALUE})."
        })
    private double hotspotShare = 0.9;
  }

  @Override
  Workload workload(long seed) {
    return new SmallBank(
        new SmallBankOptions(options.accounts, options.hotspot, options.hotspotShare), seed);
  }

  @Override
  void addTo(Map<String, @Nullable Object> settings) {
    settings.put("accounts", options.accounts);
    settings.put("hotspot", options.hotspot);
    settings.put("hotspotShare", options.hotspot == 0 ? null : options.hotspotShare);
  }
}
