package org.mortydb.client.engine;

import java.util.Objects;
import org.mortydb.client.TransactionOptions;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystem;

/**
 * Options of an engine.
 *
 * @param system the system whose coordinators the engine runs; the servers must run the same system
 * @param transaction deadline and retries of transactions without options of their own
 * @param coordinator time-outs of each attempt; the rest of the transaction's deadline replaces its
 *     deadline
 * @param maxInFlight the most transactions in flight at a time, including those that wait for
 *     another attempt; at least 1
 * @param maxQueued the most transactions that wait to begin, 0 or more; the engine refuses more
 * @param rememberedOutcomes how many outcomes the engine keeps to answer replicas that missed them;
 *     at least 1
 * @param slots whether ids are taken from slots of time that belong to regions in turn
 * @param admission whether fewer transactions than {@code maxInFlight} are in flight
 * @param past how far back the cluster reads the past
 * @param durability what the servers do for all transactions
 */
public record EngineOptions(
    TransactionSystem system,
    TransactionOptions transaction,
    CoordinatorOptions coordinator,
    int maxInFlight,
    int maxQueued,
    int rememberedOutcomes,
    RegionSlots slots,
    Admission admission,
    PastLimits past,
    ServerDurability durability) {

  /**
   * 10,000 transactions in flight, 100,000 queued, 65,536 outcomes remembered, no slots, no
   * admission.
   */
  public static final EngineOptions DEFAULTS =
      new EngineOptions(
          Morty.SYSTEM,
          TransactionOptions.DEFAULTS,
          CoordinatorOptions.DEFAULTS,
          10_000,
          100_000,
          65_536,
          RegionSlots.NONE,
          Admission.OFF,
          PastLimits.UNKNOWN,
          ServerDurability.UNKNOWN);

  /**
   * @throws IllegalArgumentException when a limit is out of its range
   */
  public EngineOptions {
    Objects.requireNonNull(system, "system");
    Objects.requireNonNull(transaction, "transaction");
    Objects.requireNonNull(coordinator, "coordinator");
    Objects.requireNonNull(slots, "slots");
    Objects.requireNonNull(admission, "admission");
    Objects.requireNonNull(past, "past");
    Objects.requireNonNull(durability, "durability");
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

  /** The same options for another system. */
  public EngineOptions withSystem(TransactionSystem other) {
    return new EngineOptions(
        other,
        transaction,
        coordinator,
        maxInFlight,
        maxQueued,
        rememberedOutcomes,
        slots,
        admission,
        past,
        durability);
  }

  /** The same with other transaction options. */
  public EngineOptions withTransaction(TransactionOptions options) {
    return new EngineOptions(
        system,
        options,
        coordinator,
        maxInFlight,
        maxQueued,
        rememberedOutcomes,
        slots,
        admission,
        past,
        durability);
  }

  /** The same with other coordinator options. */
  public EngineOptions withCoordinator(CoordinatorOptions options) {
    return new EngineOptions(
        system,
        transaction,
        options,
        maxInFlight,
        maxQueued,
        rememberedOutcomes,
        slots,
        admission,
        past,
        durability);
  }

  /** The same with other limits on transactions in flight and on transactions that wait. */
  public EngineOptions withLimits(int inFlight, int queued) {
    return new EngineOptions(
        system,
        transaction,
        coordinator,
        inFlight,
        queued,
        rememberedOutcomes,
        slots,
        admission,
        past,
        durability);
  }

  /** The same with other slots. */
  public EngineOptions withSlots(RegionSlots other) {
    return new EngineOptions(
        system,
        transaction,
        coordinator,
        maxInFlight,
        maxQueued,
        rememberedOutcomes,
        other,
        admission,
        past,
        durability);
  }

  /** The same with another admission. */
  public EngineOptions withAdmission(Admission other) {
    return new EngineOptions(
        system,
        transaction,
        coordinator,
        maxInFlight,
        maxQueued,
        rememberedOutcomes,
        slots,
        other,
        past,
        durability);
  }

  /** The same for a cluster that reads the past so far back. */
  public EngineOptions withPast(PastLimits limits) {
    return new EngineOptions(
        system,
        transaction,
        coordinator,
        maxInFlight,
        maxQueued,
        rememberedOutcomes,
        slots,
        admission,
        limits,
        durability);
  }

  /** The same for a cluster whose servers keep so much. */
  public EngineOptions withDurability(ServerDurability ofServers) {
    return new EngineOptions(
        system,
        transaction,
        coordinator,
        maxInFlight,
        maxQueued,
        rememberedOutcomes,
        slots,
        admission,
        past,
        ofServers);
  }
}
