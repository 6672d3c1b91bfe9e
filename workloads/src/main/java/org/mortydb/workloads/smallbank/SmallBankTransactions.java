package org.mortydb.workloads.smallbank;

import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Continuation;
import org.mortydb.client.Transaction;
import org.mortydb.client.TransactionBody;
import org.mortydb.workloads.rows.MergedRows;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.smallbank.SmallBankTables.Customer;
import org.mortydb.workloads.smallbank.SmallBankTables.Money;

/**
 * The six transactions. Each returns by how many cents it changes the total of all accounts. A
 * transaction that the bank refuses commits without a write, so that the reads behind the refusal
 * are valid.
 */
final class SmallBankTransactions {
  static final long DEPOSIT = 130;
  static final long WITHDRAWAL = 2_020;
  static final long CHECK = 500;
  static final long PENALTY = 100;
  static final long PAYMENT = 500;

  private final boolean merges;

  /**
   * @param merges whether money is paid into checking accounts without reading them
   */
  SmallBankTransactions(boolean merges) {
    this.merges = merges;
  }

  TransactionBody<Trace> of(SmallBankRequest request) {
    return (txn, ctx) ->
        customer(txn, ctx, request.customer(), (c, name) -> afterCustomer(txn, c, request));
  }

  private void afterCustomer(Transaction<Trace> txn, Context<Trace> ctx, SmallBankRequest request) {
    int id = request.customer();
    int other = request.other();
    switch (request.type()) {
      case BALANCE -> balance(txn, ctx, id);
      case DEPOSIT_CHECKING -> depositChecking(txn, ctx, id);
      case TRANSACT_SAVINGS -> transactSavings(txn, ctx, id);
      case AMALGAMATE -> customer(txn, ctx, other, (c, otherName) -> amalgamate(txn, c, id, other));
      case WRITE_CHECK -> writeCheck(txn, ctx, id);
      case SEND_PAYMENT ->
          customer(txn, ctx, other, (c, otherName) -> sendPayment(txn, c, id, other));
    }
  }

  private static void commit(Transaction<Trace> txn, Context<Trace> ctx, long change) {
    Rows.commit(txn, ctx.with(ctx.state().telling(change)));
  }

  private static void customer(
      Transaction<Trace> txn, Context<Trace> ctx, int id, Continuation<Trace, Customer> next) {
    SmallBankTables.CUSTOMER.get(txn, ctx, SmallBankTables.customer(id), Customer.NONE, next);
  }

  private static void savings(
      Transaction<Trace> txn, Context<Trace> ctx, int id, Continuation<Trace, Money> next) {
    SmallBankTables.SAVINGS.get(txn, ctx, SmallBankTables.savings(id), Money.NONE, next);
  }

  private void checking(
      Transaction<Trace> txn, Context<Trace> ctx, int id, Continuation<Trace, Money> next) {
    long record = SmallBankTables.checking(id);
    if (merges) {
      SmallBankTables.MERGED_CHECKING.get(
          txn, ctx, record, 0L, (c, cents) -> next.resume(c, new Money(cents)));
    } else {
      SmallBankTables.CHECKING.get(txn, ctx, record, Money.NONE, next);
    }
  }

  private static Context<Trace> putSavings(
      Transaction<Trace> txn, Context<Trace> ctx, int id, Money money) {
    return SmallBankTables.SAVINGS.put(txn, ctx, SmallBankTables.savings(id), money);
  }

  /** Sets the balance of a checking account. */
  Context<Trace> putChecking(Transaction<Trace> txn, Context<Trace> ctx, int id, Money money) {
    long record = SmallBankTables.checking(id);
    return merges
        ? SmallBankTables.MERGED_CHECKING.put(txn, ctx, record, money.cents())
        : SmallBankTables.CHECKING.put(txn, ctx, record, money);
  }

  /** Pays money into an account, and commits. */
  private void pay(Transaction<Trace> txn, Context<Trace> ctx, int to, long cents, long change) {
    if (merges) {
      long record = SmallBankTables.checking(to);
      commit(txn, MergedRows.add(SmallBankTables.MERGED_CHECKING, txn, ctx, record, cents), change);
      return;
    }
    checking(
        txn,
        ctx,
        to,
        (c, checking) -> commit(txn, putChecking(txn, c, to, checking.plus(cents)), change));
  }

  private void balance(Transaction<Trace> txn, Context<Trace> ctx, int id) {
    savings(
        txn, ctx, id, (c1, savings) -> checking(txn, c1, id, (c, checking) -> commit(txn, c, 0)));
  }

  private void depositChecking(Transaction<Trace> txn, Context<Trace> ctx, int id) {
    pay(txn, ctx, id, DEPOSIT, DEPOSIT);
  }

  private static void transactSavings(Transaction<Trace> txn, Context<Trace> ctx, int id) {
    savings(
        txn,
        ctx,
        id,
        (c, savings) -> {
          if (savings.cents() < WITHDRAWAL) {
            commit(txn, c, 0);
          } else {
            c = putSavings(txn, c, id, savings.plus(-WITHDRAWAL));
            commit(txn, c, -WITHDRAWAL);
          }
        });
  }

  /** Moves all money of one customer to the checking account of another. */
  private void amalgamate(Transaction<Trace> txn, Context<Trace> ctx, int from, int to) {
    savings(
        txn,
        ctx,
        from,
        (c1, savings) ->
            checking(
                txn,
                c1,
                from,
                (c, checking) -> {
                  c = putSavings(txn, c, from, Money.NONE);
                  c = putChecking(txn, c, from, Money.NONE);
                  pay(txn, c, to, savings.cents() + checking.cents(), 0);
                }));
  }

  private void writeCheck(Transaction<Trace> txn, Context<Trace> ctx, int id) {
    savings(
        txn,
        ctx,
        id,
        (c1, savings) ->
            checking(
                txn,
                c1,
                id,
                (c, checking) -> {
                  boolean covered = savings.cents() + checking.cents() >= CHECK;
                  long change = covered ? -CHECK : -CHECK - PENALTY;
                  commit(txn, putChecking(txn, c, id, checking.plus(change)), change);
                }));
  }

  private void sendPayment(Transaction<Trace> txn, Context<Trace> ctx, int from, int to) {
    checking(
        txn,
        ctx,
        from,
        (c, own) -> {
          if (own.cents() < PAYMENT) {
            commit(txn, c, 0);
          } else {
            pay(txn, putChecking(txn, c, from, own.plus(-PAYMENT)), to, PAYMENT, 0);
          }
        });
  }
}
