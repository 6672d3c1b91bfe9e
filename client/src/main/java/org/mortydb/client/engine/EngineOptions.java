package org.mortydb.client.engine;

import java.util.Objects;
import org.mortydb.baselines.TransactionSystem;
import org.mortydb.client.TransactionOptions;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.CoordinatorRules;

/**
 * How an engine works.
 *
 * @param system which system's coordinators it runs; the servers must run the same
 * @param transaction deadline and retries of transactions that have no options of their own
 * @param coordinator how patient each attempt is; its deadline is replaced by what remains of the
 *     transaction's
 * @param rules {@link CoordinatorRules#SOUND}, except in tests of the checkers
 * @param maxInFlight the most transactions under way at a time, waits between attempts included; at
 *     least 1
 * @param maxQueued the most transactions that wait to begin; more are refused; 0 or more
 * @param rememberedOutcomes how many outcomes are kept to answer replicas that missed them; at
 *     least 1
 */
public record EngineOptions(
    TransactionSystem system,
    TransactionOptions transaction,
    CoordinatorOptions coordinator,
    CoordinatorRules rules,
    int maxInFlight,
    int maxQueued,
    int rememberedOutcomes) {

  /** 10,000 transactions in flight, 100,000 queued, 65,536 outcomes remembered. */
  public static final EngineOptions DEFAULTS =
      new EngineOptions(
          TransactionSystem.MORTY,
          TransactionOptions.DEFAULTS,
          CoordinatorOptions.DEFAULTS,
          CoordinatorRules.SOUND,
          10_000,
          100_000,
          65_536);

  /**
   * @throws IllegalArgumentException when a limit is out of its range
   */
  public EngineOptions {
    Objects.requireNonNull(system, "system");
    Objects.requireNonNull(transaction, "transaction");
    Objects.requireNonNull(coordinator, "coordinator");
    Objects.requireNonNull(rules, "rules");
    if (maxInFlight < 1 || maxQueued < 0 || rememberedOutcomes < 1) {
      throw new IllegalArgumentException(
          "maxInFlight and rememberedOutcomes must be at least 1 and maxQueued at least 0, but they"
              + " are "
              + maxInFlight
              + ", "
              + rememberedOutcomes
              + ", "
              + maxQueued);
    }
  }

  /** The same for another system. */
  public EngineOptions withSystem(TransactionSystem other) {
    return new EngineOptions(
        other, transaction, coordinator, rules, maxInFlight, maxQueued, rememberedOutcomes);
  }

  /** The same with other transaction options. */
  public EngineOptions withTransaction(TransactionOptions options) {
    return new EngineOptions(
        system, options, coordinator, rules, maxInFlight, maxQueued, rememberedOutcomes);
  }

  /** The same with other coordinator options. */
  public EngineOptions withCoordinator(CoordinatorOptions options) {
    return new EngineOptions(
        system, transaction, options, rules, maxInFlight, maxQueued, rememberedOutcomes);
  }

  /** The same with other rules. */
  public EngineOptions withRules(CoordinatorRules other) {
    return new EngineOptions(
        system, transaction, coordinator, other, maxInFlight, maxQueued, rememberedOutcomes);
  }

  /** The same with other bounds of what is under way and what waits. */
  public EngineOptions withLimits(int inFlight, int queued) {
    return new EngineOptions(
        system, transaction, coordinator, rules, inFlight, queued, rememberedOutcomes);
  }
}
