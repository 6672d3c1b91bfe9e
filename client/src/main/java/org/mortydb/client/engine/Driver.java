package org.mortydb.client.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Value;

/**
 * The application's side of one transaction: a style of writing transactions is a kind of driver.
 * All methods are called on the engine's thread and do not throw. The driver answers {@link #begin}
 * and {@link #resume} with calls on the {@link Attempt}, at once or later on the same thread, and
 * closes each turn with {@link Attempt#endTurn}.
 *
 * @param <R> what the transaction yields
 */
public interface Driver<R extends @Nullable Object> extends ResultHandler<R> {

  /** Begins, for the first time or, after an attempt that failed, again from the start. */
  void begin(Attempt attempt);

  /**
   * A read is answered, for the first time or, in a higher execution, again: what came after it is
   * dropped.
   *
   * @param execution the execution from now on
   * @param operation the read's place among the execution's operations, from 0
   * @param values one for each key of the read
   */
  void resume(int execution, int operation, List<Value> values);

  /**
   * A scan is answered, as {@link #resume} tells of a read.
   *
   * @param rows the keys that hold something, ascending
   */
  void resumeScan(int execution, int operation, List<Row> rows);

  /**
   * What the current attempt yields if {@code execution} is the one that counts: what was given
   * when it, or else the nearest one before it, asked to commit or to abort.
   */
  @Nullable R yielded(int execution);
}
