package org.mortydb.faults.nemesis;

import java.util.List;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.jepsen.HistoryCheck;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.TransactionOptions;

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
      case LEVELS -> new Levels();
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

  /** The options of the transaction that carries a request out. */
  default TransactionOptions options(TransactionOptions given, Request request) {
    return given;
  }

  /**
   * What the history has of a committed request.
   *
   * @param value what {@link #run} has returned
   * @param beganMicros when the client began it, by its wall clock
   */
  default @Nullable Object completed(Request request, @Nullable Object value, long beganMicros) {
    return value;
  }

  /** Carries a request out in several transactions, for {@link PlantedError#SPLIT}. */
  Reply runInPieces(Runner runner, Request request);
}
