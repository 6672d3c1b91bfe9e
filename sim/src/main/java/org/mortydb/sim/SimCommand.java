package org.mortydb.sim;

import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
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
      description = "The number of seeds of each mix (default: ${DEFAULT-VALUE}).")
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
      names = "--mix",
      paramLabel = "LIST",
      description = {
        "The mixes of faults, each with all seeds: all, or a list of ${COMPLETION-CANDIDATES}.",
        "Without --mix all run; with --faults, --durability or --system only general."
      },
      completionCandidates = MixNames.class)
  private @Nullable String mix;

  @Option(
      names = "--faults",
      paramLabel = "LIST",
      description =
          "The faults that seeds of the mix general may draw: all, none, or a list of loss, dup, reorder, partition,"
              + " slow, skew, drift, jump, crash, wipe, pause, death, leap (default: all)."
              + " Systems without durable state do not tolerate jump, crash, wipe, and death.")
  private @Nullable String faults;

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

  @Option(
      names = "--steps",
      paramLabel = "FILE",
      description =
          "Write the steps by which replicas and coordinators decide transactions to FILE, a line"
              + " of JSON for each; only with --seeds 1. The specification is checked against"
              + " such steps.")
  private @Nullable Path steps;

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
    checkRecordsOne("--trace", trace);
    checkRecordsOne("--steps", steps);
    if (mix != null && (faults != null || durability != null)) {
      throw new ParameterException(
          commandLine(),
          "--mix sets faults and durability: leave out --faults and --durability, or --mix");
    }
    try {
      TransactionSystem named = TransactionSystems.named(system);
      if (steps != null && !named.name().equals(Morty.NAME)) {
        throw new IllegalArgumentException(
            "--steps records the steps of " + Morty.NAME + " alone, not of " + named.name());
      }
      Set<SimFault> allowed = allowedFaults(named);
      SeedOptions seed =
          SeedOptions.DEFAULTS
              .withSystem(named)
              .withFaults(allowed)
              .withDurability(durability)
              .withTrace(trace)
              .withSteps(steps);
      List<FaultMix> mixes = List.copyOf(mixes(named));
      if (recordsOne() && mixes.size() > 1) {
        throw new IllegalArgumentException(
            (trace == null ? "--steps" : "--trace") + " records one mix: name one with --mix");
      }
      return new CampaignOptions(mixes, firstSeed, seeds, threads, twice, maxFailures, seed);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(commandLine(), e.getMessage(), e);
    }
  }

  private Set<FaultMix> mixes(TransactionSystem named) {
    boolean isMorty = named.name().equals(Morty.NAME);
    Set<FaultMix> general = EnumSet.of(FaultMix.GENERAL);
    if (mix == null) {
      boolean all = isMorty && faults == null && durability == null && !recordsOne();
      return all ? EnumSet.allOf(FaultMix.class) : general;
    }
    Set<FaultMix> mixes = FaultMix.parse(mix);
    Set<FaultMix> possible =
        named.merges() ? EnumSet.of(FaultMix.GENERAL, FaultMix.MERGES) : general;
    if (!isMorty && !possible.containsAll(mixes)) {
      String names = possible.stream().map(FaultMix::label).collect(Collectors.joining(" or "));
      throw new IllegalArgumentException(
          "--mix: " + named.name() + " runs with the mix " + names + " alone");
    }
    return mixes;
  }

  /** The names of the mixes, for the help. */
  private static final class MixNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Arrays.stream(FaultMix.values()).map(FaultMix::label).iterator();
    }
  }

  /** The names of the systems, for the help. */
  private static final class SystemNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return TransactionSystems.names().iterator();
    }
  }

  /** Whether a file is asked for that has what happens in one run. */
  private boolean recordsOne() {
    return trace != null || steps != null;
  }

  private void checkRecordsOne(String option, @Nullable Path file) {
    if (file != null && seeds != 1) {
      throw new ParameterException(
          commandLine(), option + " records one seed: use --seeds 1, not --seeds " + seeds);
    }
    if (file != null && !Files.isWritable(folderOf(file))) {
      throw new ParameterException(
          commandLine(), option + ": cannot write in the folder of " + file);
    }
  }

  private Set<SimFault> allowedFaults(TransactionSystem named) {
    Set<SimFault> tolerated = SimFault.toleratedBy(named);
    boolean all = faults == null || faults.trim().equalsIgnoreCase("all");
    Set<SimFault> allowed = SimFault.parse(all ? "all" : Objects.requireNonNull(faults));
    if (all || tolerated.containsAll(allowed)) {
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
    Console console = System.console();
    if (console == null || !console.isTerminal()) {
      long seeds = options.seeds() * options.mixes().size();
      return SimRunner.run(options, new LineProgress(System.err, seeds, System::nanoTime));
    }
    try (ProgressBar bar =
        new ProgressBarBuilder()
            .setTaskName("sim")
            .setUnit(" seeds", 1)
            .setInitialMax(options.seeds() * options.mixes().size())
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
      System.err.println();
      print(failure, System.err);
    }
  }

  /** A line every few seconds, for files and pipes. */
  static final class LineProgress implements SimRunner.Progress {
    private static final long LINE_NANOS = 5_000_000_000L;

    private final PrintStream out;
    private final long seeds;
    private final LongSupplier clock;
    private long shownNanos;

    LineProgress(PrintStream out, long seeds, LongSupplier clock) {
      this.out = out;
      this.seeds = seeds;
      this.clock = clock;
      this.shownNanos = clock.getAsLong();
    }

    @Override
    public void update(long done, long failures) {
      long nowNanos = clock.getAsLong();
      if (nowNanos - shownNanos >= LINE_NANOS || done == seeds) {
        shownNanos = nowNanos;
        out.printf(
            "sim      %,d of %,d seeds: %s%n",
            done, seeds, failures == 0 ? "no violation" : failures + " failed");
      }
    }

    @Override
    public void failed(SeedResult failure) {
      print(failure, out);
    }
  }

  private static void print(SeedResult failure, PrintStream out) {
    out.printf(
        "seed %d of %s fails: %s%n",
        failure.seed(), failure.mix().label(), failure.violations().getFirst());
  }
}
