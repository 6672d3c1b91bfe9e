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
      "Reads a history that 'morty faults' or a Jepsen test has written, one operation per line."
          + " The project's own checkers judge it by keys and values alone. The verdict names what"
          + " was not checked: by default, among others, the order of sessions and real time.",
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
      "0:some serial order explains the history; for linear, one that respects real time",
      "1:none does",
      "2:the command line is wrong",
      "3:the file does not exist, or is no history of the workload"
    })
final class CheckCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "1",
      paramLabel = "FILE",
      description = "The history; a name that ends in '.gz' is a compressed one.")
  private Path file = Path.of("");

  @Option(
      names = "--workload",
      required = true,
      paramLabel = "NAME",
      converter = WorkloadNames.class,
      completionCandidates = WorkloadNames.class,
      description = "The workload of the history: ${COMPLETION-CANDIDATES}.")
  private HistoryCheck workload = HistoryCheck.APPEND;

  @Option(
      names = "--order",
      paramLabel = "ORDER",
      defaultValue = "none",
      converter = Orders.class,
      completionCandidates = Orders.class,
      description = {
        "What the serial order must also respect: ${COMPLETION-CANDIDATES} (default:"
            + " ${DEFAULT-VALUE}, which is the store's guarantee). Applies to append, follow,"
            + " register, long-fork and monotonic."
      })
  private Order order = Order.NONE;

  @Option(
      names = "--ignore-place",
      description = {
        "Ignores :place, the timestamps of transactions, to which monotonic is held: for systems"
            + " with another serial order."
      })
  private boolean ignorePlace;

  @Mixin private OutputOption output = new OutputOption();

  @Override
  public Integer call() {
    CommandLine command = spec.commandLine();
    if (!Files.isReadable(file)) {
      throw new FailedException("cannot read " + file + ": no such file, or no permission");
    }
    List<Operation> operations = OperationReader.read(file);
    if (ignorePlace) {
      operations = operations.stream().map(Operation::withoutPlace).toList();
    }
    if (operations.isEmpty()) {
      throw new FailedException(file + " has no operations, so there is nothing to judge");
    }
    HistoryReport report = HistoryReport.of(workload, operations, order);
    if (report.valid() && report.readsChecked() == 0) {
      throw new FailedException(file + " has no read that can be judged, so it shows nothing");
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
