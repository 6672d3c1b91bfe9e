package org.mortydb.workloads.smallbank;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.NumberRange;
import org.mortydb.workloads.OptionValues;
import org.mortydb.workloads.WorkloadOption;
import org.mortydb.workloads.WorkloadPlugin;
import org.mortydb.workloads.load.Workload;

/** The declaration of SmallBank. */
public final class SmallBankPlugin implements WorkloadPlugin {
  static final WorkloadOption<Integer> ACCOUNTS =
      WorkloadOption.whole(
          "accounts", 100_000, 2, 100_000_000, "Customers, each with two accounts");

  static final WorkloadOption<Integer> HOTSPOT =
      WorkloadOption.whole(
              "hotspot", 0, 0, 99_999_999, "Customers that are more popular than the others")
          .explainingDefault("0, none");

  static final WorkloadOption<Double> HOTSPOT_SHARE =
      WorkloadOption.number(
          "hotspotShare",
          0.9,
          NumberRange.SHARE,
          "With a hotspot: the probability that a customer is drawn from it");

  private static final WorkloadOption<Boolean> MERGES =
      WorkloadOption.flag(
          "merges", "Money is paid into checking accounts by merges, which read nothing");

  /** For the service loader. */
  public SmallBankPlugin() {}

  @Override
  public String name() {
    return "smallbank";
  }

  @Override
  public String summary() {
    return "Runs SmallBank, short transactions on savings and checking accounts.";
  }

  @Override
  public String description() {
    return "15 % each balance, deposit checking, transact savings, amalgamate and write check; 25 %"
        + " send payment. At the end the sum of all accounts must be the initial sum plus what"
        + " transactions paid in.";
  }

  @Override
  public List<String> examples() {
    return List.of(
        "--processes",
        "--hotspot 100                nine in ten transactions use these 100 customers");
  }

  @Override
  public List<WorkloadOption<?>> options() {
    return List.of(ACCOUNTS, HOTSPOT, HOTSPOT_SHARE, MERGES);
  }

  @Override
  public Workload create(OptionValues values, long seed) {
    return new SmallBank(
        new SmallBankOptions(values.get(ACCOUNTS), values.get(HOTSPOT), values.get(HOTSPOT_SHARE)),
        values.get(MERGES),
        seed);
  }

  @Override
  public Map<String, @Nullable Object> settings(OptionValues values) {
    Map<String, @Nullable Object> settings = values.settings();
    if (values.get(HOTSPOT) == 0) {
      settings.put("hotspotShare", null);
    }
    return settings;
  }
}
