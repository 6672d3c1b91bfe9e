package org.mortydb.sim;

import java.util.List;
import java.util.SplittableRandom;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.ReexecutionPolicy;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.sim.host.ClientHost.Boundary;
import org.mortydb.sim.workload.Step;
import org.mortydb.sim.workload.WorkloadProfile;

/** Combinations of settings that make rare schedules frequent. */
public enum Scenario {
  /** No change to the drawn values. */
  PLAIN,

  /**
   * Transactions access other keys when they re-execute, and then give up. Replicas recover them
   * late. If messages may be lost, many are. If coordinators may die, many do, most of them during
   * a commit. So some replicas hold abandoned executions while others never hear of the next ones.
   */
  STUBBORN,

  /**
   * Replicas discard state at once, in rare rounds. If messages may be lost, many are. So only the
   * state that a restart restores protects discarded transactions.
   */
  FORGETFUL,

  /** Transactions delete what others have just written, and replicas soon drop the deletions. */
  DELETING;

  /** The share of lost messages, if messages may be lost. */
  double loss(SplittableRandom random) {
    double usual = random.nextInt(1, random.nextInt(4) == 0 ? 200 : 50) / 1_000.0;
    return this == PLAIN || this == DELETING ? usual : 0.3;
  }

  /** The profile of transactions. */
  WorkloadProfile adapted(WorkloadProfile profile) {
    return switch (this) {
      case STUBBORN ->
          new WorkloadProfile(
              "stubborn",
              List.of(Step.CHASE_POINTER, Step.CONDITIONAL_WRITES, Step.READ_MODIFY_WRITE),
              Math.max(3, profile.maxSteps()),
              1,
              profile.freshShare(),
              0,
              profile.directShare());
      case DELETING ->
          new WorkloadProfile(
              "deleting",
              List.of(Step.TOGGLE, Step.TOGGLE, Step.COUNT_AND_ADD, Step.SCAN, Step.READ_MANY),
              Math.min(2, profile.maxSteps()),
              profile.dependentShare(),
              profile.freshShare(),
              profile.abortShare(),
              profile.directShare());
      case PLAIN, FORGETFUL -> profile;
    };
  }

  /** The message before which a coordinator dies. */
  Boundary deathOf(SplittableRandom random) {
    boolean any = random.nextInt(this == STUBBORN ? 8 : 2) == 0;
    return any ? Boundary.ANY : Boundary.PREPARED;
  }

  static Scenario draw(SplittableRandom random) {
    return switch (random.nextInt(8)) {
      case 0 -> STUBBORN;
      case 1 -> FORGETFUL;
      case 2 -> DELETING;
      default -> PLAIN;
    };
  }

  CoordinatorOptions adapted(CoordinatorOptions options, long roundTripMicros) {
    return this == STUBBORN
        ? new CoordinatorOptions(
            60 * roundTripMicros,
            60 * roundTripMicros,
            5 * roundTripMicros / 2,
            options.slowPathMicros(),
            options.clockUncertaintyMicros(),
            ReexecutionPolicy.upTo(1))
        : options;
  }

  ReplicaOptions adapted(ReplicaOptions options, long roundTripMicros) {
    return switch (this) {
      case PLAIN -> options;
      case STUBBORN ->
          new ReplicaOptions(
              options.allowedSkewMicros(),
              200 * roundTripMicros,
              options.tickMicros(),
              12 * roundTripMicros,
              options.maxVersionsPerKey());
      case FORGETFUL ->
          new ReplicaOptions(
              options.allowedSkewMicros(),
              Math.max(1, roundTripMicros / 2),
              5 * roundTripMicros,
              5 * roundTripMicros / 2,
              options.maxVersionsPerKey());
      case DELETING ->
          new ReplicaOptions(
              options.allowedSkewMicros(),
              6 * roundTripMicros,
              roundTripMicros / 2 + 1,
              options.inquireMicros(),
              options.maxVersionsPerKey());
    };
  }
}
