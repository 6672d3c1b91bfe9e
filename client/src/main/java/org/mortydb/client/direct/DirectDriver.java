package org.mortydb.client.direct;

import java.util.ArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Result;
import org.mortydb.client.engine.Attempt;
import org.mortydb.client.engine.Driver;
import org.mortydb.protocol.model.KeyRange;

/**
 * The engine's side of a transaction in the direct style; used on the engine's thread. The body's
 * thread runs ahead of the mail that it has read. So its calls carry the attempt and execution that
 * they belong to, and are dropped here when these are over.
 */
final class DirectDriver<R extends @Nullable Object> implements Driver<R> {

  /**
   * The value that the body returned in an execution.
   *
   * @param value null after an abort
   */
  private record Yield<R extends @Nullable Object>(int execution, @Nullable R value) {}

  private final Consumer<Mail<R>> mailbox;
  private final ArrayList<Yield<R>> yields = new ArrayList<>(1);
  private @Nullable Attempt attempt;
  private int attempts;

  DirectDriver(Consumer<Mail<R>> mailbox) {
    this.mailbox = mailbox;
  }

  @Override
  public void begin(Attempt newAttempt) {
    attempt = newAttempt;
    attempts++;
    yields.clear();
    mailbox.accept(new Mail.Begun<>(attempts));
    // The body has called nothing yet, but the deadline starts to run.
    newAttempt.endTurn();
  }

  /** The attempt, if a call in the name of the given attempt and execution still counts. */
  private @Nullable Attempt current(int attemptNumber, int execution) {
    Attempt current = attempt;
    boolean counts =
        current != null
            && attemptNumber == attempts
            && execution == current.execution()
            && !current.isSuperseded()
            && !current.isOver();
    return counts ? current : null;
  }

  void read(int attemptNumber, int execution, ReplayLog.Batch batch) {
    Attempt current = current(attemptNumber, execution);
    if (current != null) {
      write(current, batch);
      int place = current.operations();
      current.get(
          batch.reads(),
          values -> mailbox.accept(new Mail.Resumed<>(current.execution(), place, values)));
      current.endTurn();
    }
  }

  void scan(int attemptNumber, int execution, ReplayLog.Batch batch, KeyRange range, int limit) {
    Attempt current = current(attemptNumber, execution);
    if (current != null) {
      write(current, batch);
      int place = current.operations();
      current.scan(
          range,
          limit,
          rows -> mailbox.accept(new Mail.Scanned<>(current.execution(), place, rows)));
      current.endTurn();
    }
  }

  void commit(int attemptNumber, int execution, ReplayLog.Batch batch, R value) {
    Attempt current = current(attemptNumber, execution);
    if (current != null) {
      write(current, batch);
      yields.add(new Yield<>(execution, value));
      current.commit();
      current.endTurn();
    }
  }

  private static void write(Attempt current, ReplayLog.Batch batch) {
    current.checkOperations(batch.place());
    for (ReplayLog.Write write : batch.writes()) {
      current.put(write.key(), write.value());
    }
  }

  void abort(int attemptNumber, int execution) {
    Attempt current = current(attemptNumber, execution);
    if (current != null) {
      yields.add(new Yield<>(execution, null));
      current.abort();
      current.endTurn();
    }
  }

  void fail(int attemptNumber, int execution, Throwable cause) {
    Attempt current = current(attemptNumber, execution);
    if (current != null) {
      current.fail(cause);
      current.endTurn();
    }
  }

  void restart(int attemptNumber, int execution) {
    Attempt current = current(attemptNumber, execution);
    if (current != null) {
      current.restart();
      current.endTurn();
    }
  }

  @Override
  public @Nullable R yielded(int execution) {
    @Nullable R value = null;
    for (Yield<R> yield : yields) {
      if (yield.execution <= execution) {
        value = yield.value;
      }
    }
    return value;
  }

  @Override
  public void completed(Result<R> result) {
    mailbox.accept(new Mail.Completed<>(result));
  }

  @Override
  public void failed(Throwable cause) {
    mailbox.accept(new Mail.Failed<>(cause));
  }
}
