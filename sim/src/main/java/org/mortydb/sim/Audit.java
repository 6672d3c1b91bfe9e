package org.mortydb.sim;

import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Result;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.engine.ResultHandler;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.ReexecutionPolicy;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.sim.Violation.Rule;
import org.mortydb.sim.host.ClientHost;
import org.mortydb.sim.host.CpuModel;
import org.mortydb.sim.host.Host;
import org.mortydb.sim.host.HostClock;
import org.mortydb.sim.host.HostSpec;
import org.mortydb.sim.workload.KeyUniverse;

/** Reads every key after the run has settled, with correct clocks. */
final class Audit {
  /** All other client ids are small or random. */
  private static final ClientId AUDITOR = new ClientId(Long.MAX_VALUE - 1);

  private final TransactionSystem system;
  private final Run run;
  private int open;

  Audit(TransactionSystem system, Run run) {
    this.system = system;
    this.run = run;
  }

  /**
   * @param mustSucceed whether an unreadable key is a violation
   * @param lastTxnMicros the time of the last transaction; the audit comes after it
   */
  void run(List<Host> hosts, boolean mustSucceed, long lastTxnMicros) {
    run.trace().write(() -> "audit");
    for (Host host : hosts) {
      host.clock()
          .jump(HostClock.EPOCH_MICROS + run.kernel().nowMicros() - host.clock().nowMicros());
    }
    run.kernel()
        .runUntil(
            Math.max(
                    run.kernel().nowMicros(),
                    Math.max(lastTxnMicros, run.watch().fenceMicros()) - HostClock.EPOCH_MICROS)
                + run.plan().maxRoundTripMicros());
    ClientHost auditor = auditor();
    for (TypedKey<String> key : run.plan().load().keys().byKind()) {
      open++;
      auditor.run(() -> read(auditor, key, mustSucceed));
    }
    while (open > 0 && run.kernel().runNext()) {
      // Deadlines end every transaction.
    }
  }

  private ClientHost auditor() {
    long patience = 400 * run.plan().maxRoundTripMicros();
    EngineOptions options =
        EngineOptions.DEFAULTS
            .withSystem(system)
            .withCoordinator(
                new CoordinatorOptions(
                    patience,
                    patience,
                    4 * run.plan().maxRoundTripMicros(),
                    run.plan().maxRoundTripMicros(),
                    0,
                    ReexecutionPolicy.upTo(100)))
            .withTransaction(
                new TransactionOptions(
                    patience, new RetryPolicy(20, run.plan().maxRoundTripMicros(), patience / 10)));
    ClientHost auditor =
        new ClientHost(
            new HostSpec("auditor", 0, 1, 0, 0),
            run.kernel(),
            run.fabric(),
            CpuModel.FREE,
            AUDITOR,
            run.plan().topology(0),
            options,
            0,
            new SplittableRandom(1));
    auditor
        .engine()
        .listen(
            attempt -> {
              run.watch().onCompletion(AUDITOR, attempt.completion());
              run.history().attemptEnded(attempt);
            });
    return auditor;
  }

  private void read(ClientHost auditor, TypedKey<String> key, boolean mustSucceed) {
    auditor
        .engine()
        .execute(
            List.<String>of(),
            (txn, ctx) -> txn.get(ctx, key, (c, value) -> txn.commit(c.with(found(value)))),
            new ResultHandler<>() {
              @Override
              public void completed(Result<List<String>> result) {
                open--;
                ended(key, result, mustSucceed);
              }

              @Override
              public void failed(Throwable cause) {
                open--;
                run.watch().violated(Rule.UNREADABLE, key + ": " + cause);
              }
            });
  }

  private static List<String> found(@Nullable String value) {
    return value == null ? List.of() : List.of(value);
  }

  private void ended(TypedKey<String> key, Result<List<String>> result, boolean mustSucceed) {
    switch (result) {
      case Result.Committed<List<String>>(List<String> value, var info) -> {
        run.marks().add("audited");
        if (KeyUniverse.isList(key.toString())) {
          run.history()
              .lists()
              .addFinalRead(
                  key.toString(),
                  value.isEmpty() ? List.of() : KeyUniverse.elements(value.getFirst()));
        }
      }
      case Result.AbortedByApplication<List<String>> _,
          Result.AbortedByConflict<List<String>> _,
          Result.OutcomeUnknown<List<String>> _ ->
          unreadable(key, result, mustSucceed);
    }
  }

  private void unreadable(TypedKey<String> key, Result<?> result, boolean mustSucceed) {
    run.marks().add("audit blocked");
    if (mustSucceed) {
      run.watch()
          .violated(
              Rule.UNREADABLE,
              key + " is unreadable, although no transaction is undecided: " + result);
    }
  }
}
