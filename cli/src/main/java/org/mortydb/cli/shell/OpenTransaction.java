package org.mortydb.cli.shell;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.shell.Statement.Get;
import org.mortydb.cli.shell.Statement.Merge;
import org.mortydb.cli.shell.Statement.Operation;
import org.mortydb.client.Client;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.Result;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionInfo;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.WriteDurability;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.model.Value;

/**
 * A transaction whose statements a person types one by one.
 *
 * <p>A body in the direct style runs on a thread of its own and waits for statements. When a read
 * becomes stale or the attempt fails, the body runs again from its start. It repeats all statements
 * so far, compares their reads with what was shown, reports each difference, and waits for the next
 * statement. So the person never types a statement twice. While the body waits, it checks ten times
 * per second whether it is still valid, so that changes are reported as they happen.
 *
 * <p>Replicas discard outcomes after a while ({@code retention}), and no client may wait longer for
 * one. So a run of the transaction gets less time than that. Then a new run replaces it and repeats
 * all statements.
 *
 * <p>Used by one thread; the listener is called on the body's thread.
 */
final class OpenTransaction {
  private static final long LOOK_MILLIS = 100;
  private static final RetryPolicy RETRY = new RetryPolicy(1_000, 1_000, 250_000);

  private final Client client;
  private final long runMicros;
  private final long idleNanos;
  private final boolean asks;
  private final @Nullable ReadLevel level;
  private final WriteDurability durability;
  private final Consumer<List<Change>> reexecuted;

  private final LinkedBlockingQueue<Request> requests = new LinkedBlockingQueue<>();
  private final CompletableFuture<End> end = new CompletableFuture<>();
  private @Nullable Thread thread;

  // Used by the body's thread, and kept from one run to the next.
  private final List<Step> steps = new ArrayList<>();
  private @Nullable Request pending;
  private boolean idle;
  private long answeredNanos;
  private int runs;
  private int commitRun;

  /** An operation, and the effect that was shown last. */
  private static final class Step {
    final Operation operation;
    Effect shown;

    Step(Operation operation, Effect shown) {
      this.operation = operation;
      this.shown = shown;
    }
  }

  /** A request to the body. */
  private sealed interface Request {
    record Do(Operation operation, CompletableFuture<Effect> effect) implements Request {}

    record Commit(CompletableFuture<Answer> answer) implements Request {}

    record Rollback() implements Request {}
  }

  /** The answer to a request to commit. */
  sealed interface Answer {
    /** The transaction has ended. */
    record Ended(End end) implements Answer {}

    /** The transaction is still open: reads have changed since they were shown. */
    record Changed(List<Change> changes) implements Answer {}

    /** The transaction is still open: a statement fails now, after writes of others. */
    record Undoable(String why) implements Answer {}
  }

  /**
   * How the transaction ended.
   *
   * @param result null if it was rolled back before any operation, or for lack of statements
   * @param failure why it ended without a result; null with a result
   */
  record End(@Nullable Result<?> result, @Nullable String failure) {
    @Nullable TransactionInfo info() {
      return result == null ? null : result.info();
    }
  }

  /**
   * Creates a transaction; it begins with its first operation.
   *
   * @param runMicros how long one run may take
   * @param idleNanos how long it waits for a statement before it is rolled back
   * @param asks whether a commit is postponed if reads have changed since they were shown
   * @param level what a transaction that only reads promises; null for one that may write
   * @param durability what the commit of one that may write has survived when it is reported
   * @param reexecuted gets the changes, on another thread
   */
  OpenTransaction(
      Client client,
      long runMicros,
      long idleNanos,
      boolean asks,
      @Nullable ReadLevel level,
      WriteDurability durability,
      Consumer<List<Change>> reexecuted) {
    this.client = client;
    this.runMicros = runMicros;
    this.idleNanos = idleNanos;
    this.asks = asks;
    this.level = level;
    this.durability = durability;
    this.reexecuted = reexecuted;
  }

  // ---- the caller's side --------------------------------------------------------------------

  /**
   * Performs an operation.
   *
   * @return null when the transaction has ended instead; see {@link #end}
   */
  @Nullable Effect execute(Operation operation) {
    if (thread == null) {
      thread = Thread.ofVirtual().name("morty-shell-transaction").start(this::run);
    }
    CompletableFuture<Effect> effect = new CompletableFuture<>();
    requests.add(new Request.Do(operation, effect));
    CompletableFuture.anyOf(effect, end).join();
    return effect.getNow(null);
  }

  /** Whether the transaction may not write. */
  boolean onlyReads() {
    return level != null;
  }

  /** Asks to commit. */
  Answer commit() {
    if (thread == null) {
      return new Answer.Ended(new End(null, null));
    }
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    requests.add(new Request.Commit(answer));
    CompletableFuture.anyOf(answer, end).join();
    Answer given = answer.getNow(null);
    return given == null ? new Answer.Ended(end.join()) : given;
  }

  /** Rolls the transaction back. */
  void rollback() {
    if (thread != null) {
      requests.add(new Request.Rollback());
      End unused = end.join();
    }
  }

  /** Waits for the end of the transaction. */
  End end() {
    return end.join();
  }

  /** Whether the transaction has ended. */
  boolean hasEnded() {
    return end.isDone();
  }

  // ---- the body's side ----------------------------------------------------------------------

  private void run() {
    try {
      TransactionOptions mayWrite =
          new TransactionOptions(runMicros, RETRY)
              .withoutValidatedAborts()
              .withDurability(durability);
      TransactionOptions options = level == null ? mayWrite : mayWrite.forReading(level);
      Result<Boolean> result;
      answeredNanos = System.nanoTime();
      do {
        runs++;
        result = client.run(options, this::body);
      } while (result instanceof Result.AbortedByConflict<Boolean> aborted && goesOn(aborted));
      end.complete(
          idle
              ? new End(
                  null,
                  "no statement for "
                      + TimeUnit.NANOSECONDS.toSeconds(idleNanos)
                      + " s; --idle sets how long a transaction waits")
              : new End(result, null));
    } catch (RuntimeException | Error e) {
      end.complete(new End(null, String.valueOf(e.getMessage())));
    }
  }

  /** Whether a new run replaces one whose time is up; a commit gets a whole run. */
  private boolean goesOn(Result.AbortedByConflict<Boolean> aborted) {
    boolean hasTried = pending instanceof Request.Commit && commitRun < runs;
    return aborted.reason() == AbortReason.DEADLINE && !hasTried;
  }

  private Boolean body(DirectTransaction txn) {
    List<Change> changes = replay(txn);
    if (!changes.isEmpty()) {
      reexecuted.accept(changes);
      if (asks && pending instanceof Request.Commit commit) {
        answer(commit, new Answer.Changed(changes));
      }
    }
    while (true) {
      Request request = nextRequest(txn);
      switch (request) {
        case Request.Do(Operation operation, CompletableFuture<Effect> effect) -> {
          Effect done = Effect.of(operation, txn);
          if (done.failure() == null) {
            steps.add(new Step(operation, done));
          }
          answered();
          effect.complete(done);
        }
        case Request.Commit commit -> {
          String why = undoable();
          if (why == null) {
            return true; // The request stays pending, in case the body runs again.
          }
          answer(commit, new Answer.Undoable(why));
        }
        case Request.Rollback rollback -> throw txn.abort();
      }
    }
  }

  private void answer(Request.Commit commit, Answer answer) {
    answered();
    commit.answer().complete(answer);
  }

  private void answered() {
    pending = null;
    answeredNanos = System.nanoTime();
  }

  /** Repeats all statements; returns what they read differently now. */
  private List<Change> replay(DirectTransaction txn) {
    List<Effect> effects = new ArrayList<>();
    for (Step step : steps) {
      effects.add(Effect.of(step.operation, txn));
    }
    // Only now: any read above can unwind the body, and then its values are invalid.
    List<Change> changes = new ArrayList<>();
    for (int i = 0; i < effects.size(); i++) {
      Step step = steps.get(i);
      changes.addAll(Change.between(step.operation, step.shown, effects.get(i)));
      step.shown = effects.get(i);
    }
    return changes;
  }

  private @Nullable String undoable() {
    for (Step step : steps) {
      if (step.shown.failure() != null) {
        return step.shown.failure();
      }
    }
    return null;
  }

  private Request nextRequest(DirectTransaction txn) {
    Request known = pending;
    if (known != null) {
      return known;
    }
    while (true) {
      Request request = poll();
      if (request != null) {
        pending = request;
        commitRun = runs;
        return request;
      }
      if (System.nanoTime() - answeredNanos > idleNanos) {
        idle = true;
        throw txn.abort();
      }
      TypedKey<Value> key = level == null || !level.isPast() ? knownKey() : null;
      if (key != null) {
        // Unwinds the body if it must run again. Costs no message: the key was read before.
        var unused = txn.getAsync(key);
      }
    }
  }

  /** A key that it has read or put; null if there is none. To read a key merged into costs more. */
  private @Nullable TypedKey<Value> knownKey() {
    Set<TypedKey<Value>> merged = new HashSet<>();
    for (Step step : steps) {
      if (step.operation instanceof Merge merge) {
        merged.add(Effect.firstKey(merge));
      }
    }
    for (Step step : steps) {
      TypedKey<Value> key = Effect.firstKey(step.operation);
      if (!merged.contains(key) || step.operation instanceof Get) {
        return key;
      }
    }
    return null;
  }

  private @Nullable Request poll() {
    try {
      return requests.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new CompletionException(e); // nobody interrupts this thread
    }
  }
}
