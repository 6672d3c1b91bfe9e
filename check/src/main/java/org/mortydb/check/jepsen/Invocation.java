package org.mortydb.check.jepsen;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.history.Status;
import org.mortydb.protocol.model.TxnId;

/**
 * An operation with its begin and its end.
 *
 * @param begin the entry of its begin
 * @param end the entry of its end; null if the history ends before
 */
public record Invocation(Operation begin, @Nullable Operation end) {
  private static final long NANOS_PER_MICRO = 1_000;

  /**
   * The operations of a history in the order of their begins, without those of {@link
   * Operation#NEMESIS}.
   *
   * @throws MalformedHistoryException if a process begins an operation before the end of its
   *     previous one, or ends an operation that it has not begun
   */
  public static List<Invocation> of(List<Operation> operations) {
    List<Invocation> invocations = new ArrayList<>();
    Map<Integer, Integer> open = new HashMap<>();
    for (Operation operation : operations) {
      int process = operation.process();
      if (process == Operation.NEMESIS) {
        continue;
      }
      if (operation.type() == OperationType.INVOKE) {
        if (open.put(process, invocations.size()) != null) {
          throw new MalformedHistoryException(
              "operation %d: process %d begins an operation before the end of its previous one"
                  .formatted(operation.index(), process));
        }
        invocations.add(new Invocation(operation, null));
      } else {
        Integer begun = open.remove(process);
        if (begun == null) {
          throw new MalformedHistoryException(
              "operation %d: process %d ends an operation that it has not begun"
                  .formatted(operation.index(), process));
        }
        invocations.set(begun, new Invocation(invocations.get(begun).begin, operation));
      }
    }
    return invocations;
  }

  /** The function of the operation. */
  public String f() {
    return begin.f();
  }

  /** The outcome. */
  public Status status() {
    return switch (end == null ? OperationType.INFO : end.type()) {
      case OK -> Status.COMMITTED;
      case FAIL -> Status.ABORTED;
      case INFO, INVOKE -> Status.UNKNOWN;
    };
  }

  /** Whether it certainly succeeded. */
  public boolean committed() {
    return status() == Status.COMMITTED;
  }

  /** The result of a successful operation; otherwise the request. */
  public @Nullable Object value() {
    return end != null && committed() ? end.value() : begin.value();
  }

  /** The serial position of a successful operation; null if unknown. */
  public @Nullable TxnId place() {
    return end != null && committed() ? end.place() : null;
  }

  /** Its begin, in microseconds. */
  public long beginMicros() {
    return begin.timeNanos() / NANOS_PER_MICRO;
  }

  /** Its end, in microseconds; {@link Long#MAX_VALUE} if its result is unknown. */
  public long endMicros() {
    return end == null || status() == Status.UNKNOWN
        ? Long.MAX_VALUE
        : end.timeNanos() / NANOS_PER_MICRO;
  }

  /** Its name in explanations, with the index of its begin. */
  public String name() {
    return "T" + begin.index();
  }
}
