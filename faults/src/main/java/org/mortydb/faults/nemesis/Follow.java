package org.mortydb.faults.nemesis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.DirectTransaction;

/**
 * A transaction reads a list, and appends to the one that the length of the first leads to: what it
 * writes, and where, follows from what it reads, so that a transaction that is executed again
 * writes other keys than before. In none of the other workloads does it.
 */
final class Follow implements Workload {
  private static final int LISTS = 6;
  private static final int MOST_APPENDS = 24;

  /** Of one transaction that only reads. */
  private static final int READS = 8;

  private static final String FOLLOW = "follow";

  private final ListAppend lists = new ListAppend();
  private long nextElement;

  /** The first of the lists that are in use for an element; some at a time. */
  private static long firstList(long element) {
    return element / (LISTS * MOST_APPENDS) * LISTS;
  }

  @Override
  public Request next(RandomGenerator random) {
    return new Request(FOLLOW, nextElement++);
  }

  @Override
  public List<Request> closing() {
    List<Request> requests = new ArrayList<>();
    long end = firstList(nextElement) + LISTS;
    for (long from = 0; from < end; from += READS) {
      List<List<@Nullable Object>> parts = new ArrayList<>();
      for (long list = from; list < Math.min(end, from + READS); list++) {
        parts.add(Values.part("r", list, null));
      }
      requests.add(new Request("txn", parts));
    }
    return requests;
  }

  @Override
  public boolean writes(Request request) {
    return request.f().equals(FOLLOW);
  }

  @Override
  public @Nullable Object run(DirectTransaction txn, Request request) {
    return writes(request)
        ? append(txn, request, lists.read(txn, start(request)))
        : lists.run(txn, request);
  }

  private static long element(Request request) {
    return ((Number) Objects.requireNonNull(request.value())).longValue();
  }

  /** The list that is read; another one for each of some elements that follow each other. */
  private static long start(Request request) {
    return firstList(element(request)) + element(request) % LISTS;
  }

  private List<?> append(DirectTransaction txn, Request request, @Nullable Object seen) {
    long length = seen instanceof List<?> list ? list.size() : 0;
    long to = firstList(element(request)) + (start(request) + length) % LISTS;
    lists.write(txn, to, element(request));
    return List.of(
        Values.part("r", start(request), seen), Values.part("append", to, element(request)));
  }

  @Override
  public Reply runInPieces(Runner runner, Request request) {
    if (!writes(request)) {
      return lists.runInPieces(runner, request);
    }
    Reply looked = runner.run(txn -> lists.read(txn, start(request)));
    return looked.ok() ? runner.run(txn -> append(txn, request, looked.value())) : looked;
  }
}
