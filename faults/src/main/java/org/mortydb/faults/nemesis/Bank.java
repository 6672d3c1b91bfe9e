package org.mortydb.faults.nemesis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Codecs;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.KeySpace;
import org.mortydb.client.TypedKey;

/** Transfers between accounts, aborted when money is short, and reads of all accounts. */
final class Bank extends ReadThenWrite {
  private static final KeySpace<Long, Long> ACCOUNTS =
      KeySpace.of("account", Codecs.INT64, Codecs.INT64);
  private static final long COUNT = 8;
  private static final long OPENING = 10;
  private static final int MOST = 5;
  private static final String OPEN = "open";
  private static final String READ = "read";

  private static List<TypedKey<Long>> accounts() {
    List<TypedKey<Long>> accounts = new ArrayList<>();
    for (long id = 0; id < COUNT; id++) {
      accounts.add(ACCOUNTS.key(id));
    }
    return accounts;
  }

  @Override
  public List<Request> opening() {
    return List.of(new Request(OPEN, null));
  }

  @Override
  public Request next(RandomGenerator random) {
    if (random.nextBoolean()) {
      return new Request(READ, null);
    }
    long from = random.nextLong(COUNT);
    long to = (from + 1 + random.nextLong(COUNT - 1)) % COUNT;
    long amount = 1L + random.nextInt(MOST);
    return new Request("transfer", Values.map("from", from, "to", to, "amount", amount));
  }

  @Override
  public List<Request> closing() {
    return List.of(new Request(READ, null));
  }

  @Override
  public boolean writes(Request request) {
    return !request.f().equals(READ);
  }

  @Override
  @Nullable Object read(DirectTransaction txn, Request request) {
    List<@Nullable Long> found = txn.getAll(accounts());
    Map<Long, @Nullable Long> balances = new TreeMap<>();
    for (int id = 0; id < found.size(); id++) {
      balances.put((long) id, found.get(id));
    }
    return balances;
  }

  @Override
  @Nullable Object look(DirectTransaction txn, Request request) {
    return request.f().equals(OPEN)
        ? txn.getAll(accounts())
        : List.of(
            txn.getOrDefault(account(request, "from"), 0L),
            txn.getOrDefault(account(request, "to"), 0L));
  }

  private static TypedKey<Long> account(Request request, String side) {
    return ACCOUNTS.key(Values.number(request.value(), side));
  }

  @Override
  @Nullable Object write(DirectTransaction txn, Request request, @Nullable Object seen) {
    List<?> balances = (List<?>) Objects.requireNonNull(seen);
    if (request.f().equals(OPEN)) {
      for (int id = 0; id < COUNT; id++) {
        if (balances.get(id) == null) {
          txn.put(ACCOUNTS.key((long) id), OPENING);
        }
      }
      return null;
    }
    long from = (Long) balances.getFirst();
    long amount = Values.number(request.value(), "amount");
    if (from < amount) {
      throw txn.abort();
    }
    txn.put(account(request, "from"), from - amount);
    txn.put(account(request, "to"), (Long) balances.getLast() + amount);
    return request.value();
  }
}
