package org.mortydb.check.jepsen;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.history.Status;
import org.mortydb.protocol.model.TxnId;

/**
 * An operation from its beginning to its end.
 *
 * @param begin how it began
 * @param end how it ended; null if the history ends before
 */
public record Invocation(Operation begin, @Nullable Operation end) {
  private static final long NANOS_PER_MICRO = 1_000;

  /**
   * The operations of a history, those of {@link Operation#NEMESIS} left out, in the order in which
   * they began.
   *
   * @throws MalformedHistoryException when a process begins an operation before its last one ended,
   *     or ends one that it has not begun
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
              "operation %d: process %d begins an operation while another of its own is open"
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

  /** What is done. */
  public String f() {
    return begin.f();
  }

  /** How it ended. */
  public Status status() {
    return switch (end == null ? OperationType.INFO : end.type()) {
      case OK -> Status.COMMITTED;
      case FAIL -> Status.ABORTED;
      case INFO, INVOKE -> Status.UNKNOWN;
    };
  }

  /** Whether it took place for certain. */
  public boolean committed() {
    return status() == Status.COMMITTED;
  }

  /** What came of it if it took place for certain, else what was asked for. */
  public @Nullable Object value() {
    return end != null && committed() ? end.value() : begin.value();
  }

  /** Its place in the serial order, if it took place for certain and that is known; else null. */
  public @Nullable TxnId place() {
    return end != null && committed() ? end.place() : null;
  }

  /** When it began, in microseconds. */
  public long beginMicros() {
    return begin.timeNanos() / NANOS_PER_MICRO;
  }

  /** When its end was known, in microseconds; the end of time if it never was. */
  public long endMicros() {
    return end == null || status() == Status.UNKNOWN
        ? Long.MAX_VALUE
        : end.timeNanos() / NANOS_PER_MICRO;
  }

  /** Its name in explanations: the index of its beginning. */
  public String name() {
    return "T" + begin.index();
  }
}
