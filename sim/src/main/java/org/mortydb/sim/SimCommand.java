package org.mortydb.sim;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.Callable;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.protocol.system.TransactionSystems;
import org.mortydb.sim.host.SimDurability;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code morty sim}: runs seeds of the simulator. */
@Command(
    name = "sim",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs simulated clusters under faults and checks every history and invariant.",
      "A seed determines cluster, workload, delays, clocks and faults. It gives the same run on"
          + " every machine."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:No violation was found.",
      "1:A violation was found, or a large campaign did not reach all required branches.",
      "2:The options are wrong."
    })
public final class SimCommand implements Callable<Integer> {
  private static final int OK = 0;
  private static final int VIOLATION = 1;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "100",
      description = "The number of seeds (default: ${DEFAULT-VALUE}).")
  private long seeds;

  @Option(
      names = "--seed",
      paramLabel = "S",
      defaultValue = "1",
      description = "The first seed (default: ${DEFAULT-VALUE}); the others follow it.")
  private long firstSeed;

  @Option(
      names = "--system",
      paramLabel = "NAME",
      defaultValue = Morty.NAME,
      completionCandidates = SystemNames.class,
      description = {"The simulated system: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})."})
  private String system = Morty.NAME;

  @Option(
      names = "--faults",
      paramLabel = "LIST",
      defaultValue = "all",
      description =
          "The faults that seeds may draw: all, none, or a list of loss, dup, reorder, partition,"
              + " slow, skew, drift, jump, crash, wipe, pause, death (default: ${DEFAULT-VALUE})."
              + " Systems without durable state do not tolerate jump, crash, wipe, and death.")
  private String faults = "all";

  @Option(
      names = "--durability",
      paramLabel = "MODE",
      description =
          "What a crash of a server keeps: sync, async or memory (default: each seed draws sync or"
              + " async). Systems without durable state always use memory.")
  private @Nullable SimDurability durability;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "The number of seeds that run at a time (default: one per core).")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(names = "--twice", description = "Run each seed a second time, and compare the two runs.")
  private boolean twice;

  @Option(
      names = "--max-failures",
      paramLabel = "N",
      defaultValue = "1",
      description = "End after N seeds with violations (default: ${DEFAULT-VALUE}).")
  private int maxFailures;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "Write every event to FILE; only with --seeds 1.")
  private @Nullable Path trace;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results to FILE as JSON.")
  private @Nullable Path json;

  @Override
  public Integer call() throws InterruptedException {
    CampaignOptions options = options();
    CampaignResult result = run(options);
    PrintWriter out = commandLine().getOut();
    new SimReport(options, result).print(out);
    out.flush();
    if (json != null) {
      try {
        Files.writeString(json, new SimReport(options, result).toJson());
      } catch (IOException e) {
        throw new ParameterException(
            commandLine(), "--json: cannot write " + json + ": " + e.getMessage(), e);
      }
    }
    return result.isClean() ? OK : VIOLATION;
  }

  private CampaignOptions options() {
    if (trace != null && seeds != 1) {
      throw new ParameterException(
          commandLine(), "--trace records one seed: use --seeds 1, not --seeds " + seeds);
    }
    if (trace != null && !Files.isWritable(folderOf(trace))) {
      throw new ParameterException(
          commandLine(), "--trace: cannot write in the folder of " + trace);
    }
    try {
      TransactionSystem named = TransactionSystems.named(system);
      Set<SimFault> allowed = allowedFaults(named);
      SeedOptions seed =
          SeedOptions.DEFAULTS
              .withSystem(named)
              .withFaults(allowed)
              .withDurability(durability)
              .withTrace(trace);
      return new CampaignOptions(firstSeed, seeds, threads, twice, maxFailures, seed);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(commandLine(), e.getMessage(), e);
    }
  }

  /** The names of the systems, for the help. */
  private static final class SystemNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return TransactionSystems.names().iterator();
    }
  }

  private Set<SimFault> allowedFaults(TransactionSystem named) {
    Set<SimFault> tolerated = SimFault.toleratedBy(named);
    Set<SimFault> allowed = SimFault.parse(faults);
    if (faults.trim().equalsIgnoreCase("all") || tolerated.containsAll(allowed)) {
      return allowed;
    }
    throw new IllegalArgumentException(
        "--faults: %s tolerates only %s, not %s"
            .formatted(named.name(), SimFault.format(tolerated), SimFault.format(allowed)));
  }

  private static Path folderOf(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    return folder == null ? file : folder;
  }

  private CommandLine commandLine() {
    if (spec == null) {
      throw new IllegalStateException("the command runs only on its command line");
    }
    return spec.commandLine();
  }

  private static CampaignResult run(CampaignOptions options) throws InterruptedException {
    try (ProgressBar bar =
        new ProgressBarBuilder()
            .setTaskName("sim")
            .setUnit(" seeds", 1)
            .setInitialMax(options.seeds())
            .setStyle(ProgressBarStyle.ASCII)
            .setUpdateIntervalMillis(500)
            .setConsumer(new ConsoleProgressBarConsumer(System.err))
            .build()) {
      return SimRunner.run(options, new BarProgress(bar));
    }
  }

  /** Prints a failure at once, because a large campaign runs on for a long time. */
  private record BarProgress(ProgressBar bar) implements SimRunner.Progress {
    @Override
    public void update(long done, long failures) {
      bar.stepTo(done);
      bar.setExtraMessage(failures == 0 ? " no violation" : " " + failures + " failed");
    }

    @Override
    public void failed(SeedResult failure) {
      System.err.printf("%nseed %d fails: %s%n", failure.seed(), failure.violations().getFirst());
    }
  }
}
