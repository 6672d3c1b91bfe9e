package org.mortydb.bench.cli;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.DelayFile;
import org.mortydb.cli.PersistenceOptions;
import org.mortydb.cli.Requirement;
import org.mortydb.config.Durability;
import org.mortydb.config.NumberRange;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.protocol.system.TransactionSystems;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options that say on what cluster a workload is run. */
public final class ClusterOptions extends PersistenceOptions {
  private static final int MOST_F = 10;
  private static final int MOST_PARTITIONS = 1_024;
  private static final NumberRange DELAY_MILLIS = NumberRange.of(0, 10_000);

  @Option(
      names = "--system",
      paramLabel = "NAME",
      defaultValue = Morty.NAME,
      completionCandidates = SystemNames.class,
      description = {
        "The system that servers and clients run: ${COMPLETION-CANDIDATES} (default:"
            + " ${DEFAULT-VALUE})."
      })
  String system = Morty.NAME;

  @Option(
      names = "--processes",
      description = "One process for each server (default: all in this process).")
  boolean processes;

  @Option(
      names = "--delay",
      paramLabel = "MS",
      defaultValue = "none",
      description = {
        "One-way delay between regions in milliseconds, emulated, or 'none' (default:"
            + " ${DEFAULT-VALUE})."
      })
  private String delay = "none";

  @Option(
      names = "--delays",
      paramLabel = "FILE",
      description = {
        "Delays that were measured between the regions of a cloud, instead of --delay: a file such"
            + " as those in paper/delays, or the name of one of them: 'regional', 'continental',"
            + " 'global'."
      })
  private @Nullable String delays;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      defaultValue = "1",
      description = "Partitions of the keys, on every server (default: ${DEFAULT-VALUE}).")
  int partitions = 1;

  @Option(
      names = "--f",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "Servers that may fail, of 2N+1, each in a region of its own (default: ${DEFAULT-VALUE},"
            + " hence three regions)."
      })
  int f = 1;

  @Option(
      names = "--tls",
      description = {
        "Encrypts all connections, with certificates that are made for the run (default: plain"
            + " text)."
      })
  boolean tls;

  @Option(
      names = "--client-regions",
      paramLabel = "N",
      description = {
        "Regions in which there are clients, from the first on (default: 1 without --delay, all"
            + " with it). Clients read from the server in their own region."
      })
  @Nullable Integer clientRegions;

  @Option(
      names = "--client-loops",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "Event loops, with connections of their own, for the clients of a region (default:"
            + " ${DEFAULT-VALUE})."
      })
  int clientLoops = 1;

  @Option(
      names = "--server-loops",
      paramLabel = "N",
      defaultValue = "0",
      description = {
        "Event loops of a server, at most one for each partition (default: 0, as many as the"
            + " server finds right)."
      })
  int serverLoops = 0;

  @Option(
      names = "--server-jvm",
      paramLabel = "OPTIONS",
      description = {
        "With --processes: options of the servers' JVMs, in one argument (default: a heap of 2 GiB,"
            + " the serial collector, compact object headers, huge pages)."
      })
  String serverJvm = ClusterSettings.SERVER_JVM;

  @Option(
      names = "--trace",
      paramLabel = "R",
      defaultValue = "0",
      description = {
        "The share of transactions that are traced, 0 to 1 (default: ${DEFAULT-VALUE}, none);"
            + " 'morty trace' shows what traces are for."
      })
  double trace = 0;

  @Option(
      names = "--zipkin",
      paramLabel = "URL",
      description = {
        "With --trace: where spans are posted (default: http://127.0.0.1:9411/api/v2/spans)."
      })
  @Nullable String zipkin;

  /** Options with their defaults. */
  public ClusterOptions() {
    super(Durability.MEMORY);
  }

  /**
   * The options as a cluster takes them.
   *
   * @throws ParameterException when one is out of its range
   */
  public ClusterSettings settings(CommandLine command) {
    Requirement.within(command, "--f", f, NumberRange.of(1, MOST_F));
    Requirement.within(command, "--partitions", partitions, NumberRange.of(1, MOST_PARTITIONS));
    Requirement.within(command, "--client-loops", clientLoops, NumberRange.POSITIVE);
    Requirement.within(command, "--server-loops", serverLoops, NumberRange.NOT_NEGATIVE);
    OptionalLong delayMicros = delayMicros(command);
    int servers = 2 * f + 1;
    DelayFile file = delayFile(command);
    boolean far = delayMicros.isPresent() || file != null;
    int inRegions = clientRegions != null ? clientRegions : far ? servers : 1;
    Requirement.within(command, "--client-regions", inRegions, NumberRange.of(1, servers));
    Map<String, String> others = new LinkedHashMap<>();
    others.put(ClusterSettings.SYSTEM, system(command).name());
    if (file != null) {
      others.putAll(emulation(command, file, servers));
    }
    addTracing(command, others);
    return new ClusterSettings(
        f,
        partitions,
        delayMicros,
        tls,
        durability(),
        directory(command),
        processes,
        serverLoops,
        List.of(serverJvm.strip().split("\\s+")),
        inRegions,
        clientLoops,
        others);
  }

  private void addTracing(CommandLine command, Map<String, String> others) {
    Requirement.within(command, "--trace", trace, NumberRange.SHARE);
    Requirement.that(zipkin == null || trace > 0, command, "--zipkin needs --trace");
    if (trace > 0) {
      others.put("tracing.rate", Double.toString(trace));
    }
    if (zipkin != null) {
      others.put("tracing.zipkin", '"' + zipkin + '"');
    }
  }

  private TransactionSystem system(CommandLine command) {
    TransactionSystem named;
    try {
      named = TransactionSystems.named(system);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, "--system: " + e.getMessage(), e);
    }
    Requirement.that(
        named.isDurable() || !stores(),
        command,
        "--system "
            + named.name()
            + " stores nothing: --durability must be 'memory', is '"
            + durability()
            + "'");
    return named;
  }

  /**
   * Options as if these two had been typed.
   *
   * @param delay milliseconds, or 'none'
   * @param delays a file or a name; null for neither
   */
  public static ClusterOptions withDelays(String delay, @Nullable String delays) {
    ClusterOptions options = new ClusterOptions();
    options.delay = delay;
    options.delays = delays;
    return options;
  }

  /**
   * What {@code --delays} names; null without.
   *
   * @throws ParameterException when there is no such file, or it is none
   */
  public @Nullable DelayFile delayFile(CommandLine command) {
    String named = delays;
    if (named == null) {
      return null;
    }
    Requirement.that(
        delay.equalsIgnoreCase("none"), command, "--delay and --delays exclude each other");
    Path file =
        named.matches("[a-z-]+")
            ? SimulationOptions.inCheckout("paper/delays/" + named + ".json")
            : Path.of(named);
    try {
      return DelayFile.read(file);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, "--delays: " + e.getMessage(), e);
    }
  }

  private static Map<String, String> emulation(CommandLine command, DelayFile file, int servers) {
    try {
      return file.settings(ClusterSettings.regionNames(servers));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, "--delays: " + e.getMessage(), e);
    }
  }

  private OptionalLong delayMicros(CommandLine command) {
    if (delay.equalsIgnoreCase("none")) {
      return OptionalLong.empty();
    }
    double millis = -1;
    try {
      millis = Double.parseDouble(delay);
    } catch (NumberFormatException e) {
      // refused below
    }
    Requirement.that(
        DELAY_MILLIS.contains(millis),
        command,
        "--delay must be 'none' or %s milliseconds without a unit, is '%s'"
            .formatted(DELAY_MILLIS, delay));
    return OptionalLong.of(Math.round(millis * 1_000));
  }

  /** Adds the options to those that a report names. */
  public void addTo(Map<String, @Nullable Object> settings, ClusterSettings cluster) {
    OptionalLong delayMicros = cluster.delayMicros();
    settings.put("system", cluster.system());
    settings.put("processes", cluster.processes());
    settings.put("regions", cluster.regionCount());
    settings.put("partitions", cluster.partitions());
    settings.put("f", cluster.f());
    settings.put("tls", cluster.tls());
    settings.put("durability", cluster.durability());
    settings.put("data", cluster.data() == null ? null : cluster.data().toString());
    settings.put("delayMillis", delayMicros.isPresent() ? delayMicros.getAsLong() / 1_000.0 : null);
    settings.put("delays", delays);
    settings.put("clientRegions", cluster.clientRegions());
    settings.put("clientLoops", cluster.clientLoops());
    settings.put("serverLoops", cluster.serverLoops() == 0 ? "auto" : cluster.serverLoops());
    if (trace > 0) {
      settings.put("trace", trace);
    }
    settings.put(
        "serverJvm", cluster.processes() ? String.join(" ", cluster.serverJvmOptions()) : null);
  }
}
