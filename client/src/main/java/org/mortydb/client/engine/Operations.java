package org.mortydb.client.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Value;

/**
 * The operations of an attempt's current execution, in the order in which the driver asked for
 * them, each with the code that its answer goes to. The coordinator keeps the same operations under
 * the same places. Every answer is compared with this record, so a difference between the two is
 * found with the first answer after it.
 *
 * <p>An answer under a higher execution drops the operations after the one that it answers: this is
 * read unrolling as the driver sees it.
 */
final class Operations {

  private sealed interface Operation {}

  private record Read(int keys, Consumer<List<Value>> then) implements Operation {
    @Override
    public String toString() {
      return "read of " + keys;
    }
  }

  private record Scan(Consumer<List<Row>> then) implements Operation {
    @Override
    public String toString() {
      return "scan";
    }
  }

  private enum Write implements Operation {
    WRITE;

    @Override
    public String toString() {
      return "write";
    }
  }

  /** Names the attempt in error messages. */
  private final Object attempt;

  private final ArrayList<Operation> operations = new ArrayList<>(8);
  private int execution;

  Operations(Object attempt) {
    this.attempt = attempt;
  }

  /** How many operations there are; the next one gets this place. */
  int size() {
    return operations.size();
  }

  /** The newest execution that the coordinator has answered in, from 0. */
  int execution() {
    return execution;
  }

  /** Appends a parallel read. */
  void addRead(int keys, Consumer<List<Value>> then) {
    operations.add(new Read(keys, then));
  }

  /** Appends a scan. */
  void addScan(Consumer<List<Row>> then) {
    operations.add(new Scan(then));
  }

  /** Appends a write. */
  void addWrite() {
    operations.add(Write.WRITE);
  }

  /**
   * Accepts the answer to a read.
   *
   * @param inExecution the execution from now on
   * @param place the place of the read
   * @return the code that the values go to
   * @throws IllegalStateException when no read of so many keys can be answered at this place
   */
  Consumer<List<Value>> answerRead(int inExecution, int place, int values) {
    if (answerable(inExecution, place) instanceof Read read && read.keys == values) {
      unrollTo(inExecution, place);
      return read.then;
    }
    throw mismatch("answered operation " + place + " as a read of " + values, inExecution);
  }

  /** Accepts the answer to a scan, as {@link #answerRead} does to a read. */
  Consumer<List<Row>> answerScan(int inExecution, int place) {
    if (answerable(inExecution, place) instanceof Scan scan) {
      unrollTo(inExecution, place);
      return scan.then;
    }
    throw mismatch("answered operation " + place + " as a scan", inExecution);
  }

  /**
   * The operation at a place; a write, which has no answer, where none can be answered. Within an
   * execution only the last operation can wait for an answer.
   */
  private Operation answerable(int inExecution, int place) {
    int last = operations.size() - 1;
    boolean answerable =
        inExecution > execution
            ? place >= 0 && place <= last
            : inExecution == execution && place == last && last >= 0;
    return answerable ? operations.get(place) : Write.WRITE;
  }

  private void unrollTo(int newExecution, int place) {
    execution = newExecution;
    operations.subList(place + 1, operations.size()).clear();
  }

  /**
   * Checks that a driver with a record of its own has as many operations.
   *
   * @throws IllegalStateException when it has not
   */
  void checkSize(int ofDriver) {
    if (ofDriver != operations.size()) {
      throw mismatch("was called by a driver that has " + ofDriver + " operations", execution);
    }
  }

  private IllegalStateException mismatch(String what, int inExecution) {
    StringBuilder message = new StringBuilder();
    message.append(attempt).append(' ').append(what).append(" in execution ").append(inExecution);
    message.append(", but execution ").append(execution).append(" of the client has");
    for (int i = 0; i < operations.size(); i++) {
      message.append(i == 0 ? " " : ", ").append(i).append(": ").append(operations.get(i));
    }
    return new IllegalStateException(
        message.append(operations.isEmpty() ? " no operations" : "").toString());
  }
}
