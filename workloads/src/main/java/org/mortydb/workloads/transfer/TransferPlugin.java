package org.mortydb.workloads.transfer;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.NumberRange;
import org.mortydb.workloads.OptionValues;
import org.mortydb.workloads.WorkloadOption;
import org.mortydb.workloads.WorkloadPlugin;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.sampling.Sampler;
import org.mortydb.workloads.transfer.TransferOptions.Form;

/** The declaration of transfers between accounts. */
public final class TransferPlugin implements WorkloadPlugin {
  private static final WorkloadOption<Form> FORM =
      WorkloadOption.choice("form", Form.TRANSACTION, "How money is moved");

  static final WorkloadOption<Integer> ACCOUNTS =
      WorkloadOption.whole(
          "accounts", 100_000, 2, 300_000_000, "Accounts, each with an initial balance of 1000");

  static final WorkloadOption<Double> ZIPF =
      WorkloadOption.number(
              "zipf", 0, Sampler.EXPONENTS, "Zipf exponent of the accounts' popularity")
          .explainingDefault("0, uniform");

  static final WorkloadOption<Double> ABANDON =
      WorkloadOption.number(
          "abandon",
          0,
          NumberRange.SHARE,
          "With form two-phase: the share of transfers that their client abandons half-way");

  /** For the service loader. */
  public TransferPlugin() {}

  @Override
  public String name() {
    return "transfer";
  }

  @Override
  public String summary() {
    return "Moves money between accounts, in a transaction or by a protocol of the application.";
  }

  @Override
  public String description() {
    return "With '--form two-phase' each transfer is a two-phase commit that the application builds"
        + " from atomic operations on single records: intentions on both accounts, a coordinator"
        + " record that decides, and recovery of abandoned transfers by the next client that finds"
        + " one. Transactions save this effort. At the end the sum of all balances must be the"
        + " initial sum.";
  }

  @Override
  public List<String> examples() {
    return List.of(
        "--processes                          one transaction per transfer",
        "--processes --form two-phase         about seven operations per transfer",
        "--form two-phase --abandon 0.01      one in a hundred abandoned half-way");
  }

  @Override
  public List<WorkloadOption<?>> options() {
    return List.of(FORM, ACCOUNTS, ZIPF, ABANDON);
  }

  @Override
  public Workload create(OptionValues values, long seed) {
    return new Transfer(
        new TransferOptions(
            values.get(FORM), values.get(ACCOUNTS), values.get(ZIPF), values.get(ABANDON)));
  }

  @Override
  public Map<String, @Nullable Object> settings(OptionValues values) {
    Map<String, @Nullable Object> settings = values.settings();
    if (values.get(FORM) == Form.TRANSACTION) {
      settings.put("abandon", null);
    }
    return settings;
  }

  @Override
  public List<Map<String, String>> calibrated() {
    return List.of(Map.of("form", "transaction"), Map.of("form", "two-phase"));
  }
}
