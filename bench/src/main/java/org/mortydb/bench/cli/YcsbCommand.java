package org.mortydb.bench.cli;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.ycsb.Mix;
import org.mortydb.workloads.ycsb.Ycsb;
import org.mortydb.workloads.ycsb.YcsbOptions;
import org.mortydb.workloads.ycsb.YcsbOptions.Popularity;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code morty bench ycsb}. */
@Command(
    name = "ycsb",
    header = "Runs YCSB A to F, in transactions of several operations, on a cluster.",
    description = {
      "",
      "Every operation of a transaction is drawn from the mix: A 50 %% reads and 50 %% updates; B"
          + " 95 and 5; C reads only; D 95 %% reads of what was inserted of late, 5 %% inserts; E"
          + " 95 %% scans, 5 %% inserts; F 50 %% reads, 50 %% reads followed by a write.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty bench ycsb --mix a                            Zipf 0.99, as YCSB has it",
      "  morty bench ycsb --mix f --operations 10 --processes",
      "  morty bench ycsb --mix b --popularity uniform --keys 1000000"
    })
final class YcsbCommand extends WorkloadCommand {
  @ArgGroup(heading = "%nWorkload:%n", validate = false, order = 1)
  private Options options = new Options();

  private static final class Options {
    @Option(
        names = "--mix",
        paramLabel = "LETTER",
        defaultValue = "a",
        description = "A to F (default: ${DEFAULT-VALUE}).")
    private Mix mix = Mix.A;

    @Option(
        names = "--keys",
        paramLabel = "N",
        defaultValue = "100000",
        description = "Records at first (default: ${DEFAULT-VALUE}).")
    private int keys = 100_000;

    @Option(
        names = "--operations",
        paramLabel = "N",
        defaultValue = "4",
        description = "Operations of a transaction (default: ${DEFAULT-VALUE}).")
    private int operations = 4;

    @Option(
        names = "--popularity",
        paramLabel = "KIND",
        description = {
          "How records are drawn: ${COMPLETION-CANDIDATES} (default: latest for mix D, else zipf)."
        })
    private @Nullable Popularity popularity;

    @Option(
        names = "--zipf",
        paramLabel = "THETA",
        defaultValue = "0.99",
        description = {
          "Zipf exponent of the records' popularity; 0 is uniform (default: ${DEFAULT-VALUE})."
        })
    private double zipf = 0.99;

    @Option(
        names = "--value-bytes",
        paramLabel = "N",
        defaultValue = "1000",
        description = "Bytes of a record, ten fields in one (default: ${DEFAULT-VALUE}).")
    private int valueBytes = 1_000;

    @Option(
        names = "--scan-length",
        paramLabel = "N",
        defaultValue = "100",
        description = {
          "The most records that a scan of mix E reads, 1 to so many being alike (default:"
              + " ${DEFAULT-VALUE})."
        })
    private int scanLength = 100;

    private Popularity chosenPopularity() {
      Popularity chosen = popularity;
      return chosen == null ? Popularity.of(mix) : chosen;
    }
  }

  @Override
  Workload workload(long seed) {
    return new Ycsb(
        new YcsbOptions(
            options.mix,
            options.keys,
            options.operations,
            options.valueBytes,
            options.chosenPopularity(),
            options.zipf,
            options.scanLength));
  }

  @Override
  void addTo(Map<String, @Nullable Object> settings) {
    Popularity popularity = options.chosenPopularity();
    settings.put("mix", options.mix.name());
    settings.put("keys", options.keys);
    settings.put("operations", options.operations);
    settings.put("popularity", popularity.name().toLowerCase(Locale.ROOT));
    settings.put("zipf", popularity == Popularity.UNIFORM ? null : options.zipf);
    settings.put("valueBytes", options.valueBytes);
    settings.put("scanLength", options.mix == Mix.E ? options.scanLength : null);
  }
}
