package org.mortydb.client.direct;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.ClientClosedException;
import org.mortydb.client.DirectBody;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.Entry;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.client.engine.ClientEngine;
import org.mortydb.client.engine.TransactionLimits;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Value;

/**
 * One call of {@link org.mortydb.client.Client#run}: the body's side, on the calling thread. It
 * sends tasks to the engine's thread and receives mail from there. It reads its mail whenever the
 * body calls or waits. How it waits is the matter of its {@link BodyThread}, so the simulator runs
 * this class in virtual time.
 *
 * @param <R> the type of the body's result
 */
public final class DirectRun<R extends @Nullable Object> implements DirectTransaction {
  private static final ThreadLocal<Boolean> WITHIN = new ThreadLocal<>();

  private final ClientEngine engine;
  private final BodyThread thread;
  private final TransactionOptions options;
  private final DirectBody<R> body;
  private final Thread caller = Thread.currentThread();
  private final ConcurrentLinkedQueue<Mail<R>> mailbox = new ConcurrentLinkedQueue<>();
  private final DirectDriver<R> driver = new DirectDriver<>(this::deliver);
  private final ReplayLog log = new ReplayLog();

  private int attempt;
  private int execution;

  /** Whether the body has to run again, because the log has changed under its current run. */
  private boolean superseded;

  /** Whether the body has aborted in its current run, so that nothing else of it counts. */
  private boolean aborted;

  /** Whether the read that the body waits for has its answer. */
  private boolean answered;

  private @Nullable Result<R> result;
  private @Nullable Throwable failure;
  private boolean returned;

  private DirectRun(
      ClientEngine engine, BodyThread thread, TransactionOptions options, DirectBody<R> body) {
    this.engine = engine;
    this.thread = thread;
    this.options = Objects.requireNonNull(options, "options");
    this.body = Objects.requireNonNull(body, "body");
  }

  /**
   * Runs a transaction, as described at {@link org.mortydb.client.Client#run}.
   *
   * @param engineThread runs tasks one by one, in order, on the engine's thread, which is not the
   *     calling thread
   * @throws IllegalStateException when called within a transaction in the direct style
   */
  public static <R extends @Nullable Object> Result<R> run(
      ClientEngine engine, Executor engineThread, TransactionOptions options, DirectBody<R> body) {
    return run(engine, new ParkedThread(engineThread), options, body);
  }

  /**
   * Runs a transaction as {@link #run(ClientEngine, Executor, TransactionOptions, DirectBody)}
   * does.
   *
   * @param thread the calling thread
   */
  public static <R extends @Nullable Object> Result<R> run(
      ClientEngine engine, BodyThread thread, TransactionOptions options, DirectBody<R> body) {
    if (WITHIN.get() != null) {
      throw new IllegalStateException(
          "a transaction's body began another transaction, which is an outside effect: run it"
              + " after the first one has ended");
    }
    WITHIN.set(true);
    try {
      return new DirectRun<>(engine, thread, options, body).run();
    } finally {
      WITHIN.remove();
    }
  }

  // ---- runs of the body ---------------------------------------------------------------------

  private Result<R> run() {
    post(() -> engine.drive(options, driver));
    try {
      awaitChange();
      while (!hasEnded()) {
        superseded = false;
        aborted = false;
        log.rewind();
        runOnce();
        awaitChange();
      }
    } finally {
      returned = true;
    }
    if (failure != null) {
      throw DirectRun.<RuntimeException>asThrown(failure);
    }
    return Objects.requireNonNull(result);
  }

  private void runOnce() {
    try {
      R value = body.run(this);
      if (log.hasBegunReads()) {
        awaitReads();
      }
      checkPath();
      ReplayLog.Batch batch = log.take();
      int a = attempt;
      int e = execution;
      post(() -> driver.commit(a, e, batch, value));
    } catch (Unwind unwind) {
      // The mail says what to do next.
    } catch (Throwable thrown) {
      if (superseded || aborted) {
        // The run is over. The body has put its own exception in place of the unwinding.
      } else if (log.hasDiverged()) {
        restart(); // what the body saw was not what the coordinator knows
      } else {
        fail(thrown);
      }
    }
  }

  /** Gives the attempt up. */
  private void restart() {
    int a = attempt;
    int e = execution;
    post(() -> driver.restart(a, e));
  }

  private void fail(Throwable thrown) {
    int a = attempt;
    int e = execution;
    post(() -> driver.fail(a, e, thrown));
  }

  private boolean hasEnded() {
    return result != null || failure != null;
  }

  /** Waits until the body has to run again, or until the transaction has ended. */
  private void awaitChange() {
    while (!superseded && !hasEnded()) {
      try {
        awaitMail();
      } catch (IllegalStateException defect) { // the log does not match the answer
        fail(defect);
      }
    }
  }

  /** Sends the gathered operations, and waits for the reads among them. */
  private void awaitReads() {
    checkPath();
    ReplayLog.Batch batch = log.take();
    int a = attempt;
    int e = execution;
    post(() -> driver.read(a, e, batch));
    awaitAnswer();
  }

  private void awaitAnswer() {
    answered = false;
    while (!answered) {
      awaitMail();
      checkCounts();
    }
  }

  /** Gives the attempt up if the body does not repeat the operations that the coordinator keeps. */
  private void checkPath() {
    checkCounts();
    if (log.hasDiverged()) {
      restart();
      throw Unwind.UNWIND;
    }
  }

  /** Leaves the body if its current run is superseded or over, or the transaction has ended. */
  private void checkCounts() {
    readMail();
    if (superseded || aborted || hasEnded()) {
      throw Unwind.UNWIND;
    }
  }

  // ---- talking to the engine's thread -------------------------------------------------------

  private void post(Runnable task) {
    try {
      thread.tellEngine(() -> engine.perform(task));
    } catch (RejectedExecutionException e) {
      readMail();
      if (!hasEnded()) {
        failure = new ClientClosedException("the client is closed");
      }
    }
  }

  private void deliver(Mail<R> mail) {
    mailbox.add(mail);
    thread.wake();
  }

  private void awaitMail() {
    if (!hasEnded()) {
      thread.await(() -> !mailbox.isEmpty());
    }
    readMail();
  }

  private void readMail() {
    for (Mail<R> mail = mailbox.poll(); mail != null; mail = mailbox.poll()) {
      switch (mail) {
        case Mail.Begun<R>(int number) -> {
          attempt = number;
          execution = 0;
          log.reset();
          superseded = true;
        }
        case Mail.Resumed<R> resumed -> onResumed(resumed);
        case Mail.Scanned<R> scanned -> onScanned(scanned);
        case Mail.Completed<R>(Result<R> completed) -> result = completed;
        case Mail.Failed<R>(Throwable cause) -> failure = cause;
      }
    }
  }

  private void onResumed(Mail.Resumed<R> resumed) {
    if (resumed.execution() == execution) {
      log.answer(resumed.operation(), resumed.values());
      answered = true;
    } else {
      execution = resumed.execution();
      log.unroll(resumed.operation(), resumed.values());
      superseded = true;
    }
  }

  private void onScanned(Mail.Scanned<R> scanned) {
    if (scanned.execution() == execution) {
      log.answerScan(scanned.operation(), scanned.rows());
      answered = true;
    } else {
      execution = scanned.execution();
      log.unrollScan(scanned.operation(), scanned.rows());
      superseded = true;
    }
  }

  // ---- the body's calls ---------------------------------------------------------------------

  private void enter() {
    if (returned || !caller.equals(Thread.currentThread())) {
      throw new IllegalStateException(
          "a transaction in the direct style was used outside of its body, or by another thread:"
              + " use it only on the thread that runs the body, while the body runs");
    }
    checkCounts();
  }

  @Override
  public int attempt() {
    enter();
    return attempt;
  }

  @Override
  public <V> @Nullable V get(TypedKey<V> key) {
    return getAsync(key).await();
  }

  @Override
  public <V> List<@Nullable V> getAll(List<? extends TypedKey<? extends V>> keys) {
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("getAll needs at least one key");
    }
    ArrayList<PendingRead<? extends V>> pending = new ArrayList<>(keys.size());
    for (TypedKey<? extends V> key : keys) {
      pending.add(getAsync(key));
    }
    ArrayList<@Nullable V> values = new ArrayList<>(keys.size());
    for (PendingRead<? extends V> read : pending) {
      values.add(read.await());
    }
    return Collections.unmodifiableList(values);
  }

  @Override
  public <K, V> List<Entry<K, V>> scan(TypedRange<K, V> range, int limit) {
    enter();
    TransactionLimits.checkScan(engine.system(), range.range(), limit, log.scans());
    List<Row> rows = log.replayScan(range.range(), limit);
    if (rows == null) {
      if (log.hasBegunReads()) {
        awaitReads();
      }
      checkPath();
      ReplayLog.Batch batch = log.takeScan(range.range(), limit);
      int a = attempt;
      int e = execution;
      post(() -> driver.scan(a, e, batch, range.range(), limit));
      awaitAnswer();
      rows = log.lastScan();
    }
    return range.decode(rows);
  }

  @Override
  public <V> PendingRead<V> getAsync(TypedKey<V> key) {
    enter();
    Value seen = log.seen(key.key());
    if (seen != null) {
      return () -> {
        enter();
        return key.decode(seen);
      };
    }
    if (log.mergesAfterReads(key.key())) {
      awaitReads();
    }
    log.begin(key.key());
    return () -> key.decode(await(key.key()));
  }

  private Value await(Key key) {
    enter();
    Value stored = log.stored(key);
    if (stored == null) {
      log.begin(key);
      awaitReads();
      stored = Objects.requireNonNull(log.stored(key));
    }
    return stored;
  }

  @Override
  public <V> void put(TypedKey<V> key, V value) {
    Objects.requireNonNull(value, "value; use delete to remove a key");
    enter();
    TransactionLimits.checkMayWrite(options, key.key());
    log.write(key.key(), key.encode(value));
  }

  @Override
  public void add(TypedKey<Long> key, long n) {
    Value merge = TypedKey.add(key, n);
    if (mayMerge(key.key())) {
      log.write(key.key(), merge);
    } else {
      DirectTransaction.super.add(key, n);
    }
  }

  @Override
  public void max(TypedKey<Long> key, long n) {
    Value merge = TypedKey.max(key, n);
    if (mayMerge(key.key())) {
      log.write(key.key(), merge);
    } else {
      DirectTransaction.super.max(key, n);
    }
  }

  @Override
  public <V> void putIfAbsent(TypedKey<V> key, V value) {
    Value merge = TypedKey.putIfAbsent(key, value);
    if (mayMerge(key.key())) {
      log.write(key.key(), merge);
    } else {
      DirectTransaction.super.putIfAbsent(key, value);
    }
  }

  @Override
  public <T> void append(TypedKey<List<T>> key, T item, int atMost) {
    Value merge = TypedKey.append(key, item, atMost);
    if (mayMerge(key.key())) {
      log.write(key.key(), merge);
    } else {
      DirectTransaction.super.append(key, item, atMost);
    }
  }

  /** Whether to merge into a key; a key that the body has read or put is put instead. */
  private boolean mayMerge(Key key) {
    enter();
    TransactionLimits.checkMayWrite(options, key);
    return engine.system().merges() && log.mayMerge(key);
  }

  @Override
  public void delete(TypedKey<?> key) {
    enter();
    TransactionLimits.checkMayWrite(options, key.key());
    log.write(key.key(), Value.ABSENT);
  }

  @Override
  public Error abort() {
    enter();
    checkPath();
    int a = attempt;
    int e = execution;
    post(() -> driver.abort(a, e));
    aborted = true;
    throw Unwind.UNWIND;
  }

  /** Throws the exception that the body threw, checked or not. */
  @SuppressWarnings("unchecked")
  private static <T extends Throwable> T asThrown(Throwable thrown) throws T {
    throw (T) thrown;
  }
}
