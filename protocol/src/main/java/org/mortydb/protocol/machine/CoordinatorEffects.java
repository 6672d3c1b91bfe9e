package org.mortydb.protocol.machine;

import java.util.List;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;

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
   * Asks for {@link Event.Forwarded} until {@link #retire}, for what the client's other
   * transactions write to a key (docs/protocol.md, section 14). A host may ignore it.
   */
  default void follow(Key key) {}

  /**
   * Says that replicas were shown writes of the current execution.
   *
   * @param asked whether they were asked to vote on them: then these are all writes of the
   *     execution, and are forwarded to those who follow their keys
   */
  default void shown(List<Write> writes, boolean asked) {}

  /**
   * Says that all writes that were shown are taken back ahead of an abort, so that those who follow
   * their keys need not wait for its outcome.
   */
  default void withdrawn() {}

  /**
   * Ends the transaction for the application; called exactly once. The coordinator may still work
   * until {@link #retire}: it sends the outcome, or learns it.
   */
  void complete(Completion completion);

  /** The coordinator has no work left. The host may discard it. */
  void retire();
}
