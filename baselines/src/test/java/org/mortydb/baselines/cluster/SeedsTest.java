package org.mortydb.baselines.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.mortydb.baselines.snapshot.SnapshotIsolation.Level;
import org.mortydb.baselines.snapshot.SnapshotIsolation.OnConflict;
import org.mortydb.baselines.twophase.BaselineRules;
import org.mortydb.check.anomaly.Anomaly;
import org.mortydb.protocol.machine.Completion.AbortReason;

/** The systems with leaders, with many seeds, and weakened systems that the checks must notice. */
class SeedsTest {
  private static final int SEEDS = 12;
  private static final String INSTEAD = "instead of";

  enum Subject {
    SPANNER(ClusterSpec.spanner()),
    OCC(ClusterSpec.occ()),
    SI(ClusterSpec.snapshots(Level.SNAPSHOT, OnConflict.FAIL)),
    SI_WAIT(ClusterSpec.snapshots(Level.SNAPSHOT, OnConflict.WAIT)),
    SSI(ClusterSpec.snapshots(Level.SERIALIZABLE, OnConflict.FAIL)),
    SSI_WAIT(ClusterSpec.snapshots(Level.SERIALIZABLE, OnConflict.WAIT));

    final ClusterSpec spec;

    Subject(ClusterSpec spec) {
      this.spec = spec;
    }
  }

  private static void runClean(ClusterSpec spec) {
    int committed = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      committed += run(spec, seed).history.committed();
    }
    // A cluster without commits would pass as well.
    assertThat(committed).isGreaterThan(SEEDS * 40);
  }

  private static GroupCluster run(ClusterSpec spec, long seed) {
    try {
      return new GroupCluster(spec, seed).run();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed + " of " + spec, e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void cleanOnAReorderingNetwork(Subject subject) {
    runClean(subject.spec);
  }

  @ParameterizedTest
  @EnumSource
  void cleanWithLossDuplicatesSkewAndDeadClients(Subject subject) {
    runClean(subject.spec.withFaults(5, 10, 2).withClocks(30_000, 0));
  }

  @ParameterizedTest
  @EnumSource
  void cleanWithFiveReplicasAndManyPartitions(Subject subject) {
    runClean(subject.spec.withSize(2, 4, 12).withFaults(5, 5, 1).withClocks(5_000, 1_000));
  }

  @ParameterizedTest
  @EnumSource
  void cleanOnTwoKeys(Subject subject) {
    runClean(subject.spec.withSize(1, 2, 2));
  }

  /** Messages are repeated because they may be lost. Where none is, none may need it. */
  @ParameterizedTest
  @EnumSource
  void nothingWaitsForARepetitionWhereNothingIsLost(Subject subject) {
    for (long seed = 0; seed < 4 * SEEDS; seed++) {
      GroupCluster cluster = new GroupCluster(subject.spec.withSize(1, 4, 12), seed, false).run();
      assertThat(cluster.history.aborts().keySet())
          .as("seed " + seed)
          .isSubsetOf(AbortReason.CONFLICT, AbortReason.APPLICATION);
      assertThat(cluster.history.unknown()).as("seed " + seed).isEmpty();
    }
  }

  @Test
  void commitWaitMakesTheOrderThatOfRealTime() {
    ClusterSpec spec = ClusterSpec.spanner().withFaults(2, 2, 0).withClocks(10_000, 10_000);
    for (long seed = 0; seed < SEEDS; seed++) {
      run(spec, seed).history.checkRealTime();
    }
  }

  @Test
  void clocksThatAreWorseThanBelievedBreakThatOrder() {
    ClusterSpec spec = ClusterSpec.spanner().withClocks(10_000, 0);
    assertThatThrownBy(
            () -> {
              for (long seed = 0; seed < SEEDS; seed++) {
                run(spec, seed).history.checkRealTime();
              }
            })
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("had ended, and is before it");
  }

  // ---- weakened rules -----------------------------------------------------------------------

  private static void isFoundOut(ClusterSpec spec, BaselineRules rules, String message) {
    isFoundOut(spec, rules, SEEDS, message);
  }

  private static void isFoundOut(ClusterSpec spec, BaselineRules rules, int seeds, String message) {
    assertThatThrownBy(
            () -> {
              for (long seed = 0; seed < seeds; seed++) {
                new GroupCluster(spec.withRules(rules), seed).run();
              }
            })
        .hasMessageContaining(message);
  }

  @Test
  void withoutReadLocks() {
    isFoundOut(
        ClusterSpec.spanner(),
        new BaselineRules() {
          @Override
          public boolean locksReads() {
            return false;
          }
        },
        INSTEAD);
  }

  @ParameterizedTest
  @EnumSource
  void committingBeforeAMajorityHoldsTheEntry(Subject subject) {
    isFoundOut(
        subject.spec,
        new BaselineRules() {
          @Override
          public int logQuorum(int f) {
            return f;
          }
        },
        "told to have committed");
  }

  @Test
  void snapshotsThatDoNotWaitForPreparedTransactions() {
    isFoundOut(
        ClusterSpec.spanner(),
        new BaselineRules() {
          @Override
          public boolean waitsForPrepared() {
            return false;
          }
        },
        INSTEAD);
  }

  @Test
  void followersThatServeBeforeTheyMay() {
    isFoundOut(
        ClusterSpec.spanner(),
        new BaselineRules() {
          @Override
          public boolean waitsForSafeTime() {
            return false;
          }
        },
        INSTEAD);
  }

  @Test
  void optimismWithoutValidation() {
    isFoundOut(
        ClusterSpec.occ(),
        new BaselineRules() {
          @Override
          public boolean validatesReads() {
            return false;
          }
        },
        INSTEAD);
  }

  @Test
  void optimismWithoutPreparedSets() {
    isFoundOut(
        ClusterSpec.occ(),
        new BaselineRules() {
          @Override
          public boolean checksPrepared() {
            return false;
          }
        },
        INSTEAD);
  }

  // ---- snapshot isolation -------------------------------------------------------------------

  private static List<Anomaly> anomalies(Subject subject, int seeds) {
    List<Anomaly> found = new ArrayList<>();
    for (long seed = 0; seed < seeds; seed++) {
      found.addAll(run(subject.spec, seed).history.anomalies());
    }
    return found;
  }

  @ParameterizedTest
  @EnumSource(names = {"SI", "SI_WAIT"})
  void snapshotIsolationHasWriteSkew(Subject subject) {
    List<Anomaly> found = anomalies(subject, SEEDS);
    assertThat(found).isNotEmpty().allMatch(anomaly -> anomaly.kind() == Anomaly.Kind.G2_ITEM);
    assertThat(found.getFirst().toString()).startsWith("G2-item, write skew");
  }

  @ParameterizedTest
  @EnumSource(names = {"SSI", "SSI_WAIT"})
  void serializableSnapshotIsolationHasNone(Subject subject) {
    assertThat(anomalies(subject, SEEDS)).isEmpty();
  }

  private static final String LOST_UPDATE = "lost update";
  private static final String NOT_SERIALIZABLE = "NOT serializable";

  @ParameterizedTest
  @EnumSource(names = {"SI", "SI_WAIT", "SSI", "SSI_WAIT"})
  void updatesWithoutTheCheckOfTheFirstUpdater(Subject subject) {
    isFoundOut(
        subject.spec,
        new BaselineRules() {
          @Override
          public boolean checksUpdates() {
            return false;
          }
        },
        LOST_UPDATE);
  }

  @ParameterizedTest
  @EnumSource(names = {"SI", "SSI_WAIT"})
  void snapshotsThatAreTakenAnewForEachRead(Subject subject) {
    isFoundOut(
        subject.spec,
        new BaselineRules() {
          @Override
          public boolean keepsSnapshot() {
            return false;
          }
        },
        INSTEAD);
  }

  @Test
  void commitsBelowTheSnapshot() {
    isFoundOut(
        Subject.SI.spec.withClocks(30_000, 0),
        new BaselineRules() {
          @Override
          public boolean commitsAboveSnapshot() {
            return false;
          }
        },
        "below its snapshot");
  }

  @ParameterizedTest
  @EnumSource(names = {"SI", "SSI"})
  void snapshotsOfUpdatesThatDoNotWaitForPreparedTransactions(Subject subject) {
    isFoundOut(
        subject.spec,
        new BaselineRules() {
          @Override
          public boolean waitsForPrepared() {
            return false;
          }
        },
        INSTEAD);
  }

  @ParameterizedTest
  @EnumSource(names = {"SSI", "SSI_WAIT"})
  void conflictsThatStayInTheirPartition(Subject subject) {
    isFoundOut(
        subject.spec,
        new BaselineRules() {
          @Override
          public boolean spreadsConflicts() {
            return false;
          }
        },
        200,
        NOT_SERIALIZABLE);
  }

  @ParameterizedTest
  @EnumSource(names = {"SSI", "SSI_WAIT"})
  void writersThatDoNotLearnOfReaders(Subject subject) {
    isFoundOut(
        subject.spec,
        new BaselineRules() {
          @Override
          public boolean marksReads() {
            return false;
          }
        },
        NOT_SERIALIZABLE);
  }

  @ParameterizedTest
  @EnumSource
  void aSeedRunsTheSameTwice(Subject subject) {
    ClusterSpec spec = subject.spec.withFaults(5, 10, 1);
    GroupCluster one = run(spec, 7);
    GroupCluster two = run(spec, 7);
    assertThat(two.messages).isEqualTo(one.messages);
    assertThat(two.time.nowMicros()).isEqualTo(one.time.nowMicros());
    assertThat(two.history.committed()).isEqualTo(one.history.committed());
  }
}
