package org.mortydb.experiments.plan;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.retwis.Retwis;
import org.mortydb.workloads.smallbank.SmallBank;
import org.mortydb.workloads.smallbank.SmallBankOptions;
import org.mortydb.workloads.tpcc.Scale;
import org.mortydb.workloads.tpcc.Tpcc;
import org.mortydb.workloads.transfer.Transfer;
import org.mortydb.workloads.transfer.TransferOptions;
import org.mortydb.workloads.transfer.TransferOptions.Form;
import org.mortydb.workloads.ycsb.Mix;
import org.mortydb.workloads.ycsb.Ycsb;
import org.mortydb.workloads.ycsb.YcsbOptions;
import org.mortydb.workloads.ycsb.YcsbOptions.Popularity;
import tools.jackson.databind.JsonNode;

/**
 * A workload with all of its options, those left out included. They are called as in records, and
 * mean what they do on the command line.
 *
 * @param name {@code retwis}, {@code tpcc}, {@code ycsb}, {@code smallbank}, {@code transfer}
 * @param options whole numbers, numbers and texts
 */
public record WorkloadChoice(String name, Map<String, Object> options) {
  private static final Map<String, Map<String, Object>> DEFAULTS = defaults();

  private static final String BY_MIX = "by mix";

  /** Copies the options. */
  public WorkloadChoice {
    options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
  }

  private static Map<String, Map<String, Object>> defaults() {
    Map<String, Map<String, Object>> all = new LinkedHashMap<>();
    put(all, "retwis", "keys", 100_000, "zipf", 0.0);
    put(all, "tpcc", "warehouses", 1, "scale", 1.0, "delivery", "warehouse");
    put(
        all,
        "ycsb",
        "mix",
        "a",
        "keys",
        100_000,
        "operations",
        4,
        "popularity",
        BY_MIX,
        "zipf",
        0.99,
        "valueBytes",
        1_000,
        "scanLength",
        100);
    put(all, "smallbank", "accounts", 100_000, "hotspot", 0, "hotspotShare", 0.9);
    put(all, "transfer", "form", "transaction", "accounts", 100_000, "zipf", 0.0, "abandon", 0.0);
    return all;
  }

  private static void put(Map<String, Map<String, Object>> all, String name, Object... options) {
    Map<String, Object> named = new LinkedHashMap<>();
    for (int i = 0; i < options.length; i += 2) {
      named.put((String) options[i], options[i + 1]);
    }
    all.put(name, named);
  }

  /**
   * Reads a choice whose values are single ones.
   *
   * @throws InvalidDefinitionException when it is none
   */
  static WorkloadChoice of(Section section) {
    String name = section.text("name");
    Map<String, Object> defaults = DEFAULTS.get(name);
    if (defaults == null) {
      throw section.wrong(
          "name", "must be one of " + String.join(", ", DEFAULTS.keySet()) + ", is '" + name + "'");
    }
    Map<String, Object> options = new LinkedHashMap<>();
    defaults.forEach((option, fallback) -> options.put(option, value(section, option, fallback)));
    section.refuseOthers();
    WorkloadChoice choice = new WorkloadChoice(name, options);
    try {
      Objects.requireNonNull(choice.create(1));
    } catch (IllegalArgumentException e) {
      throw new InvalidDefinitionException(section.place() + ": " + e.getMessage(), e);
    }
    return choice;
  }

  private static Object value(Section section, String option, Object fallback) {
    return switch (fallback) {
      case Integer whole -> section.whole(option, whole, 0, Integer.MAX_VALUE);
      case Double number -> section.number(option, number, 0, Integer.MAX_VALUE);
      default -> {
        @Nullable JsonNode value = section.get(option);
        yield value == null ? fallback : section.text(option).toLowerCase(Locale.ROOT);
      }
    };
  }

  /**
   * Makes it.
   *
   * @param seed decides what belongs to the workload as a whole
   * @throws IllegalArgumentException when an option is out of its range
   */
  public Workload create(long seed) {
    return switch (name) {
      case "retwis" -> new Retwis(whole("keys"), number("zipf"));
      case "tpcc" ->
          new Tpcc(
              Scale.of(whole("warehouses"), number("scale")),
              oneOf("delivery", "warehouse", "district") == 1,
              seed);
      case "ycsb" -> new Ycsb(ycsb());
      case "smallbank" ->
          new SmallBank(
              new SmallBankOptions(whole("accounts"), whole("hotspot"), number("hotspotShare")),
              seed);
      case "transfer" ->
          new Transfer(
              new TransferOptions(
                  oneOf("form", "transaction", "two-phase") == 0
                      ? Form.TRANSACTION
                      : Form.TWO_PHASE,
                  whole("accounts"),
                  number("zipf"),
                  number("abandon")));
      default -> throw new IllegalArgumentException("'" + name + "' is no workload");
    };
  }

  private YcsbOptions ycsb() {
    Mix mix = Mix.values()[oneOf("mix", "a", "b", "c", "d", "e", "f")];
    int popularity = oneOf("popularity", BY_MIX, "uniform", "zipf", "latest");
    return new YcsbOptions(
        mix,
        whole("keys"),
        whole("operations"),
        whole("valueBytes"),
        popularity == 0 ? Popularity.of(mix) : Popularity.values()[popularity - 1],
        number("zipf"),
        whole("scanLength"));
  }

  private int whole(String option) {
    return (Integer) Objects.requireNonNull(options.get(option));
  }

  private double number(String option) {
    return (Double) Objects.requireNonNull(options.get(option));
  }

  private int oneOf(String option, String... choices) {
    int place = List.of(choices).indexOf(options.get(option));
    if (place < 0) {
      throw new IllegalArgumentException(
          "%s must be one of %s, is '%s'"
              .formatted(option, String.join(", ", choices), options.get(option)));
    }
    return place;
  }
}
