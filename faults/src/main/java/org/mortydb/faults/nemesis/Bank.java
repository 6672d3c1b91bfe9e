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

/** Transfers between accounts, which the application aborts for want of money, and wide reads. */
final class Bank implements Workload {
  private static final KeySpace<Long, Long> ACCOUNTS =
      KeySpace.of("account", Codecs.INT64, Codecs.INT64);
  private static final long COUNT = 8;
  private static final long OPENING = 10;
  private static final int MOST = 5;
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
    return List.of(new Request("open", null));
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
  public @Nullable Object run(DirectTransaction txn, Request request) {
    return switch (request.f()) {
      case READ -> balances(txn);
      case "open" -> open(txn);
      default -> transfer(txn, request, balance(txn, request, "from"), balance(txn, request, "to"));
    };
  }

  private static Map<Long, @Nullable Long> balances(DirectTransaction txn) {
    List<@Nullable Long> found = txn.getAll(accounts());
    Map<Long, @Nullable Long> balances = new TreeMap<>();
    for (int id = 0; id < found.size(); id++) {
      balances.put((long) id, found.get(id));
    }
    return balances;
  }

  private static @Nullable Object open(DirectTransaction txn) {
    for (TypedKey<Long> account : accounts()) {
      if (txn.get(account) == null) {
        txn.put(account, OPENING);
      }
    }
    return null;
  }

  private static long balance(DirectTransaction txn, Request request, String side) {
    return txn.getOrDefault(account(request, side), 0L);
  }

  private static TypedKey<Long> account(Request request, String side) {
    return ACCOUNTS.key(Values.number(request.value(), side));
  }

  private static @Nullable Object transfer(
      DirectTransaction txn, Request request, long from, long to) {
    long amount = Values.number(request.value(), "amount");
    if (from < amount) {
      throw txn.abort();
    }
    txn.put(account(request, "from"), from - amount);
    txn.put(account(request, "to"), to + amount);
    return request.value();
  }

  @Override
  public Reply runInPieces(Runner runner, Request request) {
    if (!request.f().equals("transfer")) {
      return runner.run(txn -> run(txn, request));
    }
    Reply seen =
        runner.run(txn -> List.of(balance(txn, request, "from"), balance(txn, request, "to")));
    if (!seen.ok()) {
      return seen;
    }
    List<?> had = (List<?>) Objects.requireNonNull(seen.value());
    return runner.run(txn -> transfer(txn, request, (Long) had.get(0), (Long) had.get(1)));
  }
}
