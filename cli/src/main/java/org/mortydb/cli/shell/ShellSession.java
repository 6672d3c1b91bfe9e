package org.mortydb.cli.shell;

import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.shell.OpenTransaction.Answer;
import org.mortydb.cli.shell.OpenTransaction.End;
import org.mortydb.cli.shell.ShellOutput.Cost;
import org.mortydb.cli.shell.ShellOutput.Failure;
import org.mortydb.cli.shell.Statement.Operation;
import org.mortydb.client.Client;
import org.mortydb.client.ClientClosedException;
import org.mortydb.client.NotAuthorizedException;
import org.mortydb.client.OverloadedException;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TransactionRefusedException;
import org.mortydb.client.WriteDurability;

/**
 * One session: statements, and the transaction that may be open between two of them. Used by one
 * thread.
 */
final class ShellSession implements AutoCloseable {
  private static final int MOST_KEYS = 10_000;

  private final Client client;
  private final ShellOutput output;
  private final ShellOptions options;
  private final TreeSet<String> keys = new TreeSet<>();

  private boolean begun;
  private @Nullable OpenTransaction open;

  ShellSession(Client client, ShellOutput output, ShellOptions options) {
    this.client = client;
    this.output = output;
    this.options = options;
  }

  /** The result of a statement. */
  enum Progress {
    DONE,
    FAILED,
    QUIT
  }

  /** Whether a transaction of several statements is open. */
  boolean isOpen() {
    return begun;
  }

  /** Returns the keys of all statements so far, as typed. */
  TreeSet<String> keys() {
    return keys;
  }

  /** Runs the statements of a text up to the first that fails. */
  Progress run(String text) {
    List<Statement> statements;
    try {
      statements = StatementParser.parse(text);
    } catch (SyntaxException e) {
      return failed(Failure.SYNTAX, e.getMessage());
    }
    for (Statement statement : statements) {
      Progress progress = run(statement);
      if (progress != Progress.DONE) {
        return progress;
      }
    }
    return Progress.DONE;
  }

  private Progress failed(Failure what, @Nullable String why) {
    output.failed(what, String.valueOf(why));
    return Progress.FAILED;
  }

  private Progress run(Statement statement) {
    return switch (statement) {
      case Operation operation -> begun ? within(operation) : alone(operation);
      case Statement.Begin(ReadLevel level, WriteDurability durability) -> begin(level, durability);
      case Statement.Commit commit -> commit();
      case Statement.Rollback rollback -> rollback();
      case Statement.Timing timing -> {
        output.timing(timing.on());
        yield Progress.DONE;
      }
      case Statement.Help help -> {
        output.help();
        yield Progress.DONE;
      }
      case Statement.Quit quit -> Progress.QUIT;
    };
  }

  // ---- a transaction of one statement -------------------------------------------------------

  private Progress alone(Operation operation) {
    Result<Effect> result;
    try {
      result =
          client.run(
              new TransactionOptions(options.runMicros(), client.options().retry()),
              txn -> {
                Effect effect = Effect.of(operation, txn);
                if (effect.failure() != null) {
                  throw new RefusedException(effect.failure());
                }
                return effect;
              });
    } catch (RefusedException e) {
      return failed(Failure.REFUSED, e.getMessage());
    } catch (OverloadedException
        | TransactionRefusedException
        | NotAuthorizedException
        | ClientClosedException e) {
      return failed(Failure.ABORTED, e.getMessage());
    }
    if (!(result instanceof Result.Committed<Effect>(Effect effect, var info))) {
      return ended(result);
    }
    remember(effect);
    output.done(operation, effect, Cost.of(result));
    return Progress.DONE;
  }

  /** The stored value does not allow the statement. */
  private static final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RefusedException(@Nullable String why) {
      super(why);
    }
  }

  private Progress ended(Result<?> result) {
    return switch (result) {
      case Result.Committed<?> committed -> Progress.DONE;
      case Result.AbortedByApplication<?> aborted -> failed(Failure.ABORTED, "on request");
      case Result.AbortedByConflict<?> aborted ->
          failed(
              Failure.ABORTED,
              switch (aborted.reason()) {
                case DEADLINE ->
                    "no outcome within "
                        + options.runMicros() / 1_000
                        + " ms; 'morty status' shows which servers serve";
                case NOT_SERVING ->
                    "the replicas have not joined their partitions yet; 'morty status' shows why";
                case CLOCK_AHEAD ->
                    "the local clock is ahead of the servers' by more than they allow; 'morty"
                        + " status' shows by how much";
                case MOVED ->
                    "keys are moving to other servers: 'morty partitions show' shows the change, and"
                        + " whether somebody has to resume it";
                case MERGE_FAILED ->
                    "a merge does not fit the value of its key: the value is not an int64 or not a"
                        + " list, the sum exceeds 64 bits, or the list would be too long";
                case MERGE_LIMIT ->
                    "a key has too many merges that the watermark has not passed: try again later";
                default ->
                    "conflict ("
                        + aborted.reason().name().toLowerCase(java.util.Locale.ROOT)
                        + ") in each of "
                        + aborted.attempts()
                        + " attempts";
              });
      case Result.OutcomeUnknown<?> unknown ->
          failed(
              Failure.UNKNOWN,
              "transaction "
                  + unknown.txn()
                  + " may have committed: no replica that knows the outcome answered; read the keys"
                  + " that it wrote once servers serve again ('morty status')");
    };
  }

  private void remember(Effect effect) {
    for (List<Effect.Item> items : List.of(effect.reads(), effect.writes())) {
      for (Effect.Item item : items) {
        if (keys.size() < MOST_KEYS) {
          keys.add(item.name());
        }
      }
    }
  }

  // ---- a transaction of several -------------------------------------------------------------

  private Progress begin(@Nullable ReadLevel level, WriteDurability durability) {
    if (begun) {
      return failed(Failure.SYNTAX, "a transaction is already open: commit or rollback ends it");
    }
    begun = true;
    open =
        new OpenTransaction(
            client,
            options.runMicros(),
            options.idle().toNanos(),
            options.asks(),
            level,
            durability,
            output::reexecuted);
    output.begun();
    return Progress.DONE;
  }

  private Progress within(Operation operation) {
    OpenTransaction transaction = Objects.requireNonNull(open);
    boolean writes = !(operation instanceof Statement.Get || operation instanceof Statement.Scan);
    if (writes && transaction.onlyReads()) {
      return failed(
          Failure.REFUSED,
          "this transaction was begun to read; 'begin' without 'read' begins one that may write;"
              + " the transaction is still open");
    }
    Effect effect = transaction.execute(operation);
    if (effect == null) {
      return close(transaction.end());
    }
    String failure = effect.failure();
    if (failure != null) {
      return failed(Failure.REFUSED, failure + "; the transaction is still open");
    }
    remember(effect);
    output.done(operation, effect, null);
    return Progress.DONE;
  }

  private Progress commit() {
    if (!begun) {
      return failed(Failure.SYNTAX, "no transaction is open: begin opens one");
    }
    return switch (Objects.requireNonNull(open).commit()) {
      case Answer.Ended(End end) -> close(end);
      case Answer.Undoable(String why) ->
          failed(Failure.REFUSED, "not committed: " + why + "; the transaction is still open");
      case Answer.Changed(List<Change> changes) -> {
        output.putOff(changes);
        yield Progress.FAILED;
      }
    };
  }

  private Progress close(End end) {
    begun = false;
    open = null;
    if (end.failure() != null) {
      return failed(Failure.ABORTED, end.failure());
    }
    Result<?> result = end.result();
    if (result == null) {
      output.committed(new Cost(0, 0, 0, "no", null, 0));
      return Progress.DONE;
    }
    if (result.isCommitted()) {
      output.committed(Cost.of(result));
    }
    return ended(result);
  }

  private Progress rollback() {
    if (!begun) {
      return failed(Failure.SYNTAX, "no transaction is open: begin opens one");
    }
    close();
    output.rolledBack();
    return Progress.DONE;
  }

  /** Rolls the open transaction back. */
  @Override
  public void close() {
    OpenTransaction transaction = open;
    if (transaction != null) {
      transaction.rollback();
    }
    begun = false;
    open = null;
  }
}
