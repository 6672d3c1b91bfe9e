package org.mortydb.ycsb;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Limits;
import site.ycsb.Client;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.Utils;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;
import site.ycsb.generator.AcknowledgedCounterGenerator;
import site.ycsb.generator.CounterGenerator;
import site.ycsb.generator.DiscreteGenerator;
import site.ycsb.generator.HotspotIntegerGenerator;
import site.ycsb.generator.NumberGenerator;
import site.ycsb.generator.ScrambledZipfianGenerator;
import site.ycsb.generator.UniformLongGenerator;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/**
 * A closed economy, after YCSB+T: transactions of several operations move money between accounts.
 * The sum of all balances must not change. The workload counts it at the end of the load and of the
 * run, and the process ends with exit code 1 if it differs. docs/reference/ycsb.md explains the
 * properties.
 */
public final class ClosedEconomyWorkload extends Workload {
  /** The sum of all balances. */
  static final String TOTAL_CASH = "totalcash";

  /** The number of accounts in a transaction. */
  static final String TRANSACTION_SIZE = "transactionsize";

  /** Whether operations form one transaction; otherwise each operation is a transaction. */
  static final String TRANSACTIONAL = "transactional";

  private static final long DEFAULT_CASH_OF_ACCOUNT = 1_000;
  private static final String DEFAULT_SIZE = "2";

  /** Each account takes a few reads and writes. */
  private static final int MOST_ACCOUNTS = Limits.MAX_OPERATIONS / 4;

  /** The room for new accounts, as a multiple of the expected number; as in CoreWorkload. */
  private static final double ROOM = 2.0;

  private final AtomicLong transactions = new AtomicLong();
  private final DiscreteGenerator operations = new DiscreteGenerator();

  private String table = "";
  private long accounts;
  private long totalCash;
  private int size;
  private boolean transactional;
  private boolean loading;
  private boolean partOfLoad;

  private @Nullable SharedStore store;
  private @Nullable EconomyCheck check;
  private @Nullable CounterGenerator toLoad;
  private @Nullable AcknowledgedCounterGenerator toOpen;
  private @Nullable NumberGenerator chosen;

  // ---- properties ---------------------------------------------------------------------------

  @Override
  public void init(Properties p) throws WorkloadException {
    try {
      begin(p);
    } catch (WorkloadException e) {
      RunFailure.fail(String.valueOf(e.getMessage()));
      throw e;
    }
  }

  private void begin(Properties p) throws WorkloadException {
    table = p.getProperty(CoreWorkload.TABLENAME_PROPERTY, CoreWorkload.TABLENAME_PROPERTY_DEFAULT);
    accounts = number(p, Client.RECORD_COUNT_PROPERTY, "0", 2);
    totalCash = number(p, TOTAL_CASH, Long.toString(accounts * DEFAULT_CASH_OF_ACCOUNT), accounts);
    size = size(p, accounts);
    transactional = flag(p, TRANSACTIONAL);
    loading = !Boolean.parseBoolean(p.getProperty(Client.DO_TRANSACTIONS_PROPERTY, "true"));
    long start = number(p, INSERT_START_PROPERTY, "0", 0);
    long count = number(p, INSERT_COUNT_PROPERTY, Long.toString(accounts - start), 0);
    partOfLoad = loading && (start != 0 || count != accounts);
    toLoad = new CounterGenerator(start);
    try {
      store = SharedStore.open(p);
    } catch (DBException e) {
      throw new WorkloadException(e);
    }
    check = new EconomyCheck(store, table);
    if (!loading) {
      initRun(p, check);
    }
  }

  private void initRun(Properties p, EconomyCheck of) throws WorkloadException {
    double opened = 0;
    double all = 0;
    for (EconomyOperation operation : EconomyOperation.values()) {
      double share = proportion(p, operation);
      if (share > 0) {
        operations.addValue(share, operation.name());
      }
      all += share;
      opened += operation == EconomyOperation.OPEN ? share : 0;
    }
    if (!(all > 0)) {
      throw new WorkloadException("no operation has a proportion above 0");
    }
    // EconomyAccounts of earlier runs count, and their numbers are taken.
    long next = Math.max(accounts, of.count(accounts, accounts).end());
    toOpen = new AcknowledgedCounterGenerator(next);
    String distribution =
        p.getProperty(
            CoreWorkload.REQUEST_DISTRIBUTION_PROPERTY,
            CoreWorkload.REQUEST_DISTRIBUTION_PROPERTY_DEFAULT);
    long room = (long) (ROOM * opened * number(p, Client.OPERATION_COUNT_PROPERTY, "0", 0));
    chosen =
        switch (distribution) {
          case "uniform" -> new UniformLongGenerator(0, next - 1);
          case "zipfian" -> new ScrambledZipfianGenerator(0, next - 1 + room);
          case "hotspot" ->
              new HotspotIntegerGenerator(
                  0,
                  next - 1,
                  fraction(
                      p,
                      CoreWorkload.HOTSPOT_DATA_FRACTION,
                      CoreWorkload.HOTSPOT_DATA_FRACTION_DEFAULT),
                  fraction(
                      p,
                      CoreWorkload.HOTSPOT_OPN_FRACTION,
                      CoreWorkload.HOTSPOT_OPN_FRACTION_DEFAULT));
          default ->
              throw new WorkloadException(
                  CoreWorkload.REQUEST_DISTRIBUTION_PROPERTY
                      + " must be uniform, zipfian or hotspot, not '"
                      + distribution
                      + "'");
        };
  }

  private static long number(Properties p, String name, String byDefault, long least)
      throws WorkloadException {
    String text = p.getProperty(name, byDefault);
    try {
      long number = Long.parseLong(text.strip());
      if (number >= least) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Refused below.
    }
    throw new WorkloadException(
        "property %s must be a number from %d on, not '%s'".formatted(name, least, text));
  }

  /** The number of accounts in a transaction. */
  static int size(Properties p, long accounts) throws WorkloadException {
    long size = number(p, TRANSACTION_SIZE, DEFAULT_SIZE, 2);
    if (size > Math.min(accounts, MOST_ACCOUNTS)) {
      throw new WorkloadException(
          "property %s is %d, but there are only %d accounts, and a transaction has at most %d"
              .formatted(TRANSACTION_SIZE, size, accounts, MOST_ACCOUNTS));
    }
    return (int) size;
  }

  /** The share of an operation, in relation to those of the others. */
  static double proportion(Properties p, EconomyOperation operation) throws WorkloadException {
    String byDefault = Double.toString(operation.defaultProportion());
    return decimal(p, operation.property(), byDefault, Double.MAX_VALUE, "a number of 0 or more");
  }

  private static double fraction(Properties p, String name, String byDefault)
      throws WorkloadException {
    return decimal(p, name, byDefault, 1, "a number from 0 to 1");
  }

  private static double decimal(
      Properties p, String name, String byDefault, double most, String range)
      throws WorkloadException {
    String text = p.getProperty(name, byDefault);
    try {
      double number = Double.parseDouble(text);
      if (number >= 0 && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Refused below.
    }
    throw new WorkloadException("property %s must be %s, not '%s'".formatted(name, range, text));
  }

  /** A property that is true unless it is given. */
  static boolean flag(Properties p, String name) throws WorkloadException {
    String text = p.getProperty(name, "true").strip();
    if (text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")) {
      return Boolean.parseBoolean(text);
    }
    throw new WorkloadException(
        "property %s must be true or false, not '%s'".formatted(name, text));
  }

  // ---- load ---------------------------------------------------------------------------------

  /** The key of an account with a number. */
  static String key(long number) {
    return "user" + Utils.hash(number);
  }

  private long firstBalance(long number) {
    return totalCash / accounts + (number < totalCash % accounts ? 1 : 0);
  }

  @Override
  public boolean doInsert(DB db, @Nullable Object threadState) {
    long number = Objects.requireNonNull(toLoad).nextValue();
    return db.insert(table, key(number), EconomyAccounts.OneByOne.fields(firstBalance(number)))
        .isOk();
  }

  // ---- run ----------------------------------------------------------------------------------

  @Override
  public boolean doTransaction(DB db, @Nullable Object threadState) {
    EconomyOperation operation = EconomyOperation.valueOf(operations.nextString());
    if (operation == EconomyOperation.OPEN) {
      AcknowledgedCounterGenerator numbers = Objects.requireNonNull(toOpen);
      long number = numbers.nextValue();
      try {
        run(db, operation, chooseWith(number));
      } finally {
        numbers.acknowledge(number);
      }
    } else {
      run(db, operation, chooseWith(null));
    }
    transactions.incrementAndGet();
    return true;
  }

  /** Draws different accounts; {@code first} comes first if it is given. */
  private List<String> chooseWith(@Nullable Long first) {
    Set<String> keys = new LinkedHashSet<>();
    if (first != null) {
      keys.add(key(first));
    }
    long last = Objects.requireNonNull(toOpen).lastValue();
    while (keys.size() < size) {
      long number = Objects.requireNonNull(chosen).nextValue().longValue();
      if (number <= last) {
        keys.add(key(number));
      }
    }
    return new ArrayList<>(keys);
  }

  private void run(DB db, EconomyOperation operation, List<String> keys) {
    Measurements measurements = Measurements.getMeasurements();
    long intended = measurements.getIntendedtartTimeNs();
    long start = System.nanoTime();
    Status status = Status.OK;
    if (transactional) {
      MortyDb morty = MortyDb.ofThread();
      Function<TransactionOperations, Boolean> body =
          within -> {
            operation.run(new EconomyAccounts.Together(within, table), keys);
            return true;
          };
      boolean reads = operation == EconomyOperation.READ;
      status = (reads ? morty.query(body) : morty.transact(body)).status();
    } else {
      operation.run(new EconomyAccounts.OneByOne(db, table), keys);
    }
    long end = System.nanoTime();
    String name = operation.measurement() + (status.isOk() ? "" : "-FAILED");
    measurements.measure(name, micros(end - start));
    measurements.measureIntended(name, micros(end - intended));
    measurements.reportStatus(operation.measurement(), status);
  }

  private static int micros(long nanos) {
    return (int) Math.min(nanos / 1_000, Integer.MAX_VALUE);
  }

  // ---- the end ------------------------------------------------------------------------------

  @Override
  public void cleanup() throws WorkloadException {
    try {
      if (partOfLoad) {
        System.out.println("[CLOSED-ECONOMY], Not counted, only a part of the accounts was loaded");
        return;
      }
      long known = toOpen == null ? accounts : toOpen.lastValue() + 1;
      EconomyCheck.Count count = Objects.requireNonNull(check).countUntil(totalCash, known);
      EconomyCheck.report(count, totalCash, transactions.get(), table);
    } catch (WorkloadException e) {
      RunFailure.fail(String.valueOf(e.getMessage()));
      throw e;
    } finally {
      Objects.requireNonNull(store).close();
    }
  }
}
