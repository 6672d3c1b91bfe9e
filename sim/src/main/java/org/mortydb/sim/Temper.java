package org.mortydb.sim;

import java.util.List;
import java.util.SplittableRandom;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.ReexecutionPolicy;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.sim.host.ClientHost.Boundary;
import org.mortydb.sim.workload.Step;
import org.mortydb.sim.workload.WorkloadProfile;

/** Combinations of settings under which rare schedules are frequent. */
public enum Temper {
  /** Whatever is drawn. */
  EVEN,

  /**
   * Transactions read and write other keys when they re-execute, and give up after that; replicas
   * take long to recover them. Where messages may be lost, many are, and where coordinators may
   * die, many do, most of them amid a commit. So replicas hold executions that were given up, and
   * others have not heard of what came after.
   */
  STUBBORN,

  /**
   * Replicas forget at once, in rounds that are far apart; where messages may be lost, many are. So
   * what a restart brings back is all that keeps the past closed.
   */
  FORGETFUL;

  /** The share of messages that are lost, where they may be. */
  double loss(SplittableRandom random) {
    double usual = random.nextInt(1, random.nextInt(4) == 0 ? 200 : 50) / 1_000.0;
    return this == EVEN ? usual : 0.3;
  }

  /** What transactions are like. */
  WorkloadProfile adapted(WorkloadProfile profile) {
    return this == STUBBORN
        ? new WorkloadProfile(
            "stubborn",
            List.of(Step.CHASE_POINTER, Step.CONDITIONAL_WRITES, Step.READ_MODIFY_WRITE),
            Math.max(3, profile.maxSteps()),
            1,
            profile.freshShare(),
            0)
        : profile;
  }

  /** Before which of its messages a coordinator dies. */
  Boundary deathOf(SplittableRandom random) {
    boolean any = random.nextInt(this == STUBBORN ? 8 : 2) == 0;
    return any ? Boundary.ANY : Boundary.PREPARED;
  }

  static Temper draw(SplittableRandom random) {
    return switch (random.nextInt(8)) {
      case 0 -> STUBBORN;
      case 1 -> FORGETFUL;
      default -> EVEN;
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
      case EVEN -> options;
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
    };
  }
}
