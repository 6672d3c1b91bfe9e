package org.mortydb.workloads.ycsb;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.workloads.OptionValues;
import org.mortydb.workloads.WorkloadOption;
import org.mortydb.workloads.WorkloadPlugin;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.sampling.Sampler;
import org.mortydb.workloads.ycsb.YcsbOptions.Popularity;

/** The declaration of YCSB. */
public final class YcsbPlugin implements WorkloadPlugin {
  private static final WorkloadOption<Mix> MIX =
      WorkloadOption.choice("mix", Mix.A, "Mix of operations");

  static final WorkloadOption<Integer> KEYS =
      WorkloadOption.whole("keys", 100_000, 1, 300_000_000, "Initial records");

  static final WorkloadOption<Integer> OPERATIONS =
      WorkloadOption.whole("operations", 4, 1, 1_000, "Operations per transaction");

  private static final WorkloadOption<Popularity> POPULARITY =
      WorkloadOption.choice(
              "popularity", Popularity.BY_MIX, "Distribution of the records' popularity")
          .explainingDefault("by mix, which is latest for mix D, else zipf");

  static final WorkloadOption<Double> ZIPF =
      WorkloadOption.number(
          "zipf",
          0.99,
          Sampler.EXPONENTS,
          "Zipf exponent of the records' popularity; 0 is uniform");

  static final WorkloadOption<Integer> VALUE_BYTES =
      WorkloadOption.whole(
          "valueBytes",
          1_000,
          1,
          YcsbOptions.MAX_VALUE_BYTES,
          "Bytes of a record, ten fields in one");

  static final WorkloadOption<Integer> SCAN_LENGTH =
      WorkloadOption.whole(
          "scanLength",
          100,
          1,
          1_000,
          "Most records that a scan of mix E reads; lengths are uniform from 1");

  /** For the service loader. */
  public YcsbPlugin() {}

  @Override
  public String name() {
    return "ycsb";
  }

  @Override
  public String summary() {
    return "Runs YCSB A to F, in transactions of several operations.";
  }

  @Override
  public String description() {
    return "Every operation of a transaction is drawn from the mix: A 50 % reads and 50 % updates; B"
        + " 95 and 5; C reads only; D 95 % reads of the latest records, 5 % inserts; E 95 % scans,"
        + " 5 % inserts; F 50 % reads, 50 % reads followed by a write.";
  }

  @Override
  public List<String> examples() {
    return List.of(
        "--mix a                            Zipf 0.99, as YCSB has it",
        "--mix f --operations 10 --processes",
        "--mix b --popularity uniform --keys 1000000");
  }

  @Override
  public List<WorkloadOption<?>> options() {
    return List.of(MIX, KEYS, OPERATIONS, POPULARITY, ZIPF, VALUE_BYTES, SCAN_LENGTH);
  }

  @Override
  public Workload create(OptionValues values, long seed) {
    return new Ycsb(
        new YcsbOptions(
            values.get(MIX),
            values.get(KEYS),
            values.get(OPERATIONS),
            values.get(VALUE_BYTES),
            values.get(POPULARITY),
            values.get(ZIPF),
            values.get(SCAN_LENGTH)));
  }

  @Override
  public Map<String, @Nullable Object> settings(OptionValues values) {
    Map<String, @Nullable Object> settings = values.settings();
    Mix mix = values.get(MIX);
    Popularity popularity = values.get(POPULARITY).in(mix);
    settings.put("popularity", popularity.toString().toLowerCase(Locale.ROOT));
    if (popularity == Popularity.UNIFORM) {
      settings.put("zipf", null);
    }
    if (mix != Mix.E) {
      settings.put("scanLength", null);
    }
    return settings;
  }
}
