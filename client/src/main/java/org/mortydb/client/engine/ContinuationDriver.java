package org.mortydb.client.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Context;
import org.mortydb.client.Continuation;
import org.mortydb.client.Entry;
import org.mortydb.client.Result;
import org.mortydb.client.Transaction;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Value;

/** Runs a transaction in the continuation-passing style: read unrolling (section 2). */
final class ContinuationDriver<S> implements Driver<S>, Transaction<S> {
  private final S initialState;
  private final TransactionBody<S> body;
  private final ResultHandler<S> handler;

  private @Nullable Attempt attempt;

  /** One for each read of the current execution, in order. */
  private final ArrayList<Checkpoint<S>> checkpoints = new ArrayList<>(4);

  /** How executions of this attempt have ended, in order. */
  private final ArrayList<Ending<S>> endings = new ArrayList<>(1);

  // Of the current execution: operations, keys read and written by them, and bytes written.
  private int operations;
  private int keys;
  private int writtenBytes;

  /** Grows with every turn of every attempt; contexts carry it. */
  private int turn;

  private Progress progress = Progress.OUTSIDE;
  private @Nullable Throwable failure;

  /** The ending that the result comes from, once there is one. */
  private @Nullable Ending<S> decisive;

  /** Where a turn stands. */
  private enum Progress {
    /** No turn is running. */
    OUTSIDE("outside of a turn of its transaction"),
    /** The turn may call on. */
    OPEN("with the context of an earlier turn; use the one that was handed to this turn"),
    /** The turn has ended with a read. */
    READING("after a read in the same turn; go on in the read's continuation, or use getAll"),
    /** The turn has ended with a commit. */
    COMMITTING("after commit"),
    /** The turn has ended with an abort. */
    ABORTING("after abort");

    private final String misuse;

    Progress(String misuse) {
      this.misuse = misuse;
    }
  }

  /** A commit or abort that the application asked for. */
  private record Ending<S>(int execution, S state, @Nullable Consumer<Result<S>> next) {}

  ContinuationDriver(S initialState, TransactionBody<S> body, ResultHandler<S> handler) {
    this.initialState = Objects.requireNonNull(initialState, "initialState");
    this.body = Objects.requireNonNull(body, "body");
    this.handler = Objects.requireNonNull(handler, "handler");
  }

  // ---- turns --------------------------------------------------------------------------------

  @Override
  public void begin(Attempt newAttempt) {
    attempt = newAttempt;
    checkpoints.clear();
    endings.clear();
    decisive = null;
    operations = 0;
    keys = 0;
    writtenBytes = 0;
    TurnContext<S> ctx = openTurn(newAttempt, initialState);
    try {
      body.begin(this, ctx);
    } catch (Throwable e) {
      failure = e;
    }
    closeTurn(newAttempt);
  }

  @Override
  public void resume(int execution, int operation, List<Value> values) {
    resume(operation, (checkpoint, ctx) -> checkpoint.resume(ctx, values));
  }

  @Override
  public void resumeScan(int execution, int operation, List<Row> rows) {
    resume(operation, (checkpoint, ctx) -> checkpoint.resumeScan(ctx, rows));
  }

  private void resume(int operation, BiConsumer<Checkpoint<S>, Context<S>> turnOf) {
    Attempt current = current();
    Checkpoint<S> checkpoint = unrollTo(operation);
    TurnContext<S> ctx = openTurn(current, checkpoint.state);
    try {
      turnOf.accept(checkpoint, ctx);
    } catch (Throwable e) {
      failure = e;
    }
    closeTurn(current);
  }

  private Attempt current() {
    return Objects.requireNonNull(attempt, "the transaction has not begun");
  }

  private Checkpoint<S> unrollTo(int operation) {
    int last = checkpoints.size() - 1;
    while (last >= 0 && checkpoints.get(last).operation > operation) {
      checkpoints.remove(last--);
    }
    if (last < 0 || checkpoints.get(last).operation != operation) {
      throw new IllegalStateException("operation " + operation + " is no read of this execution");
    }
    Checkpoint<S> checkpoint = checkpoints.get(last);
    operations = operation + 1;
    keys = checkpoint.keys;
    writtenBytes = checkpoint.writtenBytes;
    return checkpoint;
  }

  private TurnContext<S> openTurn(Attempt current, S state) {
    turn++;
    progress = Progress.OPEN;
    return new TurnContext<>(current, turn, current.execution(), state);
  }

  private void closeTurn(Attempt current) {
    Progress ended = progress;
    progress = Progress.OUTSIDE;
    if (ended == Progress.OPEN && failure == null) {
      failure =
          new IllegalStateException(
              "a turn of the transaction ended without a read, a commit or an abort, so it would"
                  + " never go on");
    }
    // Only now, so that an exception after the call of commit still aborts.
    Throwable thrown = failure;
    if (thrown != null) {
      current.fail(thrown);
    } else if (ended == Progress.ABORTING) {
      current.abort();
    } else if (ended == Progress.COMMITTING) {
      current.commit();
    }
    current.endTurn();
  }

  // ---- the application's calls --------------------------------------------------------------

  @Override
  public <V> void get(Context<S> ctx, TypedKey<V> key, Continuation<S, @Nullable V> next) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(next, "next");
    if (admits(ctx, "get")) {
      checkpoints.add(
          new Checkpoint.One<>(nextOperation(1), keys, writtenBytes, ctx.state(), key, next));
      progress = Progress.READING;
      current().get(Collections.singletonList(key.key()));
    }
  }

  @Override
  public <V> void getAll(
      Context<S> ctx,
      List<? extends TypedKey<? extends V>> toRead,
      Continuation<S, List<@Nullable V>> next) {
    Objects.requireNonNull(next, "next");
    if (toRead.isEmpty()) {
      throw new IllegalArgumentException("getAll needs at least one key");
    }
    if (admits(ctx, "getAll")) {
      int operation = nextOperation(toRead.size());
      ArrayList<TypedKey<? extends V>> typed = new ArrayList<>(toRead);
      ArrayList<Key> plain = new ArrayList<>(typed.size());
      for (int i = 0; i < typed.size(); i++) {
        plain.add(typed.get(i).key());
      }
      checkpoints.add(
          new Checkpoint.Many<>(operation, keys, writtenBytes, ctx.state(), typed, next));
      progress = Progress.READING;
      current().get(plain);
    }
  }

  @Override
  public <K, V> void scan(
      Context<S> ctx, TypedRange<K, V> range, int limit, Continuation<S, List<Entry<K, V>>> next) {
    Objects.requireNonNull(next, "next");
    if (admits(ctx, "scan")) {
      int scans = 0;
      for (int i = 0; i < checkpoints.size(); i++) {
        scans += checkpoints.get(i) instanceof Checkpoint.Scan ? 1 : 0;
      }
      TransactionLimits.checkScan(current().engine.system(), range.range(), limit, scans);
      checkpoints.add(
          new Checkpoint.Scan<>(nextOperation(1), keys, writtenBytes, ctx.state(), range, next));
      progress = Progress.READING;
      current().scan(range.range(), limit);
    }
  }

  @Override
  public <V> void put(Context<S> ctx, TypedKey<V> key, V value) {
    Objects.requireNonNull(value, "value; use delete to remove a key");
    if (admits(ctx, "put")) {
      write(key.key(), key.encode(value));
    }
  }

  @Override
  public void delete(Context<S> ctx, TypedKey<?> key) {
    if (admits(ctx, "delete")) {
      write(key.key(), Value.ABSENT);
    }
  }

  private void write(Key key, Value value) {
    int bytes = writtenBytes + key.size() + value.size();
    TransactionLimits.checkWritten(key, bytes);
    int unused = nextOperation(1);
    writtenBytes = bytes;
    current().put(key, value);
  }

  @Override
  public void commit(Context<S> ctx) {
    if (admits(ctx, "commit")) {
      end(ctx, null, Progress.COMMITTING);
    }
  }

  @Override
  public void commit(Context<S> ctx, Consumer<Result<S>> next) {
    Objects.requireNonNull(next, "next");
    if (admits(ctx, "commit")) {
      end(ctx, next, Progress.COMMITTING);
    }
  }

  @Override
  public void abort(Context<S> ctx) {
    if (admits(ctx, "abort")) {
      end(ctx, null, Progress.ABORTING);
    }
  }

  private void end(Context<S> ctx, @Nullable Consumer<Result<S>> next, Progress how) {
    endings.add(new Ending<>(current().execution(), ctx.state(), next));
    progress = how;
  }

  /** Counts an operation on some keys; answers its place. */
  private int nextOperation(int keysOfIt) {
    TransactionLimits.checkOperations(keys, keysOfIt);
    keys += keysOfIt;
    return operations++;
  }

  /** Whether a call counts; one that is late does not, and misuse throws. */
  private boolean admits(Context<S> ctx, String call) {
    if (!(ctx instanceof TurnContext<S> own) || own.attempt().transaction.driver != this) {
      throw new IllegalStateException(call + " with a context of another transaction");
    }
    Attempt current = current();
    if (own.turn() == turn && progress == Progress.OPEN) {
      return true;
    }
    boolean late =
        own.attempt() != current
            || own.execution() < current.execution()
            || current.isSuperseded()
            || current.isOver();
    if (!late) {
      throw new IllegalStateException(call + " " + progress.misuse);
    }
    return false;
  }

  // ---- the end ------------------------------------------------------------------------------

  @Override
  public @Nullable S yielded(int execution) {
    for (int i = 0; i < endings.size() && endings.get(i).execution <= execution; i++) {
      decisive = endings.get(i);
    }
    return decisive == null ? null : decisive.state;
  }

  @Override
  public void completed(Result<S> result) {
    Ending<S> ending = decisive == null && !endings.isEmpty() ? endings.getLast() : decisive;
    try {
      if (ending != null && ending.next != null) {
        ending.next.accept(result);
      }
    } finally {
      handler.completed(result);
    }
  }

  @Override
  public void failed(Throwable cause) {
    handler.failed(cause);
  }
}
