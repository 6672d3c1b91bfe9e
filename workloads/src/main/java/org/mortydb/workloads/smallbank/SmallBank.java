package org.mortydb.workloads.smallbank;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Result;
import org.mortydb.client.Transaction;
import org.mortydb.workloads.audit.Auditor;
import org.mortydb.workloads.audit.Condition;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.rows.RowReader;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.smallbank.SmallBankTables.Customer;
import org.mortydb.workloads.smallbank.SmallBankTables.Money;

/** SmallBank: customers with a savings and a checking account, and the mix of transactions. */
public final class SmallBank implements Workload {
  /** The number of customers that one transaction fills, or reads at the end. */
  private static final int AT_ONCE = 200;

  private final SmallBankOptions options;
  private final boolean merges;
  private final SmallBankTransactions transactions;
  private final long seed;

  /** The change of the total by all committed transactions, in cents. */
  private final LongAdder change = new LongAdder();

  /**
   * @param seed the seed of the initial balances
   */
  public SmallBank(SmallBankOptions options, long seed) {
    this(options, false, seed);
  }

  /**
   * @param merges whether money is paid into checking accounts without reading them
   * @param seed the seed of the initial balances
   */
  public SmallBank(SmallBankOptions options, boolean merges, long seed) {
    this.options = options;
    this.merges = merges;
    this.transactions = new SmallBankTransactions(merges);
    this.seed = seed;
  }

  @Override
  public String name() {
    return "smallbank";
  }

  @Override
  public List<String> types() {
    return Arrays.stream(SmallBankTransactionType.values())
        .map(SmallBankTransactionType::label)
        .toList();
  }

  @Override
  public boolean merges() {
    return merges;
  }

  @Override
  public long records() {
    return 3L * options.accounts();
  }

  @Override
  public String recordName(long record) {
    return SmallBankTables.nameOf(record);
  }

  @Override
  public Source source(int session, RandomGenerator random) {
    return () -> {
      SmallBankRequest request = next(random);
      return new Planned(
          request.type().ordinal(),
          transactions.of(request),
          result -> count(result),
          request.type().isReadOnly());
    };
  }

  private Next count(Result<Trace> result) {
    if (result instanceof Result.Committed<Trace>(Trace trace, var info)
        && trace.told() instanceof Long cents) {
      change.add(cents);
    }
    return Next.END;
  }

  SmallBankRequest next(RandomGenerator random) {
    SmallBankTransactionType type = SmallBankTransactionType.of(random.nextInt(100));
    int customer = customer(random);
    int other = customer(random);
    while (other == customer) {
      other = customer(random);
    }
    return new SmallBankRequest(type, customer, other);
  }

  private int customer(RandomGenerator random) {
    int hotspot = options.hotspot();
    // With a single customer in the hotspot, two different ones cannot both come from it.
    if (hotspot > 0 && random.nextDouble() < (hotspot == 1 ? 0.5 : 1) * options.hotspotShare()) {
      return random.nextInt(hotspot);
    }
    return random.nextInt(hotspot, options.accounts());
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

  private int end(int first) {
    return Math.min(first + AT_ONCE, options.accounts());
  }

  /** The initial balances of some customers: each account has 100.00 to 500.00. */
  private long[] balances(int first) {
    SplittableRandom random = new SplittableRandom(seed * 1_000_003 + first);
    return random.longs(2L * (end(first) - first), 10_000, 50_001).toArray();
  }

  private void fill(Transaction<Trace> txn, Context<Trace> ctx, int first, int end) {
    long[] balances = balances(first);
    Context<Trace> c = ctx;
    int at = 0;
    for (int i = first; i < end; i++) {
      Customer customer = new Customer("%064d".formatted(i).substring(40));
      c = SmallBankTables.CUSTOMER.put(txn, c, SmallBankTables.customer(i), customer);
      c =
          SmallBankTables.SAVINGS.put(
              txn, c, SmallBankTables.savings(i), new Money(balances[at++]));
      c = transactions.putChecking(txn, c, i, new Money(balances[at++]));
    }
    Rows.commit(txn, c);
  }

  // ---- what must hold -------------------------------------------------------------------------

  @Override
  public void audit(Auditor auditor) {
    Condition rows = auditor.condition("every customer has a savings and a checking account");
    Condition savings = auditor.condition("no savings are below zero");
    Condition sum = auditor.condition("sum of all accounts = sum at first + what was paid in");
    long expected = change.sum();
    long total = 0;
    for (int first = 0; first < options.accounts(); first += AT_ONCE) {
      expected += Arrays.stream(balances(first)).sum();
      total += audit(auditor, first, rows, savings);
    }
    if (auditor.outcomesKnown()) {
      sum.checkEqual(total, expected);
    }
  }

  private record Found(
      List<@Nullable Customer> customers,
      List<@Nullable Money> savings,
      List<@Nullable Money> checking) {}

  private List<@Nullable Money> checking(RowReader reader, long[] records) {
    if (!merges) {
      return reader.getAll(SmallBankTables.CHECKING, records);
    }
    List<@Nullable Money> found = new ArrayList<>();
    for (@Nullable Long cents : reader.getAll(SmallBankTables.MERGED_CHECKING, records)) {
      found.add(cents == null ? null : new Money(cents));
    }
    return found;
  }

  private long audit(Auditor auditor, int first, Condition rows, Condition savings) {
    int[] ids = IntStream.range(first, end(first)).toArray();
    Found found =
        auditor.read(
            reader ->
                new Found(
                    reader.getAll(
                        SmallBankTables.CUSTOMER,
                        Arrays.stream(ids).mapToLong(SmallBankTables::customer).toArray()),
                    reader.getAll(
                        SmallBankTables.SAVINGS,
                        Arrays.stream(ids).mapToLong(SmallBankTables::savings).toArray()),
                    checking(
                        reader,
                        Arrays.stream(ids).mapToLong(SmallBankTables::checking).toArray())));
    long total = 0;
    for (int i = 0; i < ids.length; i++) {
      int id = ids[i];
      Money saved = found.savings.get(i);
      Money checked = found.checking.get(i);
      boolean whole = found.customers.get(i) != null && saved != null && checked != null;
      rows.check(whole, () -> "customer " + id);
      long cents = saved == null ? 0 : saved.cents();
      savings.check(cents >= 0, () -> "customer " + id + ": " + cents + " cents");
      total += cents + (checked == null ? 0 : checked.cents());
    }
    return total;
  }
}
