package org.mortydb.cli.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.shell.Statement.Operation;
import org.mortydb.client.Client;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.Result;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionInfo;
import org.mortydb.client.TransactionOptions;
import org.mortydb.protocol.machine.Completion.AbortReason;

/**
 * A transaction whose statements come one by one, with people thinking in between.
 *
 * <p>A body in the direct style runs on a thread of its own, and waits for statements. When a read
 * becomes stale, or the attempt is given up, the body runs again from its start: it does all
 * statements again that were typed so far, compares what they read with what was shown, tells of
 * every difference, and waits for the next statement. So the statements are the transaction's
 * continuation, and who types is never asked to type them again. While it waits it looks, ten times
 * a second, whether it still counts; so changes are told as they happen.
 *
 * <p>Replicas forget outcomes after a while ({@code retention}), and no client may wait for one
 * longer than that. So one run of a transaction is given less than that; then another one takes its
 * place, likewise with all statements.
 *
 * <p>Used by one thread; the listener is called on the body's.
 */
final class OpenTransaction {
  private static final long LOOK_MILLIS = 100;
  private static final RetryPolicy RETRY = new RetryPolicy(1_000, 1_000, 250_000);

  private final Client client;
  private final long runMicros;
  private final long idleNanos;
  private final boolean asks;
  private final Consumer<List<Change>> reexecuted;

  private final LinkedBlockingQueue<Request> requests = new LinkedBlockingQueue<>();
  private final CompletableFuture<End> end = new CompletableFuture<>();
  private @Nullable Thread thread;

  // Of the body's thread, and kept from one run to the next.
  private final List<Step> steps = new ArrayList<>();
  private @Nullable Request pending;
  private boolean idle;
  private long answeredNanos;
  private int runs;
  private int commitRun;

  /** An operation, with what was shown of it last. */
  private static final class Step {
    final Operation operation;
    Effect shown;

    Step(Operation operation, Effect shown) {
      this.operation = operation;
      this.shown = shown;
    }
  }

  /** What the body is asked to do. */
  private sealed interface Request {
    record Do(Operation operation, CompletableFuture<Effect> effect) implements Request {}

    record Commit(CompletableFuture<Answer> answer) implements Request {}

    record Rollback() implements Request {}
  }

  /** What becomes of the wish to commit. */
  sealed interface Answer {
    /** The transaction has ended, in whatever way. */
    record Ended(End end) implements Answer {}

    /** It is still open: what was read has changed since it was shown. */
    record Changed(List<Change> changes) implements Answer {}

    /** It is still open: a statement cannot be done any more, now that others have written. */
    record Undoable(String why) implements Answer {}
  }

  /**
   * How it ended.
   *
   * @param result null if it was rolled back before anything was done, or since nothing was typed
   * @param failure why it ended without a result; null if not
   */
  record End(@Nullable Result<?> result, @Nullable String failure) {
    @Nullable TransactionInfo info() {
      return result == null ? null : result.info();
    }
  }

  /**
   * A transaction; it begins with its first operation.
   *
   * @param runMicros how long one run of it may take
   * @param idleNanos how long it waits for a statement before it is rolled back
   * @param asks whether a commit is put off when reads have changed since they were shown
   * @param reexecuted is told what has changed, on another thread
   */
  OpenTransaction(
      Client client,
      long runMicros,
      long idleNanos,
      boolean asks,
      Consumer<List<Change>> reexecuted) {
    this.client = client;
    this.runMicros = runMicros;
    this.idleNanos = idleNanos;
    this.asks = asks;
    this.reexecuted = reexecuted;
  }

  // ---- the side of who types ----------------------------------------------------------------

  /**
   * Does an operation.
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

  /** Ends it without a trace. */
  void rollback() {
    if (thread != null) {
      requests.add(new Request.Rollback());
      End unused = end.join();
    }
  }

  /** How it ended; waits for the end. */
  End end() {
    return end.join();
  }

  /** Whether it has ended. */
  boolean hasEnded() {
    return end.isDone();
  }

  // ---- the body's side ----------------------------------------------------------------------

  private void run() {
    try {
      TransactionOptions options = new TransactionOptions(runMicros, RETRY);
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
                  "nothing was typed for "
                      + TimeUnit.NANOSECONDS.toSeconds(idleNanos)
                      + " s; --idle changes how long a transaction waits")
              : new End(result, null));
    } catch (RuntimeException | Error e) {
      end.complete(new End(null, String.valueOf(e.getMessage())));
    }
  }

  /** Whether another run takes the place of one whose time is up; a commit gets a whole one. */
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
            return true; // and it stays pending, for the case that this is run again
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

  /** Does all statements again; returns what reads differently now. */
  private List<Change> replay(DirectTransaction txn) {
    List<Effect> effects = new ArrayList<>();
    for (Step step : steps) {
      effects.add(Effect.of(step.operation, txn));
    }
    // Only now: the body can be left at any read above, and what was seen there is void then.
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
      if (!steps.isEmpty()) {
        // Leaves the body if it has to run again. Costs nothing: the key is known.
        var unused = txn.getAsync(Effect.firstKey(steps.getFirst().operation));
      }
    }
  }

  private @Nullable Request poll() {
    try {
      return requests.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new CompletionException(e); // nobody interrupts this thread
    }
  }
}
