package org.mortydb.bench.simulated;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.retwis.Retwis;
import org.mortydb.workloads.smallbank.SmallBank;
import org.mortydb.workloads.smallbank.SmallBankOptions;
import org.mortydb.workloads.tpcc.Scale;
import org.mortydb.workloads.tpcc.Tpcc;
import org.mortydb.workloads.transfer.Transfer;
import org.mortydb.workloads.transfer.TransferOptions;
import org.mortydb.workloads.ycsb.Mix;
import org.mortydb.workloads.ycsb.Ycsb;
import org.mortydb.workloads.ycsb.YcsbOptions;

/** What a calibration runs. */
final class CalibrationPlan {
  private static final int RECORDS = 100_000;
  private static final double ZIPF = 0.9;
  private static final double UNIFORM = 0;
  private static final double DELAY_MILLIS = 10;
  private static final int FEW = 16;
  private static final int MANY = 64;
  private static final double TPCC_SCALE = 0.1;
  private static final double YCSB_ZIPF = 0.99;

  private CalibrationPlan() {}

  /** A workload by its name, in the size that calibrations use, with what records say of it. */
  private record Choice(Map<String, @Nullable Object> options, Supplier<Workload> workload) {}

  private static Map<String, Choice> choices() {
    Map<String, Choice> all = new LinkedHashMap<>();
    all.put("retwis", retwis(ZIPF));
    all.put(
        "tpcc",
        new Choice(
            options("warehouses", 1, "scale", TPCC_SCALE),
            () -> new Tpcc(Scale.of(1, TPCC_SCALE), false, 1)));
    all.put(
        "ycsb",
        new Choice(
            options("mix", "a", "keys", RECORDS),
            () ->
                new Ycsb(
                    new YcsbOptions(
                        Mix.A,
                        RECORDS,
                        4,
                        1_000,
                        YcsbOptions.Popularity.of(Mix.A),
                        YCSB_ZIPF,
                        100))));
    all.put(
        "smallbank",
        new Choice(
            options("accounts", RECORDS),
            () -> new SmallBank(new SmallBankOptions(RECORDS, 0, ZIPF), 1)));
    all.put("transfer", transfer(TransferOptions.Form.TRANSACTION));
    all.put("transfer-two-phase", transfer(TransferOptions.Form.TWO_PHASE));
    return all;
  }

  private static Choice transfer(TransferOptions.Form form) {
    return new Choice(
        options("accounts", RECORDS, "form", form.name().toLowerCase(Locale.ROOT)),
        () -> new Transfer(new TransferOptions(form, RECORDS, 0, 0)));
  }

  /** The names of the workloads. */
  static List<String> workloads() {
    return List.copyOf(choices().keySet());
  }

  private static Choice retwis(double zipf) {
    return new Choice(options("keys", RECORDS, "zipf", zipf), () -> new Retwis(RECORDS, zipf));
  }

  private static Map<String, @Nullable Object> options(@Nullable Object... namesAndValues) {
    Map<String, @Nullable Object> options = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      options.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
    }
    return options;
  }

  /**
   * Points at which steps are measured: each system on each workload.
   *
   * @throws IllegalArgumentException when there is no such workload
   */
  static List<CalibrationPoint> gauged(List<TransactionSystem> systems, List<String> workloads) {
    List<CalibrationPoint> points = new ArrayList<>();
    for (TransactionSystem system : systems) {
      for (String name : workloads) {
        Choice choice = choices().get(name);
        if (choice == null) {
          throw new IllegalArgumentException(
              "'" + name + "' is no workload: there are " + String.join(", ", workloads()));
        }
        points.add(point(system, choice, FEW, null));
      }
    }
    return points;
  }

  /** Points by which factors are fitted: with few conflicts, so that twins do the same work. */
  static List<CalibrationPoint> fitted(List<TransactionSystem> systems) {
    List<CalibrationPoint> points = new ArrayList<>();
    for (TransactionSystem system : systems) {
      points.add(point(system, retwis(UNIFORM), FEW, null));
      points.add(point(system, retwis(UNIFORM), MANY, null));
      points.add(point(system, retwis(UNIFORM), MANY, DELAY_MILLIS));
    }
    return points;
  }

  /** Points that are only compared. */
  static List<CalibrationPoint> compared(List<TransactionSystem> systems) {
    List<CalibrationPoint> points = new ArrayList<>();
    for (TransactionSystem system : systems) {
      points.add(point(system, retwis(ZIPF), MANY, null));
      points.add(point(system, retwis(ZIPF), MANY, DELAY_MILLIS));
    }
    return points;
  }

  private static CalibrationPoint point(
      TransactionSystem system, Choice choice, int clients, @Nullable Double delayMillis) {
    return new CalibrationPoint(
        system.name(), choice.workload, choice.options, clients, delayMillis);
  }
}
