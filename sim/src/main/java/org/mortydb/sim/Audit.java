package org.mortydb.sim;

import java.util.ArrayList;
import java.util.List;
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
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.sim.Violation.Rule;
import org.mortydb.sim.host.ClientHost;
import org.mortydb.sim.host.CpuModel;
import org.mortydb.sim.host.Fabric;
import org.mortydb.sim.host.Host;
import org.mortydb.sim.host.HostClock;
import org.mortydb.sim.host.HostSpec;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.Trace;
import org.mortydb.sim.workload.KeyUniverse;

/** Reads every key once everything has come to rest, with all clocks set right. */
final class Audit {
  /** Every other client's id is either small or random. */
  private static final ClientId AUDITOR = new ClientId(Long.MAX_VALUE - 1);

  private final TransactionSystem system;
  private final Plan plan;
  private final Kernel kernel;
  private final Fabric fabric;
  private final Trace trace;
  private final RunHistory history;
  private final Watch watch;
  private final Marks marks;
  private int open;

  Audit(
      TransactionSystem system,
      Plan plan,
      Kernel kernel,
      Fabric fabric,
      Trace trace,
      RunHistory history,
      Watch watch,
      Marks marks) {
    this.system = system;
    this.plan = plan;
    this.kernel = kernel;
    this.fabric = fabric;
    this.trace = trace;
    this.history = history;
    this.watch = watch;
    this.marks = marks;
  }

  /**
   * @param mustSucceed whether every key must be readable
   * @param lastTxnMicros the time of the last transaction; the audit comes after it
   */
  void run(List<Host> hosts, boolean mustSucceed, long lastTxnMicros) {
    trace.write(() -> "audit");
    for (Host host : hosts) {
      host.clock().jump(HostClock.EPOCH_MICROS + kernel.nowMicros() - host.clock().nowMicros());
    }
    kernel.runUntil(
        Math.max(kernel.nowMicros(), lastTxnMicros - HostClock.EPOCH_MICROS)
            + plan.maxRoundTripMicros());
    ClientHost auditor = auditor();
    for (TypedKey<String> key : allKeys()) {
      open++;
      auditor.run(() -> read(auditor, key, mustSucceed));
    }
    while (open > 0 && kernel.runNext()) {
      // The deadline ends every transaction.
    }
  }

  private ClientHost auditor() {
    int[] closest = new int[plan.cluster().partitions()];
    long patience = 400 * plan.maxRoundTripMicros();
    EngineOptions options =
        EngineOptions.DEFAULTS
            .withSystem(system)
            .withCoordinator(
                new CoordinatorOptions(
                    patience,
                    patience,
                    4 * plan.maxRoundTripMicros(),
                    plan.maxRoundTripMicros(),
                    0,
                    ReexecutionPolicy.upTo(100)))
            .withTransaction(
                new TransactionOptions(
                    patience, new RetryPolicy(20, plan.maxRoundTripMicros(), patience / 10)));
    ClientHost auditor =
        new ClientHost(
            new HostSpec("auditor", 0, 1, 0, 0),
            kernel,
            fabric,
            CpuModel.FREE,
            AUDITOR,
            new Topology(plan.cluster().f(), closest),
            options,
            new java.util.SplittableRandom(1));
    auditor
        .engine()
        .listen(
            attempt -> {
              watch.onCompletion(AUDITOR, attempt.completion());
              history.attemptEnded(attempt);
            });
    return auditor;
  }

  private List<TypedKey<String>> allKeys() {
    KeyUniverse keys = plan.load().keys();
    List<TypedKey<String>> all = new ArrayList<>(keys.lists());
    all.addAll(keys.registers());
    all.addAll(keys.pairs());
    all.addAll(keys.constants());
    all.addAll(keys.deletables());
    return all;
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
                watch.violated(Rule.UNREADABLE, key + ": " + cause);
              }
            });
  }

  private static List<String> found(@Nullable String value) {
    return value == null ? List.of() : List.of(value);
  }

  private void ended(TypedKey<String> key, Result<List<String>> result, boolean mustSucceed) {
    switch (result) {
      case Result.Committed<List<String>>(List<String> value, var info) -> {
        marks.add("audited");
        if (KeyUniverse.isList(key.toString())) {
          history
              .lists()
              .addFinalRead(
                  key.toString(),
                  value.isEmpty() ? List.of() : KeyUniverse.elements(value.getFirst()));
        }
      }
      case Result.AbortedByApplication<List<String>> aborted ->
          unreadable(key, result, mustSucceed);
      case Result.AbortedByConflict<List<String>> aborted -> unreadable(key, result, mustSucceed);
      case Result.OutcomeUnknown<List<String>> unknown -> unreadable(key, result, mustSucceed);
    }
  }

  private void unreadable(TypedKey<String> key, Result<?> result, boolean mustSucceed) {
    marks.add("audit blocked");
    if (mustSucceed) {
      watch.violated(
          Rule.UNREADABLE, key + " could not be read although nothing is undecided: " + result);
    }
  }
}
