package org.mortydb.workloads.transfer;

import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Result;
import org.mortydb.client.Transaction;
import org.mortydb.client.TransactionBody;
import org.mortydb.workloads.load.Workload.Next;
import org.mortydb.workloads.load.Workload.Sequel;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.transfer.Records.Account;
import org.mortydb.workloads.transfer.Records.State;

/**
 * A transfer by a two-phase commit in the application, for stores that have only atomic operations
 * on one record. Each step is a transaction on one record:
 *
 * <ol>
 *   <li>A pending coordinator record is created.
 *   <li>Each of the two accounts, in the order of their numbers, gets an intention that names the
 *       coordinator record.
 *   <li>The coordinator record changes from pending to committed. This decides the transfer.
 *   <li>The intentions are applied, and the coordinator record is deleted.
 * </ol>
 *
 * A client that meets the intention of another transfer reads that transfer's coordinator record.
 * If the other transfer is decided, the client completes it on this account. If it is pending, the
 * client waits, and after some time aborts it. So abandoned transfers are completed by the next
 * client that meets them, and no client waits for ever. An account of an incomplete transfer can be
 * read; the reader is not isolated from the transfer.
 *
 * <p>Every step can be repeated, and is repeated when its outcome is unknown. Used by one thread at
 * a time.
 */
final class TwoPhaseTransfer implements Sequel {
  /** The number of times that a pending transfer is met before it is aborted. */
  private static final int PATIENCE = 8;

  private static final long FIRST_WAIT_MICROS = 500;
  private static final int MOST_DOUBLINGS = 6;
  private static final int MOST_FAILURES = 3;

  /** The next step. */
  private enum Phase {
    /** Create the coordinator record. */
    ANNOUNCE,
    /** Add an intention to an account. */
    INTEND,
    /** Read the coordinator record of another transfer, whose intention was met. */
    MEET,
    /** Abort the other transfer, unless it is decided. */
    ABORT_OTHER,
    /** Resolve the other transfer's intention. */
    RESOLVE_OTHER,
    /** Decide the coordinator record, if it is pending. */
    DECIDE,
    /** Resolve the intention on an account. */
    RESOLVE,
    /** Delete the coordinator record. */
    FORGET
  }

  /** The result of a step that met the intention of another transfer. */
  private record Met(long transfer) {}

  /** The result of a step on an account. */
  private enum Told {
    DONE,
    REFUSED
  }

  private final TransferIds ids;
  private final RandomGenerator random;

  /** The two accounts in order, and the amounts that they receive. */
  private final int[] accounts;

  private final long[] amounts;

  /** The number of steps after which the client abandons the transfer. */
  private int stepsLeft;

  private long id;
  private Phase phase = Phase.ANNOUNCE;
  private int at;
  private State wanted = State.COMMITTED;
  private State decided = State.PENDING;
  private boolean refused;
  private long other;
  private State otherState = State.PENDING;
  private int meetings;
  private int failures;
  private int rounds;

  /**
   * @param stepsLeft the number of steps after which the transfer is abandoned
   */
  TwoPhaseTransfer(
      TransferIds ids, RandomGenerator random, int from, int to, long amount, int stepsLeft) {
    this.ids = ids;
    this.random = random;
    this.accounts = new int[] {Math.min(from, to), Math.max(from, to)};
    this.amounts = from < to ? new long[] {-amount, amount} : new long[] {amount, -amount};
    this.stepsLeft = stepsLeft;
    this.id = ids.next();
  }

  // ---- the steps ------------------------------------------------------------------------------

  /** The body of the next step. */
  TransactionBody<Trace> body() {
    // The fields change with each step, and a step that runs again must not see the change.
    long own = id;
    long otherId = other;
    State ownState = decided;
    State seen = otherState;
    State want = wanted;
    return switch (phase) {
      case ANNOUNCE ->
          (txn, ctx) ->
              Rows.commit(txn, Records.STATES.put(txn, ctx, Records.state(own), State.PENDING));
      case INTEND -> {
        int account = accounts[at];
        long amount = amounts[at];
        yield (txn, ctx) -> intend(txn, ctx, own, account, amount);
      }
      case MEET -> (txn, ctx) -> look(txn, ctx, otherId);
      case ABORT_OTHER -> (txn, ctx) -> decide(txn, ctx, otherId, State.ABORTED);
      case RESOLVE_OTHER -> {
        int account = accounts[at];
        yield (txn, ctx) -> resolve(txn, ctx, otherId, account, seen == State.COMMITTED);
      }
      case DECIDE -> (txn, ctx) -> decide(txn, ctx, own, want);
      case RESOLVE -> {
        int account = accounts[at];
        yield (txn, ctx) -> resolve(txn, ctx, own, account, ownState == State.COMMITTED);
      }
      case FORGET ->
          (txn, ctx) -> Rows.commit(txn, Records.STATES.delete(txn, ctx, Records.state(own)));
    };
  }

  private static void tell(Transaction<Trace> txn, Context<Trace> ctx, Object what) {
    Rows.commit(txn, ctx.with(ctx.state().telling(what)));
  }

  private static void intend(
      Transaction<Trace> txn, Context<Trace> ctx, long own, int account, long amount) {
    long record = Records.account(account);
    Records.ACCOUNTS.get(
        txn,
        ctx,
        record,
        Account.NONE,
        (c, found) -> {
          if (found.transfer() == own) {
            tell(txn, c, Told.DONE);
          } else if (found.transfer() != 0) {
            tell(txn, c, new Met(found.transfer()));
          } else if (found.balance() + amount < 0) {
            tell(txn, c, Told.REFUSED);
          } else {
            c = Records.ACCOUNTS.put(txn, c, record, found.intending(own, amount));
            tell(txn, c, Told.DONE);
          }
        });
  }

  private static void look(Transaction<Trace> txn, Context<Trace> ctx, long transfer) {
    Records.STATES.get(
        txn,
        ctx,
        Records.state(transfer),
        (c, state) -> {
          if (state == null) {
            Rows.commit(txn, c);
          } else {
            tell(txn, c, state);
          }
        });
  }

  /** Decides a transfer unless it is decided, and returns the decision. */
  private static void decide(
      Transaction<Trace> txn, Context<Trace> ctx, long transfer, State wanted) {
    long record = Records.state(transfer);
    Records.STATES.get(
        txn,
        ctx,
        record,
        (c, state) -> {
          if (state == State.PENDING) {
            tell(txn, Records.STATES.put(txn, c, record, wanted), wanted);
          } else if (state == null) {
            Rows.commit(txn, c);
          } else {
            tell(txn, c, state);
          }
        });
  }

  private static void resolve(
      Transaction<Trace> txn, Context<Trace> ctx, long transfer, int account, boolean committed) {
    long record = Records.account(account);
    Records.ACCOUNTS.get(
        txn,
        ctx,
        record,
        Account.NONE,
        (c, found) -> {
          if (found.transfer() == transfer) {
            c = Records.ACCOUNTS.put(txn, c, record, found.resolved(committed));
          }
          Rows.commit(txn, c);
        });
  }

  // ---- from step to step ----------------------------------------------------------------------

  @Override
  public Next after(Result<Trace> result) {
    stepsLeft--;
    if (stepsLeft == 0) {
      return Next.ABANDON;
    }
    if (!(result instanceof Result.Committed<Trace>(Trace trace, var info))) {
      failures++;
      return failures > MOST_FAILURES ? Next.ABANDON : new Next.Step(body(), wait(failures));
    }
    failures = 0;
    return go(trace.told());
  }

  private Next go(@Nullable Object told) {
    return switch (phase) {
      case ANNOUNCE -> to(Phase.INTEND);
      case INTEND -> intended(told);
      case MEET -> met(told);
      case ABORT_OTHER -> metDecided(told);
      case RESOLVE_OTHER -> to(Phase.INTEND);
      case DECIDE -> {
        decided = told instanceof State state ? state : State.ABORTED;
        at = 0;
        yield to(Phase.RESOLVE);
      }
      case RESOLVE -> {
        at++;
        yield at < accounts.length ? to(Phase.RESOLVE) : to(Phase.FORGET);
      }
      case FORGET -> decided == State.COMMITTED || refused ? Next.END : again();
    };
  }

  private Next to(Phase next) {
    phase = next;
    return new Next.Step(body(), 0);
  }

  private Next intended(@Nullable Object told) {
    if (told instanceof Met(long transfer)) {
      if (transfer != other) {
        other = transfer;
        meetings = 0;
      }
      return to(Phase.MEET);
    }
    meetings = 0;
    if (told == Told.REFUSED) {
      refused = true;
      wanted = State.ABORTED;
      return to(Phase.DECIDE);
    }
    at++;
    return to(at < accounts.length ? Phase.INTEND : Phase.DECIDE);
  }

  private Next met(@Nullable Object told) {
    if (told != State.PENDING) {
      return metDecided(told);
    }
    meetings++;
    if (meetings > PATIENCE) {
      return to(Phase.ABORT_OTHER);
    }
    return new Next.Step(body(), wait(meetings));
  }

  /** Continues once the other transfer is decided or completed. */
  private Next metDecided(@Nullable Object told) {
    if (told instanceof State state) {
      otherState = state;
      return to(Phase.RESOLVE_OTHER);
    }
    return to(Phase.INTEND);
  }

  /** Starts again, because another client has aborted the transfer. */
  private Next again() {
    id = ids.next();
    at = 0;
    decided = State.PENDING;
    meetings = 0;
    phase = Phase.ANNOUNCE;
    rounds++;
    return new Next.Step(body(), wait(rounds));
  }

  private long wait(int times) {
    return 1 + random.nextLong(FIRST_WAIT_MICROS << Math.min(times, MOST_DOUBLINGS));
  }
}
