package org.mortydb.protocol.machine;

import java.util.List;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Value;

/** What a coordinator can ask of its host beyond {@link Effects}. */
public interface CoordinatorEffects extends Effects {

  /**
   * Continues the application after a read, for the first time or again. On a later execution the
   * driver forgets every checkpoint after {@code operation} and calls its continuation once more.
   *
   * @param execution the execution from now on
   * @param operation the place of the read among the execution's operations (reads and writes alike
   *     count, from 0)
   * @param values one for each key of the read, in the order asked
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
   * Ends the transaction for the application; called exactly once. The coordinator may still be at
   * work (telling the outcome, or learning it) until {@link #retire}.
   */
  void complete(Completion completion);

  /** Nothing is left to do for this transaction: the host may forget the machine. */
  void retire();
}
