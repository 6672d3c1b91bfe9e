package org.mortydb.bench.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClientSetting;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.DelayFile;
import org.mortydb.bench.cluster.ServerJvm;
import org.mortydb.cli.PersistenceOptions;
import org.mortydb.cli.Requirement;
import org.mortydb.config.DidYouMean;
import org.mortydb.config.Durability;
import org.mortydb.config.NumberRange;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.protocol.system.TransactionSystems;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of the cluster on which a workload runs. */
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
        "The system of servers and clients: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})."
      })
  String system = Morty.NAME;

  @Option(
      names = "--on-conflict",
      paramLabel = "ACTION",
      description = {
        "With --system si or ssi: an update that conflicts with another one aborts at once"
            + " ('fail', the default) or waits for the other's outcome ('wait', which is the system"
            + " NAME-wait)."
      })
  private @Nullable String onConflict;

  @Option(
      names = "--processes",
      description = "Run each server in a process of its own (default: all in this process).")
  boolean processes;

  @Option(
      names = "--delay",
      paramLabel = "MS",
      defaultValue = "none",
      description = {
        "The emulated one-way delay between regions in milliseconds, or 'none' (default:"
            + " ${DEFAULT-VALUE})."
      })
  private String delay = "none";

  @Option(
      names = "--delays",
      paramLabel = "FILE",
      description = {
        "Measured delays between the regions of a cloud, instead of --delay: a file such as those"
            + " in paper/delays, or the name of one of them: 'regional', 'continental', 'global'."
      })
  private @Nullable String delays;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      defaultValue = "1",
      description = "The number of partitions, on every server (default: ${DEFAULT-VALUE}).")
  int partitions = 1;

  @Option(
      names = "--f",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "The number of servers that may fail, of 2N+1 in as many regions (default:"
            + " ${DEFAULT-VALUE}, which means three regions)."
      })
  int f = 1;

  @Option(
      names = "--tls",
      description = {
        "Encrypt all connections, with certificates made for the run (default: plain text)."
      })
  boolean tls;

  @Option(
      names = "--client-regions",
      paramLabel = "N",
      description = {
        "The number of regions with clients (default: 1 without --delay, all with it). Clients"
            + " read from the server in their own region."
      })
  @Nullable Integer clientRegions;

  @Option(
      names = "--client-loops",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "The event loops for the clients of a region, each with its own connections (default:"
            + " ${DEFAULT-VALUE})."
      })
  int clientLoops = 1;

  @Option(
      names = "--server-loops",
      paramLabel = "N",
      defaultValue = "0",
      description = {
        "The event loops of a server, at most one per partition (default: 0, the server decides)."
      })
  int serverLoops = 0;

  @Option(
      names = "--server-jvm",
      paramLabel = "OPTIONS",
      description = {
        "With --processes: the options of the servers' JVMs in one argument; @FILE stands for those"
            + " in a file of the checkout (default: ${DEFAULT-VALUE}, the options of 'morty"
            + " server' and a heap)."
      })
  String serverJvm = ServerJvm.MEASURED;

  @Option(
      names = "--region-slots",
      paramLabel = "SLOTS",
      defaultValue = "auto",
      description = {
        "Whether the transactions of a region take ids that lie together: 'auto', 'off', or the"
            + " length of a slot such as '8ms' (default: ${DEFAULT-VALUE})."
      })
  String regionSlots = "auto";

  @Option(
      names = "--admission",
      paramLabel = "ADMISSION",
      defaultValue = "off",
      description = {
        "How many transactions each event loop of the clients has in flight: 'auto', 'off', or the"
            + " most such as '64' (default: ${DEFAULT-VALUE})."
      })
  String admission = "off";

  @Option(
      names = "--trace",
      paramLabel = "R",
      defaultValue = "0",
      description = {
        "The share of traced transactions, 0 to 1 (default: ${DEFAULT-VALUE}, none). 'morty"
            + " trace' shows the use of traces."
      })
  double trace = 0;

  @Option(
      names = "--zipkin",
      paramLabel = "URL",
      description = {
        "With --trace: the URL for spans (default: http://127.0.0.1:9411/api/v2/spans)."
      })
  @Nullable String zipkin;

  /** Options with their defaults. */
  public ClusterOptions() {
    super(Durability.MEMORY);
  }

  /**
   * The settings of the cluster.
   *
   * @throws ParameterException if an option is out of its range
   */
  public ClusterSettings settings(CommandLine command) {
    return settings(command, processes, directory(command));
  }

  /**
   * The settings of a cluster in virtual time, which has no directory for data.
   *
   * @throws ParameterException if an option is out of its range
   */
  public ClusterSettings simulatedSettings(CommandLine command) {
    return settings(command, processes, null);
  }

  /**
   * The settings of a cluster on other hosts.
   *
   * @throws ParameterException if an option is out of its range, or is for a cluster on this
   *     machine
   */
  public ClusterSettings settingsOnHosts(CommandLine command) {
    Requirement.that(!processes, command, "--processes goes without saying with --agents");
    Requirement.that(
        !tls,
        command,
        "--tls is for a cluster on this machine: with --agents, 'encrypt' in their file decides");
    return settings(command, true, stores() ? Path.of("") : null);
  }

  private ClusterSettings settings(CommandLine command, boolean inProcesses, @Nullable Path data) {
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
    add(command, "--region-slots", ClientSetting.REGION_SLOTS, regionSlots, others);
    add(command, "--admission", ClientSetting.ADMISSION, admission, others);
    return new ClusterSettings(
        f,
        partitions,
        delayMicros,
        tls,
        durability(),
        data,
        inProcesses,
        serverLoops,
        inProcesses ? ServerJvm.of(serverJvm) : List.of(),
        inRegions,
        clientLoops,
        others);
  }

  private static void add(
      CommandLine command,
      String option,
      ClientSetting setting,
      String words,
      Map<String, String> others) {
    try {
      setting.check(words);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, option + " " + e.getMessage(), e);
    }
    setting.addTo(others, words);
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
    TransactionSystem named =
        SystemNames.named(command, "--system", List.of(systemName(command))).getFirst();
    Requirement.that(
        named.isDurable() || !stores(),
        command,
        "--system %s stores nothing: --durability must be 'memory', not '%s'"
            .formatted(named.name(), durability()));
    return named;
  }

  /** The name with what {@code --on-conflict} adds to it. */
  private String systemName(CommandLine command) {
    String action = onConflict;
    if (action == null) {
      return system;
    }
    Requirement.that(
        action.equals("fail") || action.equals("wait"),
        command,
        "--on-conflict must be 'fail' or 'wait', not '%s'".formatted(action));
    String waiting = system + "-wait";
    Requirement.that(
        TransactionSystems.names().contains(waiting),
        command,
        "--on-conflict: system %s has no such choice; --system si and ssi have".formatted(system));
    return action.equals("wait") ? waiting : system;
  }

  /**
   * Creates options with delays.
   *
   * @param delay the delay in milliseconds, or 'none'
   * @param delays a file or a name; null for none
   */
  public static ClusterOptions withDelays(String delay, @Nullable String delays) {
    ClusterOptions options = new ClusterOptions();
    options.delay = delay;
    options.delays = delays;
    return options;
  }

  /** Sets the number of partitions, and returns these options. */
  public ClusterOptions withPartitions(int count) {
    partitions = count;
    return this;
  }

  /** Sets the region slots as in {@code --region-slots}, and returns these options. */
  public ClusterOptions withRegionSlots(String slots) {
    regionSlots = slots;
    return this;
  }

  /**
   * The file of {@code --delays}; null without the option.
   *
   * @throws ParameterException if the file does not exist or has another form
   */
  public @Nullable DelayFile delayFile(CommandLine command) {
    String named = delays;
    if (named == null) {
      return null;
    }
    Requirement.that(
        delay.equalsIgnoreCase("none"), command, "--delay and --delays exclude each other");
    Path file = Path.of(named);
    if (named.matches("[a-z-]+")) {
      Path folder = SimulationOptions.inCheckout("paper/delays");
      file = folder.resolve(named + ".json");
      Requirement.that(
          Files.exists(file),
          command,
          "--delays: there are no delays '" + named + "'" + DidYouMean.hint(named, in(folder)));
    }
    try {
      return DelayFile.read(file);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, "--delays: " + e.getMessage(), e);
    }
  }

  /** The names of the files of delays in a folder; none if it cannot be read. */
  private static List<String> in(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(one -> String.valueOf(one.getFileName()))
          .filter(name -> name.endsWith(".json"))
          .map(name -> name.substring(0, name.length() - ".json".length()))
          .sorted()
          .toList();
    } catch (IOException e) {
      return List.of();
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
      // The check below refuses it.
    }
    Requirement.that(
        DELAY_MILLIS.contains(millis),
        command,
        "--delay must be 'none' or %s milliseconds without a unit, not '%s'"
            .formatted(DELAY_MILLIS, delay));
    return OptionalLong.of(Math.round(millis * 1_000));
  }

  /** Adds the options to the settings of a report. */
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
    settings.put("regionSlots", regionSlots);
    settings.put("admission", admission);
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
