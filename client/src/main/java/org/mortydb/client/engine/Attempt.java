package org.mortydb.client.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Value;

/**
 * One attempt at a transaction: a coordinator under one timestamp, as the driver sees it. Used on
 * the engine's thread. Calls after the attempt is over do nothing.
 */
public final class Attempt {
  private static final int TIMERS = Timer.values().length;

  final ClientEngine engine;
  final RunningTransaction<?> transaction;
  final CoordinatorMachine coordinator;
  final long timeMicros;
  final long beginMicros;
  private final @Nullable CoordinatorTimer[] timers = new CoordinatorTimer[TIMERS];

  /** The execution that the driver was last told of. */
  private int execution;

  long commitMicros = -1;
  private Will will = Will.COMMIT;
  private @Nullable Throwable failure;

  /** A resume or completion that the coordinator has asked for and the driver has not seen yet. */
  private int resumeExecution = -1;

  private int resumeOperation;
  private @Nullable List<Value> resumeValues;
  private @Nullable List<Row> resumeRows;
  @Nullable Completion completion;
  boolean ready;
  boolean over;
  boolean retired;

  /** What the application wants to become of the attempt. */
  enum Will {
    /** It runs, and means to commit. */
    COMMIT,
    /** It gave up, or its code threw. */
    ABORT,
    /** It wants another attempt. */
    RESTART
  }

  Attempt(
      ClientEngine engine,
      RunningTransaction<?> transaction,
      CoordinatorMachine coordinator,
      long timeMicros,
      long beginMicros) {
    this.engine = engine;
    this.transaction = transaction;
    this.coordinator = coordinator;
    this.timeMicros = timeMicros;
    this.beginMicros = beginMicros;
  }

  /** The execution in whose name calls are made. */
  public int execution() {
    return execution;
  }

  /** Whether the transaction, or this attempt at it, has ended. */
  public boolean isOver() {
    return over || completion != null;
  }

  /** Whether a newer execution than {@link #execution} is about to be resumed. */
  public boolean isSuperseded() {
    return resumeExecution > execution;
  }

  /** Reads keys in parallel; answered by {@link Driver#resume}, never from within. */
  public void get(List<Key> keys) {
    call(new Event.CallGet(execution, keys));
  }

  /** Scans a range; answered by {@link Driver#resumeScan}, never from within. */
  public void scan(KeyRange range, int limit) {
    call(new Event.CallScan(execution, range, limit));
  }

  /**
   * Writes a key; {@link Value#ABSENT} deletes it.
   *
   * @throws IllegalStateException when the transaction is declared to write nothing
   */
  public void put(Key key, Value value) {
    TransactionLimits.checkMayWrite(transaction.options, key);
    call(new Event.CallPut(execution, key, value));
  }

  /** Asks to commit. */
  public void commit() {
    if (commitMicros < 0) {
      commitMicros = engine.nowMicros();
    }
    call(new Event.CallCommit(execution));
  }

  /** Aborts, because the application's code threw. */
  public void fail(Throwable cause) {
    failure = cause;
    abort();
  }

  /** Aborts for good, by the application's will. */
  public void abort() {
    will = Will.ABORT;
    call(new Event.CallAbort(execution));
  }

  /** Aborts, and tries again under a new id, within the bounds of the retry policy. */
  public void restart() {
    will = Will.RESTART;
    call(new Event.CallAbort(execution));
  }

  /** Ends a turn: nothing more is called before the next resume, or for a while. */
  public void endTurn() {
    call(new Event.CallYield(execution));
    engine.deliverReady();
  }

  private void call(Event event) {
    if (!isOver()) {
      engine.step(this, event);
    }
  }

  // ---- for the engine -----------------------------------------------------------------------

  Will will() {
    return will;
  }

  @Nullable Throwable failure() {
    return failure;
  }

  boolean mayTryAgain(AbortReason reason) {
    return switch (will) {
      case COMMIT -> reason.retryable();
      case RESTART -> true;
      case ABORT -> false;
    };
  }

  void queueResume(int newExecution, int operation, List<Value> values) {
    resumeExecution = newExecution;
    resumeOperation = operation;
    resumeValues = values;
    resumeRows = null;
  }

  void queueResumeScan(int newExecution, int operation, List<Row> rows) {
    resumeExecution = newExecution;
    resumeOperation = operation;
    resumeRows = rows;
    resumeValues = null;
  }

  void deliverResume() {
    List<Value> values = resumeValues;
    List<Row> rows = resumeRows;
    if (values == null && rows == null) {
      return;
    }
    resumeValues = null;
    resumeRows = null;
    if (resumeExecution > execution) {
      execution = resumeExecution;
    }
    if (values != null) {
      transaction.driver.resume(execution, resumeOperation, values);
    } else if (rows != null) {
      transaction.driver.resumeScan(execution, resumeOperation, rows);
    }
  }

  CoordinatorTimer timer(Timer name) {
    CoordinatorTimer timer = timers[name.ordinal()];
    if (timer == null) {
      timer = new CoordinatorTimer(name);
      timers[name.ordinal()] = timer;
    }
    return timer;
  }

  void cancelTimer(Timer name) {
    CoordinatorTimer timer = timers[name.ordinal()];
    if (timer != null) {
      engine.cancel(timer);
    }
  }

  void cancelTimers() {
    for (CoordinatorTimer timer : timers) {
      if (timer != null) {
        engine.cancel(timer);
      }
    }
  }

  /** A timer of the coordinator. */
  final class CoordinatorTimer extends EngineTimer {
    private final Event fired;

    CoordinatorTimer(Timer name) {
      fired = new Event.TimerFired(name);
    }

    @Override
    void fire() {
      if (!retired) {
        engine.step(Attempt.this, fired);
      }
    }
  }
}
