package org.mortydb.client.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
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
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.system.TransactionSystem;

/** Runs a transaction in the continuation-passing style: read unrolling (section 2). */
final class ContinuationDriver<S> implements Driver<S>, Transaction<S> {
  private final TransactionSystem system;
  private final S initialState;
  private final TransactionBody<S> body;
  private final ResultHandler<S> handler;

  private @Nullable Attempt attempt;
  private int attempts;

  /** How executions of this attempt have ended, in order. */
  private final ArrayList<Ending<S>> endings = new ArrayList<>(1);

  // Of the current execution: keys read and written, scans, and bytes written.
  private int keys;
  private int scans;
  private int writtenBytes;

  /** The bytes of merges among them. */
  private int mergedBytes;

  /** The number of the current turn, counted over all attempts; contexts carry it. */
  private int turn;

  private Progress progress = Progress.OUTSIDE;

  /** The thread that runs the current turn, or ran the last one. */
  private @Nullable Thread thread;

  /** The read that the current turn ends with; null if it has asked for none. */
  private @Nullable Consumer<Attempt> read;

  /** The ending that the result comes from, once there is one. */
  private @Nullable Ending<S> decisive;

  /** Where a turn stands. */
  private enum Progress {
    /** No turn is running. */
    OUTSIDE("outside of a turn of its transaction"),
    /** The turn may make calls. */
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

  /**
   * Application state before a read, from which the read's continuation runs, once or again.
   *
   * @param keys keys read and written, including the read's own
   * @param scans scans, including the read itself if it is one
   * @param writtenBytes bytes written
   * @param mergedBytes bytes of merges among them
   */
  private record Checkpoint<S>(S state, int keys, int scans, int writtenBytes, int mergedBytes) {}

  ContinuationDriver(
      TransactionSystem system, S initialState, TransactionBody<S> body, ResultHandler<S> handler) {
    this.system = system;
    this.initialState = Objects.requireNonNull(initialState, "initialState");
    this.body = Objects.requireNonNull(body, "body");
    this.handler = Objects.requireNonNull(handler, "handler");
  }

  // ---- turns --------------------------------------------------------------------------------

  @Override
  public void begin(Attempt newAttempt) {
    attempt = newAttempt;
    attempts++;
    endings.clear();
    decisive = null;
    keys = 0;
    scans = 0;
    writtenBytes = 0;
    mergedBytes = 0;
    turn(initialState, ctx -> body.begin(this, ctx));
  }

  /** The application as it stands after it has asked for a read. */
  private Checkpoint<S> checkpoint(Context<S> ctx) {
    return new Checkpoint<>(ctx.state(), keys, scans, writtenBytes, mergedBytes);
  }

  private void resume(Checkpoint<S> checkpoint, Consumer<Context<S>> code) {
    keys = checkpoint.keys;
    scans = checkpoint.scans;
    writtenBytes = checkpoint.writtenBytes;
    mergedBytes = checkpoint.mergedBytes;
    turn(checkpoint.state, code);
  }

  private void turn(S state, Consumer<Context<S>> code) {
    Attempt current = current();
    turn++;
    progress = Progress.OPEN;
    thread = Thread.currentThread();
    Throwable thrown = null;
    try {
      code.accept(new TurnContext<>(this, current, turn, current.execution(), state));
    } catch (Throwable e) {
      thrown = e;
    }
    Progress ended = progress;
    progress = Progress.OUTSIDE;
    Consumer<Attempt> next = read;
    read = null;
    if (thrown == null && ended == Progress.OPEN) {
      thrown =
          new IllegalStateException(
              "a turn of the transaction ended without a read, a commit or an abort, so the"
                  + " transaction would never end: end every path of the turn with one of them");
    }
    // Only now, so that an exception after the call of commit still aborts, and one after the call
    // of a read leaves a continuation that never runs.
    if (thrown != null) {
      current.fail(thrown);
    } else if (ended == Progress.ABORTING) {
      current.abort();
    } else if (ended == Progress.COMMITTING) {
      current.commit();
    } else if (next != null) {
      next.accept(current);
    }
    current.endTurn();
  }

  private Attempt current() {
    return Objects.requireNonNull(attempt, "the transaction has not begun");
  }

  // ---- the application's calls --------------------------------------------------------------

  @Override
  public int attempt() {
    return attempts;
  }

  @Override
  public <V> void get(Context<S> ctx, TypedKey<V> key, Continuation<S, @Nullable V> next) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(next, "next");
    if (admits(ctx, "get")) {
      count(1);
      List<Key> plain = Collections.singletonList(key.key());
      Checkpoint<S> checkpoint = checkpoint(ctx);
      endWith(
          attempt ->
              attempt.get(
                  plain,
                  values ->
                      resume(checkpoint, to -> next.resume(to, key.decode(values.getFirst())))));
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
      ArrayList<TypedKey<? extends V>> typed = new ArrayList<>(toRead);
      ArrayList<Key> plain = new ArrayList<>(typed.size());
      for (int i = 0; i < typed.size(); i++) {
        plain.add(typed.get(i).key());
      }
      count(plain.size());
      Checkpoint<S> checkpoint = checkpoint(ctx);
      endWith(
          attempt ->
              attempt.get(
                  plain,
                  values -> resume(checkpoint, to -> next.resume(to, decode(typed, values)))));
    }
  }

  private static <V> List<@Nullable V> decode(
      List<? extends TypedKey<? extends V>> typed, List<Value> values) {
    @SuppressWarnings("unchecked") // the array never leaves as an array
    @Nullable V[] decoded = (V[]) new Object[typed.size()];
    for (int i = 0; i < decoded.length; i++) {
      decoded[i] = typed.get(i).decode(values.get(i));
    }
    List<@Nullable V> list = Arrays.asList(decoded);
    return Collections.unmodifiableList(list);
  }

  @Override
  public <K, V> void scan(
      Context<S> ctx, TypedRange<K, V> range, int limit, Continuation<S, List<Entry<K, V>>> next) {
    Objects.requireNonNull(next, "next");
    if (admits(ctx, "scan")) {
      TransactionLimits.checkScan(system, range.range(), limit, scans);
      count(1);
      scans++;
      Checkpoint<S> checkpoint = checkpoint(ctx);
      endWith(
          attempt ->
              attempt.scan(
                  range.range(),
                  limit,
                  rows -> resume(checkpoint, to -> next.resume(to, range.decode(rows)))));
    }
  }

  /** Ends the turn with a read, which is asked for once the code of the turn has returned. */
  private void endWith(Consumer<Attempt> asked) {
    progress = Progress.READING;
    read = asked;
  }

  @Override
  public <V> void put(Context<S> ctx, TypedKey<V> key, V value) {
    Objects.requireNonNull(value, "value; use delete to remove a key");
    if (admits(ctx, "put")) {
      write(key.key(), key.encode(value));
    }
  }

  @Override
  public void add(Context<S> ctx, TypedKey<Long> key, long n) {
    merge(ctx, key, TypedKey.add(key, n));
  }

  @Override
  public void max(Context<S> ctx, TypedKey<Long> key, long n) {
    merge(ctx, key, TypedKey.max(key, n));
  }

  @Override
  public <V> void putIfAbsent(Context<S> ctx, TypedKey<V> key, V value) {
    merge(ctx, key, TypedKey.putIfAbsent(key, value));
  }

  @Override
  public <T> void append(Context<S> ctx, TypedKey<List<T>> key, T item, int atMost) {
    merge(ctx, key, TypedKey.append(key, item, atMost));
  }

  private void merge(Context<S> ctx, TypedKey<?> key, Value merge) {
    if (!system.merges()) {
      throw new UnsupportedOperationException(
          "the system " + system.name() + " has no merges: get and put " + key);
    }
    if (admits(ctx, "merge")) {
      TransactionLimits.checkMerged(key.key(), mergedBytes + merge.size());
      write(key.key(), merge);
      mergedBytes += merge.size();
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
    count(1);
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

  /** Counts an operation on some keys. */
  private void count(int keysOfIt) {
    TransactionLimits.checkOperations(keys, keysOfIt);
    keys += keysOfIt;
  }

  /** Whether a call counts: a call that is late does not. Misuse throws. */
  private boolean admits(Context<S> ctx, String call) {
    if (!(ctx instanceof TurnContext<S> own) || own.transaction() != this) {
      throw new IllegalStateException(call + " with a context of another transaction");
    }
    Attempt current = current();
    if (own.turn() == turn && progress == Progress.OPEN) {
      if (!Thread.currentThread().equals(thread)) {
        throw new IllegalStateException(
            call + " by another thread; make the calls of a turn on the thread that runs it");
      }
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
