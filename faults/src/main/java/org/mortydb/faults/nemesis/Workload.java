package org.mortydb.faults.nemesis;

import java.util.List;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.jepsen.HistoryCheck;
import org.mortydb.client.DirectTransaction;

/**
 * What clients do. Requests are made by one object, and carried out by another one in a client's
 * process, which has no state.
 */
public interface Workload {

  /** A new one of a kind. */
  static Workload of(HistoryCheck kind) {
    return switch (kind) {
      case APPEND -> new ListAppend();
      case REGISTER -> new Registers();
      case LONG_FORK -> new LongFork();
      case BANK -> new Bank();
      case SET -> new Elements();
      case G2 -> new Pairs();
      case MONOTONIC -> new Counters();
      case LINEAR -> new Singles();
      case FOLLOW -> new Follow();
    };
  }

  /** Runs a body in a transaction. */
  interface Runner {
    /** How the transaction ended. */
    Reply run(Function<DirectTransaction, @Nullable Object> body);
  }

  /** Requests to carry out before the first, until they succeed; no part of the history. */
  default List<Request> opening() {
    return List.of();
  }

  /** The next request. */
  Request next(RandomGenerator random);

  /** Requests that read all there is, for when every other has ended. */
  List<Request> closing();

  /** Whether a request writes. */
  boolean writes(Request request);

  /**
   * Carries a request out in a transaction. May run several times, and has no other effects.
   *
   * @return the operation's value, now that it is known
   */
  @Nullable Object run(DirectTransaction txn, Request request);

  /**
   * Carries a request out in several transactions, as no client should: {@link PlantedError#SPLIT}.
   */
  Reply runInPieces(Runner runner, Request request);
}
