package org.mortydb.workloads.transfer;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Transaction;
import org.mortydb.workloads.audit.Auditor;
import org.mortydb.workloads.audit.Condition;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.rows.RowReader;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.sampling.Sampler;
import org.mortydb.workloads.transfer.Records.Account;
import org.mortydb.workloads.transfer.Records.State;
import org.mortydb.workloads.transfer.TransferOptions.Form;

/**
 * Transfers: an amount moves from one account to another. If the first account has too little,
 * nothing changes, and the transaction still counts as committed.
 */
public final class Transfer implements Workload {
  /** The number of accounts that one transaction fills, or reads at the end. */
  private static final int AT_ONCE = 500;

  private static final int MOST_AMOUNT = 100;

  /** The number of steps of a two-phase transfer without conflicts. */
  private static final int STEPS = 7;

  private final TransferOptions options;
  private final TransferIds ids = new TransferIds();

  /** A workload for one run. */
  public Transfer(TransferOptions options) {
    this.options = options;
  }

  @Override
  public String name() {
    return options.form() == Form.TRANSACTION ? "transfer" : "transfer-two-phase";
  }

  @Override
  public List<String> types() {
    return List.of("transfer");
  }

  @Override
  public long records() {
    return options.accounts();
  }

  @Override
  public String recordName(long record) {
    return Records.nameOf(record);
  }

  @Override
  public Source source(int session, RandomGenerator random) {
    Sampler accounts = Sampler.zipf(random, options.accounts(), options.zipf());
    return () -> {
      int from = accounts.next();
      int to = accounts.next();
      while (to == from) {
        to = accounts.next();
      }
      return planned(from, to, random.nextInt(1, MOST_AMOUNT + 1), random);
    };
  }

  Planned planned(int from, int to, long amount, RandomGenerator random) {
    if (options.form() == Form.TRANSACTION) {
      return new Planned(0, (txn, ctx) -> move(txn, ctx, from, to, amount));
    }
    boolean abandoned = random.nextDouble() < options.abandonShare();
    int steps = abandoned ? random.nextInt(1, STEPS) : Integer.MAX_VALUE;
    TwoPhaseTransfer transfer = new TwoPhaseTransfer(ids, random, from, to, amount, steps);
    return new Planned(0, transfer.body(), transfer);
  }

  private static void move(
      Transaction<Trace> txn, Context<Trace> ctx, int from, int to, long amount) {
    Records.ACCOUNTS.get(
        txn,
        ctx,
        Records.account(from),
        Account.NONE,
        (c1, source) ->
            Records.ACCOUNTS.get(
                txn,
                c1,
                Records.account(to),
                Account.NONE,
                (c, target) -> {
                  if (source.balance() >= amount) {
                    c = Records.ACCOUNTS.put(txn, c, Records.account(from), source.plus(-amount));
                    c = Records.ACCOUNTS.put(txn, c, Records.account(to), target.plus(amount));
                  }
                  Rows.commit(txn, c);
                }));
  }

  @Override
  public int initialTransactionCount() {
    return Math.ceilDiv(options.accounts(), AT_ONCE);
  }

  @Override
  public Source initialTransactions(RandomGenerator random, int part, int parts) {
    return Source.batches(
        part,
        parts,
        options.accounts(),
        AT_ONCE,
        (first, end) -> new Planned(0, (txn, ctx) -> fill(txn, ctx, first, end)));
  }

  private static void fill(Transaction<Trace> txn, Context<Trace> ctx, int first, int end) {
    Context<Trace> c = ctx;
    Account account = new Account(Records.INITIAL, 0, 0);
    for (int i = first; i < end; i++) {
      c = Records.ACCOUNTS.put(txn, c, Records.account(i), account);
    }
    Rows.commit(txn, c);
  }

  // ---- what must hold -------------------------------------------------------------------------

  /**
   * Some accounts, and the state of the transfers that intend to change them.
   *
   * @param states by the transfers' ids; null for a transfer without a coordinator record
   */
  private record Found(List<@Nullable Account> accounts, Map<Long, @Nullable State> states) {}

  private static Found read(RowReader reader, long[] records) {
    List<@Nullable Account> accounts = reader.getAll(Records.ACCOUNTS, records);
    long[] transfers =
        accounts.stream()
            .filter(Objects::nonNull)
            .mapToLong(Account::transfer)
            .filter(transfer -> transfer != 0)
            .distinct()
            .toArray();
    List<@Nullable State> states =
        reader.getAll(Records.STATES, Arrays.stream(transfers).map(Records::state).toArray());
    Map<Long, @Nullable State> byId = new HashMap<>();
    for (int i = 0; i < transfers.length; i++) {
      byId.put(transfers[i], states.get(i));
    }
    return new Found(accounts, byId);
  }

  @Override
  public void audit(Auditor auditor) {
    Condition sum = auditor.condition("sum of all balances = sum at first");
    Condition positive = auditor.condition("no balance is below zero");
    Condition announced = auditor.condition("an intention has a coordinator record");
    long total = 0;
    for (int first = 0; first < options.accounts(); first += AT_ONCE) {
      int end = Math.min(first + AT_ONCE, options.accounts());
      long[] records = IntStream.range(first, end).mapToLong(Records::account).toArray();
      Found found = auditor.read(reader -> read(reader, records));
      for (int i = 0; i < records.length; i++) {
        String name = Records.nameOf(records[i]);
        Account stored = found.accounts.get(i);
        Account account = stored == null ? Account.NONE : stored;
        State state = found.states.get(account.transfer());
        if (account.transfer() != 0) {
          announced.check(
              state != null, () -> name + ": transfer " + account.transfer() + " has none");
        }
        // A decided transfer counts, whether or not the account has been updated.
        long balance = account.resolved(state == State.COMMITTED).balance();
        positive.check(balance >= 0, () -> name + ": " + balance);
        total += balance;
      }
    }
    sum.checkEqual(total, options.accounts() * Records.INITIAL);
  }
}
