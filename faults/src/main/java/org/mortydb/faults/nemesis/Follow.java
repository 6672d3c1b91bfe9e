package org.mortydb.faults.nemesis;

import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.DirectTransaction;

/**
 * A transaction reads a list, and appends to the list that the length of the first leads to. So the
 * key that it writes depends on what it reads, and a re-execution may write another key. No other
 * workload does that.
 */
final class Follow extends ReadThenWrite {
  private static final int LISTS = 6;
  private static final int MOST_APPENDS = 24;

  /** In one transaction that only reads. */
  private static final int READS = 8;

  private static final String FOLLOW = "follow";

  private final ListAppend lists = new ListAppend();
  private long nextElement;

  /** The first of the few lists that are in use for an element. */
  private static long firstList(long element) {
    return element / (LISTS * MOST_APPENDS) * LISTS;
  }

  @Override
  public Request next(RandomGenerator random) {
    return new Request(FOLLOW, nextElement++);
  }

  @Override
  public List<Request> closing() {
    return PartsWorkload.readingAll("txn", firstList(nextElement) + LISTS, READS);
  }

  @Override
  public boolean writes(Request request) {
    return request.f().equals(FOLLOW);
  }

  @Override
  @Nullable Object read(DirectTransaction txn, Request request) {
    return lists.run(txn, request);
  }

  @Override
  @Nullable Object look(DirectTransaction txn, Request request) {
    return lists.read(txn, start(request));
  }

  @Override
  List<?> write(DirectTransaction txn, Request request, @Nullable Object seen) {
    long length = seen instanceof List<?> list ? list.size() : 0;
    long to = firstList(element(request)) + (start(request) + length) % LISTS;
    lists.write(txn, to, element(request));
    return List.of(
        Values.part("r", start(request), seen), Values.part("append", to, element(request)));
  }

  private static long element(Request request) {
    return ((Number) Objects.requireNonNull(request.value())).longValue();
  }

  /** The list that is read: consecutive elements read different lists. */
  private static long start(Request request) {
    return firstList(element(request)) + element(request) % LISTS;
  }
}
