package org.mortydb.check.jepsen;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.mortydb.check.anomaly.Anomaly;
import org.mortydb.check.anomaly.Order;
import org.mortydb.check.anomaly.Verdict;

/**
 * The report of a checked history.
 *
 * @param workload the workload of the history
 * @param valid whether a serial order explains it
 * @param committed the operations that succeeded
 * @param failed the operations that failed
 * @param unknown the operations with unknown result
 * @param readsChecked the reads that were compared with their expectation
 * @param readsSkipped the reads about which nothing can be inferred
 * @param violations the number of violations
 * @param anomalies the kinds of the explained violations, by their names in the literature
 * @param explanations the explanations of the first violations
 * @param notChecked the aspects that the check has left out, so that the verdict says nothing of
 *     them
 */
public record HistoryReport(
    String workload,
    boolean valid,
    long committed,
    long failed,
    long unknown,
    long readsChecked,
    long readsSkipped,
    long violations,
    List<String> anomalies,
    List<String> explanations,
    List<String> notChecked) {

  /**
   * Checks a history.
   *
   * @param order the additional order that the serial order must respect
   * @throws MalformedHistoryException if it is a history of another workload, or cannot be checked
   */
  public static HistoryReport of(HistoryCheck workload, List<Operation> operations, Order order) {
    Verdict verdict = workload.check(operations, order);
    Set<Aspect> omitted = workload.omitted(order);
    if (workload == HistoryCheck.MONOTONIC
        && operations.stream().allMatch(o -> o.place() == null)) {
      omitted.add(Aspect.TIMESTAMP_ORDER);
    }
    List<Anomaly> first =
        verdict instanceof Verdict.Violated violated ? violated.first() : List.of();
    return new HistoryReport(
        workload.toString(),
        verdict.isSerializable(),
        count(operations, OperationType.OK),
        count(operations, OperationType.FAIL),
        count(operations, OperationType.INVOKE)
            - count(operations, OperationType.OK)
            - count(operations, OperationType.FAIL),
        verdict.coverage().readsChecked(),
        verdict.coverage().readsSkipped(),
        verdict instanceof Verdict.Violated violated ? violated.violations() : 0,
        first.stream().map(anomaly -> anomaly.kind().label()).distinct().toList(),
        first.stream().map(Anomaly::toString).toList(),
        omitted.stream().map(Aspect::toString).toList());
  }

  private static long count(List<Operation> operations, OperationType type) {
    return operations.stream()
        .filter(o -> o.process() != Operation.NEMESIS && o.type() == type)
        .count();
  }

  /** The promised guarantee; single registers must also respect real time. */
  private String promised() {
    return workload.equals(HistoryCheck.LINEAR.toString()) ? "linearizable" : "serializable";
  }

  /** The report as text of some lines. */
  public String text() {
    StringBuilder text = new StringBuilder();
    explanations.forEach(explanation -> text.append("  ").append(explanation).append('\n'));
    text.append(
        String.format(
            Locale.ROOT,
            "%s: %s (%,d committed, %,d failed, %,d unknown; %,d reads checked, %,d skipped)%n",
            workload,
            valid ? promised() : "NOT %s, %,d violations".formatted(promised(), violations),
            committed,
            failed,
            unknown,
            readsChecked,
            readsSkipped));
    text.append("  not checked: ").append(String.join(", ", notChecked)).append('\n');
    return text.toString();
  }
}
