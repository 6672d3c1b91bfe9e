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
 * A transfer by a two-phase commit of the application, for stores that know nothing but atomic
 * operations on one record. Each step is a transaction on one record:
 *
 * <ol>
 *   <li>a coordinator record is made, pending;
 *   <li>each of the two accounts, in the order of their numbers, gets an intention that names it;
 *   <li>the coordinator record is changed from pending to committed: this decides;
 *   <li>the intentions come true, and the coordinator record is deleted.
 * </ol>
 *
 * Who meets an intention of somebody else looks into that one's coordinator record. When it is
 * decided he does the other's work on that account; when it is pending he waits, and after a while
 * decides that it is aborted. So the transfers of those that went away are brought to an end by
 * whoever meets them, and nobody waits for ever. An account in a half-done transfer can be read;
 * what it shows is not isolated from it.
 *
 * <p>Every step can be repeated, which is what is done when its outcome is not known. Used by one
 * thread at a time.
 */
final class TwoPhaseTransfer implements Sequel {
  /** So often a pending transfer is met before it is aborted. */
  private static final int PATIENCE = 8;

  private static final long FIRST_WAIT_MICROS = 500;
  private static final int MOST_DOUBLINGS = 6;
  private static final int MOST_FAILURES = 3;

  /** What comes next. */
  private enum Phase {
    /** The coordinator record is to be made. */
    ANNOUNCE,
    /** An account is to get an intention. */
    INTEND,
    /** An intention of somebody else was met: his coordinator record is to be looked at. */
    MEET,
    /** The other's transfer is to be aborted, unless it is decided. */
    ABORT_OTHER,
    /** The other's intention is to be resolved. */
    RESOLVE_OTHER,
    /** The coordinator record is to be changed, if it is pending. */
    DECIDE,
    /** An account's intention is to be resolved. */
    RESOLVE,
    /** The coordinator record is to be deleted. */
    FORGET
  }

  /** Told by a step that met the intention of another transfer. */
  private record Met(long transfer) {}

  /** Told by a step on an account. */
  private enum Told {
    DONE,
    REFUSED
  }

  private final TransferIds ids;
  private final RandomGenerator random;

  /** The two accounts in order, and what they get. */
  private final int[] accounts;

  private final long[] amounts;

  /** After so many steps whoever makes the transfer goes away. */
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
   * @param stepsLeft after so many steps it is abandoned
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

  /** The step that comes next. */
  TransactionBody<Trace> body() {
    // The fields change from step to step; a step that runs again must not see that.
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

  /** Decides a transfer if that has not been done, and tells what is decided. */
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

  /** Goes on once the other's transfer is decided, or over. */
  private Next metDecided(@Nullable Object told) {
    if (told instanceof State state) {
      otherState = state;
      return to(Phase.RESOLVE_OTHER);
    }
    return to(Phase.INTEND);
  }

  /** Begins anew, because somebody else has aborted it. */
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
