package org.mortydb.faults.nemesis;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.jepsen.HistoryCheck;
import org.mortydb.client.Client;
import org.mortydb.client.ClientClosedException;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.NotAuthorizedException;
import org.mortydb.client.OverloadedException;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TransactionRefusedException;
import org.mortydb.protocol.machine.Completion.Path;

/** Runs requests as transactions of a client. Safe for use by several threads. */
final class RequestRunner {
  private static final int PLANTED_ONE_OF = 20;

  private final Client client;
  private final PlantedError planted;
  private final Map<HistoryCheck, Workload> workloads = new EnumMap<>(HistoryCheck.class);

  RequestRunner(Client client, PlantedError planted) {
    this.client = client;
    this.planted = planted;
    for (HistoryCheck kind : HistoryCheck.values()) {
      workloads.put(kind, Workload.of(kind));
    }
  }

  /** Carries a request out. */
  Reply execute(HistoryCheck kind, Request request) {
    Workload workload = Objects.requireNonNull(workloads.get(kind));
    boolean chosen =
        workload.writes(request)
            && ThreadLocalRandom.current().nextInt(PLANTED_ONE_OF) == 0
            && !workload.opening().contains(request);
    return switch (planted) {
      case SPLIT -> workload.runInPieces(this::run, request);
      case FORGET -> chosen ? forget(workload, request) : honest(workload, request);
      case MISREPORT -> {
        Reply reply = honest(workload, request);
        yield chosen && reply.ok() ? Reply.fail("misreported") : reply;
      }
      case NONE -> honest(workload, request);
    };
  }

  private Reply honest(Workload workload, Request request) {
    long beganMicros = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    Reply reply =
        run(workload.options(client.options(), request), txn -> workload.run(txn, request));
    return reply.ok()
        ? new Reply(
            reply.type(),
            workload.completed(request, reply.value(), beganMicros),
            null,
            reply.place())
        : reply;
  }

  /** Rolls a transaction back and reports it as committed. */
  private Reply forget(Workload workload, Request request) {
    AtomicReference<@Nullable Object> seen = new AtomicReference<>();
    Reply reply =
        run(
            txn -> {
              seen.set(workload.run(txn, request));
              throw txn.abort();
            });
    Object value = seen.get();
    return value == null ? reply : Reply.ok(value);
  }

  /** Reports an outcome as certain only if the client does. */
  private Reply run(Function<DirectTransaction, @Nullable Object> body) {
    return run(client.options(), body);
  }

  private Reply run(
      TransactionOptions options, Function<DirectTransaction, @Nullable Object> body) {
    try {
      Result<@Nullable Object> result = client.run(options, body::apply);
      return switch (result) {
        case Result.Committed<@Nullable Object> committed ->
            committed.info().path() == Path.LOCAL
                ? Reply.ok(committed.value()) // it has no place in the serial order
                : Reply.ok(committed.value(), committed.info().txn());
        case Result.AbortedByApplication<@Nullable Object> _ -> Reply.fail("aborted");
        case Result.AbortedByConflict<@Nullable Object> _ -> Reply.fail("conflict");
        case Result.OutcomeUnknown<@Nullable Object> _ -> Reply.info("outcome-unknown");
      };
    } catch (OverloadedException
        | ClientClosedException
        | TransactionRefusedException
        | NotAuthorizedException e) {
      // By the client's documentation each of these leaves nothing behind.
      return Reply.fail("refused");
    }
  }
}
