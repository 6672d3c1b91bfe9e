package org.mortydb.faults.nemesis;

import java.util.List;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.jepsen.HistoryCheck;
import org.mortydb.client.DirectTransaction;

/**
 * The operations of clients. One object makes the requests. Another one, without state, carries
 * them out in a client process.
 */
public interface Workload {

  /** A new workload. */
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
    /** Runs it; returns how the transaction ended. */
    Reply run(Function<DirectTransaction, @Nullable Object> body);
  }

  /** Requests to repeat before all others until they commit; no part of the history. */
  default List<Request> opening() {
    return List.of();
  }

  /** The next request. */
  Request next(RandomGenerator random);

  /** Requests that read all keys after all others have ended. */
  List<Request> closing();

  /** Whether a request writes. */
  boolean writes(Request request);

  /**
   * Carries a request out in a transaction. May run several times, and has no other effects.
   *
   * @return the value of the operation, completed
   */
  @Nullable Object run(DirectTransaction txn, Request request);

  /** Carries a request out in several transactions, for {@link PlantedError#SPLIT}. */
  Reply runInPieces(Runner runner, Request request);
}
