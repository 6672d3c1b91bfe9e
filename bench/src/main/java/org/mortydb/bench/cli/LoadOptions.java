package org.mortydb.bench.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.experiment.Reports;
import org.mortydb.bench.experiment.WatermarkLag;
import org.mortydb.cli.Requirement;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.WriteDurability;
import org.mortydb.config.NumberRange;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.LoadSeries;
import org.mortydb.workloads.load.Rate;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.Style;
import org.mortydb.workloads.load.Workload;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of the load. */
final class LoadOptions {
  private static final int CLOSED_LOOP_CLIENTS = 64;
  private static final int OPEN_LOOP_CLIENTS = 1_024;
  private static final double MOST_SECONDS = 1_000_000;

  @Option(
      names = "--clients",
      paramLabel = "N",
      description = {
        "The number of concurrent transactions (default: "
            + CLOSED_LOOP_CLIENTS
            + "). With --rate it is the maximum; transactions that are due wait for a free client,"
            + " and their latency includes the wait (default: "
            + OPEN_LOOP_CLIENTS
            + ")."
      })
  @Nullable Integer clients;

  @Option(
      names = "--rate",
      paramLabel = "R",
      split = ",",
      description = {
        "Open loop: R transactions are due per second, whether or not earlier ones have ended."
            + " Latency starts when a transaction is due. 'max*0.5' is half of the saturated rate,"
            + " which short closed loops find first. Several rates, such as"
            + " max*0.25,max*0.5,max*0.9, run one after another on one cluster and yield a table"
            + " of latency by load (default: closed loop, each client begins its next transaction"
            + " at the end of the previous one)."
      })
  List<String> rates = new ArrayList<>();

  @Option(
      names = "--arrivals",
      paramLabel = "KIND",
      defaultValue = "poisson",
      description = "With --rate: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  Arrivals arrivals = Arrivals.POISSON;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "10",
      description =
          "The seconds before the measurement, and at most 5 before that of each further rate"
              + " (default: ${DEFAULT-VALUE}).")
  double warmup = 10;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "30",
      description = "The seconds of the measurement (default: ${DEFAULT-VALUE}).")
  double seconds = 30;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "The seed of the drawn records and transactions (default: ${DEFAULT-VALUE}). It does not"
            + " determine timing: two runs are similar, not equal."
      })
  long seed = 1;

  @Option(
      names = "--style",
      paramLabel = "STYLE",
      defaultValue = "continuations",
      description = {
        "The style of the transactions: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})."
            + " 'direct' runs each one on a virtual thread, which waits at every read."
      })
  Style style = Style.CONTINUATIONS;

  @Option(
      names = "--read-only-level",
      paramLabel = "LEVEL",
      description = {
        "What read-only transactions promise: 'strict', 'serializable', 'snapshot', 'local', or"
            + " 'bounded:' with an age such as 'bounded:2s' (default: serializable). For"
            + " 'snapshot' and 'bounded', the cluster's watermark lag is a second, or half of the"
            + " age if that is less."
      })
  @Nullable String readOnlyLevel;

  @Option(
      names = "--transaction-durability",
      paramLabel = "D",
      description = {
        "When a commit is acknowledged: 'sync', once it is durable, or 'async', once all replicas"
            + " have written it (default: as the servers' --durability)."
      })
  @Nullable String transactionDurability;

  /**
   * The durability of transactions that write.
   *
   * @throws ParameterException if it is none, or servers do not have it
   */
  WriteDurability durability(CommandLine command, String ofServers) {
    String text = transactionDurability;
    if (text == null) {
      return WriteDurability.AS_SERVERS;
    }
    WriteDurability durability;
    try {
      durability = WriteDurability.parse(text);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, "--transaction-durability: " + e.getMessage(), e);
    }
    Requirement.that(
        ofServers.equals("sync")
            || (ofServers.equals("async") && durability == WriteDurability.ASYNC),
        command,
        "--transaction-durability %s needs servers that store; use --durability sync"
            .formatted(durability.words()));
    return durability;
  }

  /**
   * The level of read-only transactions.
   *
   * @throws ParameterException if it is none, or none of the system
   */
  ReadLevel readLevel(CommandLine command, TransactionSystem system) {
    String text = readOnlyLevel;
    if (text == null) {
      return ReadLevel.SERIALIZABLE;
    }
    ReadLevel level;
    try {
      level = ReadLevel.parse(text);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, "--read-only-level: " + e.getMessage(), e);
    }
    Requirement.that(
        !level.isPast() || system.readsPast(),
        command,
        "--read-only-level: the system %s has no level %s; use --system morty"
            .formatted(system.name(), level.words()));
    return level;
  }

  /**
   * Checks that servers can keep a level, before a record is filled.
   *
   * @param lagMicros how far the watermark stays behind their clocks
   * @param uncertaintyMicros how far their clocks may be wrong; 0 if commits do not wait
   * @throws ParameterException if they cannot
   */
  static void requireKept(
      CommandLine command, ReadLevel level, long lagMicros, long uncertaintyMicros) {
    Requirement.that(
        !(level instanceof ReadLevel.Strict) || uncertaintyMicros > 0,
        command,
        "--read-only-level strict needs a cluster with server.replica.clock-uncertainty, which"
            + " --connect names");
    Requirement.that(
        !(level instanceof ReadLevel.Bounded(long micros)) || micros > lagMicros,
        command,
        "--read-only-level %s: the watermark of the servers is at least %d ms old; ask for more"
            .formatted(level.words(), lagMicros / 1_000));
  }

  /**
   * Checks that a system has the merges of a workload.
   *
   * @throws ParameterException if it has none
   */
  static void requireMerges(CommandLine command, Workload workload, TransactionSystem system) {
    Requirement.that(
        !workload.merges() || system.merges(),
        command,
        "--merges: the system %s has no merges; leave --merges out, or use --system morty"
            .formatted(system.name()));
  }

  /** The cluster with a watermark that is close enough to the clock for a level. */
  static ClusterSettings withLag(ClusterSettings cluster, ReadLevel level) {
    ClusterSettings changed = cluster;
    for (Map.Entry<String, String> setting : WatermarkLag.settings(level).entrySet()) {
      changed = changed.with(setting.getKey(), setting.getValue());
    }
    return changed;
  }

  /**
   * The loads of the run.
   *
   * @throws ParameterException if an option is out of its range
   */
  LoadSeries series(CommandLine command) {
    List<Rate> parsed = new ArrayList<>();
    for (String rate : rates) {
      try {
        parsed.add(Rate.parse(rate));
      } catch (IllegalArgumentException e) {
        throw new ParameterException(command, "--rate " + e.getMessage(), e);
      }
    }
    return LoadSeries.of(runOptions(command), parsed);
  }

  private RunOptions runOptions(CommandLine command) {
    int sessions =
        clients != null ? clients : rates.isEmpty() ? CLOSED_LOOP_CLIENTS : OPEN_LOOP_CLIENTS;
    Requirement.within(command, "--clients", sessions, NumberRange.POSITIVE);
    Requirement.within(command, "--warmup", warmup, NumberRange.NOT_NEGATIVE);
    Requirement.within(command, "--seconds", seconds, NumberRange.above(0, MOST_SECONDS));
    return new RunOptions(sessions, OptionalDouble.empty(), arrivals, warmup, seconds, seed, style);
  }

  /** Adds the options to the settings of a report. */
  void addTo(Map<String, @Nullable Object> settings, RunOptions run) {
    settings.put("clients", run.sessions());
    settings.put(Reports.LOOP, Reports.loop(!rates.isEmpty()));
    settings.put("rate", null); // of each load
    settings.put("arrivals", rates.isEmpty() ? null : arrivals.name().toLowerCase(Locale.ROOT));
    settings.put("warmup", warmup);
    settings.put("seconds", seconds);
    settings.put("seed", seed);
    settings.put("style", style.name().toLowerCase(Locale.ROOT));
    if (readOnlyLevel != null) {
      settings.put("readOnlyLevel", readOnlyLevel);
    }
  }
}
