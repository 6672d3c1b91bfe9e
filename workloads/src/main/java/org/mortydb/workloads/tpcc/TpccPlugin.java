package org.mortydb.workloads.tpcc;

import java.util.List;
import java.util.Map;
import org.mortydb.config.NumberRange;
import org.mortydb.workloads.OptionValues;
import org.mortydb.workloads.WorkloadOption;
import org.mortydb.workloads.WorkloadPlugin;
import org.mortydb.workloads.load.Workload;

/** The declaration of TPC-C. */
public final class TpccPlugin implements WorkloadPlugin {
  static final WorkloadOption<Integer> WAREHOUSES =
      WorkloadOption.whole(
          "warehouses",
          1,
          1,
          Scale.MAX_WAREHOUSES,
          "Warehouses, each with 10 districts; the terminals (--clients) are dealt out to them");

  static final WorkloadOption<Double> SCALE =
      WorkloadOption.number(
          "scale",
          1,
          NumberRange.above(0, 1),
          "Factor for the numbers of customers, initial orders and items; 1 is the standard's size");

  private static final WorkloadOption<Delivery> DELIVERY =
      WorkloadOption.choice(
          "delivery",
          Delivery.WAREHOUSE,
          "Extent of a transaction that delivers: all ten districts of a warehouse, or one district,"
              + " so that a delivery is ten transactions");

  private static final WorkloadOption<Boolean> MERGES =
      WorkloadOption.flag(
          "merges",
          "Payments add to the sums of warehouse and district by merges, which read nothing");

  private static final WorkloadOption<Boolean> TOGETHER =
      WorkloadOption.flag(
          "together",
          "New-order reads its items in one operation, then its stocks in another, not line by line;"
              + " delivery reads the rows of all its districts at the same time");

  private static final WorkloadOption<Boolean> PAYMENTS_ONLY =
      WorkloadOption.flag("paymentsOnly", "All transactions are payments, to measure these alone");

  /** The extent of a delivery transaction. */
  private enum Delivery {
    WAREHOUSE,
    DISTRICT
  }

  /** For the service loader. */
  public TpccPlugin() {}

  @Override
  public String name() {
    return "tpcc";
  }

  @Override
  public String summary() {
    return "Runs TPC-C, the order entry of a wholesaler.";
  }

  @Override
  public String description() {
    return "The mix is 45 % new-order, 43 % payment, and 4 % each order-status, delivery and"
        + " stock-level, without keying and think times. At the end the standard's consistency"
        + " conditions 1 to 12 must hold. docs/reference/workloads.md names the differences from"
        + " the standard.";
  }

  @Override
  public List<String> examples() {
    return List.of(
        "                                 one warehouse, 64 terminals",
        "--warehouses 4 --processes      one process per server",
        "--scale 0.02 --seconds 5        a small database, quickly filled");
  }

  @Override
  public List<WorkloadOption<?>> options() {
    return List.of(WAREHOUSES, SCALE, DELIVERY, MERGES, TOGETHER, PAYMENTS_ONLY);
  }

  @Override
  public Workload create(OptionValues values, long seed) {
    return new Tpcc(
        Scale.of(values.get(WAREHOUSES), values.get(SCALE)),
        new Variant(
            values.get(DELIVERY) == Delivery.DISTRICT,
            values.get(MERGES),
            values.get(TOGETHER),
            values.get(PAYMENTS_ONLY)),
        seed);
  }

  @Override
  public List<Map<String, String>> calibrated() {
    return List.of(Map.of("scale", "0.1"));
  }
}
