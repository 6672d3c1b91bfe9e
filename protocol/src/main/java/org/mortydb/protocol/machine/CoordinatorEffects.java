package org.mortydb.protocol.machine;

import java.util.List;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Value;

/** The effects that only coordinators have. */
public interface CoordinatorEffects extends Effects {

  /**
   * Continues the application after a read. If the execution is a later one, the driver discards
   * every checkpoint after {@code operation} and calls the read's continuation again.
   *
   * @param execution the current execution from now on
   * @param operation the read's place among the operations of the execution, from 0; writes count
   *     too
   * @param values one value for each key of the read, in the order of the call
   */
  void resume(int execution, int operation, List<Value> values);

  /**
   * Continues the application after a scan, as {@link #resume} does after a read.
   *
   * @param rows the keys of the range that have a value, ascending, up to the limit
   */
  void resumeScan(int execution, int operation, List<Row> rows);

  /**
   * Asks for one {@link Event.BatchEnded}, after the messages that have arrived together with the
   * current one. Asking twice before it comes is the same as asking once.
   */
  void awaitBatchEnd();

  /**
   * Ends the transaction for the application; called exactly once. The coordinator may still work
   * until {@link #retire}: it sends the outcome, or learns it.
   */
  void complete(Completion completion);

  /** The coordinator has no work left. The host may discard it. */
  void retire();
}
