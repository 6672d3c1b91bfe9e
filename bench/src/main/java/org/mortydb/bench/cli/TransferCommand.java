package org.mortydb.bench.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.transfer.Transfer;
import org.mortydb.workloads.transfer.TransferOptions;
import org.mortydb.workloads.transfer.TransferOptions.Form;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code morty bench transfer}. */
@Command(
    name = "transfer",
    header = "Moves money between accounts, in a transaction or by a protocol of the application.",
    description = {
      "",
      "With '--form two-phase' each transfer is a two-phase commit that the application makes of"
          + " atomic operations on one record each: intentions on both accounts, a coordinator"
          + " record that decides, and recovery of half-done transfers by whoever meets them. This"
          + " is what transactions save. Afterwards the sum of all balances must be what it was.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty bench transfer --processes                          one transaction each",
      "  morty bench transfer --processes --form two-phase         about seven operations each",
      "  morty bench transfer --form two-phase --abandon 0.01      one in a hundred left half-way"
    })
final class TransferCommand extends WorkloadCommand {
  @ArgGroup(heading = "%nWorkload:%n", validate = false, order = 1)
  private Options options = new Options();

  private static final class Options {
    @Option(
        names = "--form",
        paramLabel = "FORM",
        defaultValue = "transaction",
        converter = FormConverter.class,
        description = "'transaction' or 'two-phase' (default: ${DEFAULT-VALUE}).")
    private Form form = Form.TRANSACTION;

    @Option(
        names = "--accounts",
        paramLabel = "N",
        defaultValue = "100000",
        description = "Accounts, each with 1000 at first (default: ${DEFAULT-VALUE}).")
    private int accounts = 100_000;

    @Option(
        names = "--zipf",
        paramLabel = "THETA",
        defaultValue = "0",
        description = "Zipf exponent of the accounts' popularity (default: 0, uniform).")
    private double zipf;

    @Option(
        names = "--abandon",
        paramLabel = "P",
        defaultValue = "0",
        description = {
          "With '--form two-phase': the share of transfers, 0 to 1, whose client goes away amid"
              + " them (default: ${DEFAULT-VALUE})."
        })
    private double abandon = 0;
  }

  /** Reads the names of the forms. */
  static final class FormConverter implements picocli.CommandLine.ITypeConverter<Form> {
    @Override
    public Form convert(String value) {
      return switch (value) {
        case "transaction" -> Form.TRANSACTION;
        case "two-phase" -> Form.TWO_PHASE;
        default ->
            throw new picocli.CommandLine.TypeConversionException(
                "must be 'transaction' or 'two-phase', is '" + value + "'");
      };
    }
  }

  @Override
  Workload workload(long seed) {
    return new Transfer(
        new TransferOptions(options.form, options.accounts, options.zipf, options.abandon));
  }

  @Override
  void addTo(Map<String, @Nullable Object> settings) {
    settings.put("form", options.form == Form.TRANSACTION ? "transaction" : "two-phase");
    settings.put("accounts", options.accounts);
    settings.put("zipf", options.zipf);
    settings.put("abandon", options.form == Form.TRANSACTION ? null : options.abandon);
  }
}
