package org.mortydb.faults.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.mortydb.check.anomaly.Order;
import org.mortydb.check.jepsen.HistoryCheck;
import org.mortydb.check.jepsen.HistoryReport;
import org.mortydb.check.jepsen.Operation;
import org.mortydb.check.jepsen.OperationReader;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.FailedException;
import org.mortydb.cli.NamedValues;
import org.mortydb.cli.OutputOption;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code morty check}. */
@Command(
    name = "check",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Judges a history in the form of Jepsen's history.edn.",
    description = {
      "",
      "Reads a history that 'morty faults' or a Jepsen test has written, an operation in each line,"
          + " and has it judged by the project's own checkers. They look at keys and values alone.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty check history.edn --workload append",
      "  morty check jepsen/store/latest/history.edn --workload bank --output json"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:some serial order explains the history, for linear one of real time",
      "1:none does",
      "2:the command line is wrong",
      "3:the file is not there, or holds no history of the workload"
    })
final class CheckCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "1",
      paramLabel = "FILE",
      description = "The history; compressed if its name ends in '.gz'.")
  private Path file = Path.of("");

  @Option(
      names = "--workload",
      required = true,
      paramLabel = "NAME",
      converter = WorkloadNames.class,
      completionCandidates = WorkloadNames.class,
      description = "What it is a history of: ${COMPLETION-CANDIDATES}.")
  private HistoryCheck workload = HistoryCheck.APPEND;

  @Option(
      names = "--order",
      paramLabel = "ORDER",
      defaultValue = "none",
      converter = Orders.class,
      completionCandidates = Orders.class,
      description = {
        "What the serial order must respect as well: ${COMPLETION-CANDIDATES} (default:"
            + " ${DEFAULT-VALUE}, which is what the store promises). Matters for append, follow,"
            + " register, long-fork and monotonic."
      })
  private Order order = Order.NONE;

  @Option(
      names = "--ignore-place",
      description = {
        "Takes no account of :place, the timestamps of transactions, to which monotonic is held:"
            + " for systems whose serial order is another one."
      })
  private boolean ignorePlace;

  @Mixin private OutputOption output = new OutputOption();

  @Override
  public Integer call() {
    CommandLine command = spec.commandLine();
    if (!Files.isReadable(file)) {
      throw new FailedException("there is no readable file " + file);
    }
    List<Operation> operations = OperationReader.read(file);
    if (ignorePlace) {
      operations = operations.stream().map(Operation::withoutPlace).toList();
    }
    if (operations.isEmpty()) {
      throw new FailedException(file + " is empty: it shows nothing");
    }
    HistoryReport report =
        HistoryReport.of(workload.toString(), operations, workload.check(operations, order));
    if (report.valid() && report.readsChecked() == 0) {
      throw new FailedException(file + " shows nothing: no read of it can be judged");
    }
    output.print(command, report, report::text);
    return report.valid() ? ExitCode.OK : ExitCode.VIOLATION;
  }

  /** Workloads by their names. */
  static final class WorkloadNames extends NamedValues<HistoryCheck> {
    WorkloadNames() {
      super(HistoryCheck.values());
    }
  }

  /** Orders by their names. */
  static final class Orders extends NamedValues<Order> {
    Orders() {
      super(Order.values());
    }
  }
}
