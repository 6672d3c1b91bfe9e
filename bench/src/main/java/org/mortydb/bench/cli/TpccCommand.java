package org.mortydb.bench.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.tpcc.Scale;
import org.mortydb.workloads.tpcc.Tpcc;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code morty bench tpcc}. */
@Command(
    name = "tpcc",
    header = "Runs TPC-C, the order entry of a wholesaler, on a cluster on this machine.",
    description = {
      "",
      "Starts the cluster, fills the database, warms up, measures, and checks that everything that"
          + " the clients saw is serializable and that the standard's consistency conditions 1 to"
          + " 12 hold. The mix is 45 %% new-order, 43 %% payment, and 4 %% each order-status,"
          + " delivery and stock-level, without keying and think times."
          + " docs/reference/workloads.md names what differs from the standard.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty bench tpcc                                   one warehouse, 64 terminals",
      "  morty bench tpcc --warehouses 4 --processes        one process for each server",
      "  morty bench tpcc --scale 0.02 --seconds 5          a small database, quickly filled"
    })
final class TpccCommand extends WorkloadCommand {
  @ArgGroup(heading = "%nWorkload:%n", validate = false, order = 1)
  private Options options = new Options();

  /** How deliveries are executed. */
  enum Delivery {
    /** All districts of a warehouse in one transaction. */
    WAREHOUSE,
    /** A transaction for each district. */
    DISTRICT
  }

  private static final class Options {
    @Option(
        names = "--warehouses",
        paramLabel = "N",
        defaultValue = "1",
        description = {
          "Warehouses, each with 10 districts; the terminals (--clients) are dealt out to them"
              + " (default: ${DEFAULT-VALUE})."
        })
    private int warehouses = 1;

    @Option(
        names = "--scale",
        paramLabel = "S",
        defaultValue = "1",
        description = {
          "Multiplies the numbers of customers, first orders and items, which for 1 are the"
              + " standard's (default: ${DEFAULT-VALUE})."
        })
    private double scale = 1;

    @Option(
        names = "--delivery",
        paramLabel = "BY",
        defaultValue = "warehouse",
        description = {
          "'warehouse': a delivery to all ten districts is one transaction; 'district': it is ten,"
              + " one after the other (default: ${DEFAULT-VALUE})."
        })
    private Delivery delivery = Delivery.WAREHOUSE;
  }

  @Override
  Workload workload(long seed) {
    Scale scale = Scale.of(options.warehouses, options.scale);
    return new Tpcc(scale, options.delivery == Delivery.DISTRICT, seed);
  }

  @Override
  void addTo(Map<String, @Nullable Object> settings) {
    settings.put("warehouses", options.warehouses);
    settings.put("scale", options.scale);
    settings.put("delivery", options.delivery.name().toLowerCase(java.util.Locale.ROOT));
  }
}
