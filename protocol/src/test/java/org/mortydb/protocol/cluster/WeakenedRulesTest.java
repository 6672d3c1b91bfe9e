package org.mortydb.protocol.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.mortydb.protocol.cluster.Audit.Violation;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.CoordinatorRules;
import org.mortydb.protocol.coordinator.ReexecutionPolicy;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.ReplicaRules;
import org.mortydb.protocol.unsound.UnsoundCoordinators;

/** Each rule taken away by itself is noticed, so the cluster's checks can see what it is for. */
class WeakenedRulesTest {
  private static final int MAX_SEEDS = 300;

  private static void assertNoticed(ReplicaRules rules) {
    assertNoticed(new ClusterOptions().rules(rules));
  }

  private static void assertNoticed(CoordinatorRules rules) {
    assertNoticed(new ClusterOptions().rules(rules));
  }

  private static void assertNoticed(ClusterOptions options) {
    Violation violation = null;
    long seed = 0;
    while (violation == null && seed < MAX_SEEDS) {
      try {
        new Cluster(++seed, options).run();
      } catch (Violation noticed) {
        violation = noticed;
      }
    }
    assertThat(violation).as("a violation within " + MAX_SEEDS + " seeds").isNotNull();
    // It is the missing rule that is to blame, and not what befalls the cluster.
    options.rules(ReplicaRules.SOUND).rules(CoordinatorRules.SOUND);
    options.returnsBlank = false;
    new Cluster(seed, options).run();
  }

  /** Rounds follow each other as fast as they can, and most transactions meet one. */
  private static ClusterOptions truncatingAtOnce() {
    return new ClusterOptions()
        .groups(1, 2)
        .load(4, 8, 40)
        .deaths(0.005)
        .replicas(new ReplicaOptions(100_000, 20_000, 5_000, 50_000, 1_000));
  }

  @Test
  void votingBeforeDependenciesAreDecided() {
    assertNoticed(
        new ReplicaRules() {
          @Override
          public boolean waitsForDependencies() {
            return false;
          }
        });
  }

  @Test
  void countingVotesWhoseConditionIsOpen() {
    assertNoticed(UnsoundCoordinators.ignoringConditions());
  }

  @Test
  void countingVotesWhoseConditionHoldsInHalfOfThePartitions() {
    assertNoticed(
        new ClusterOptions().groups(1, 2).rules(UnsoundCoordinators.countingHalfOfTheConditions()));
  }

  @Test
  void promisingVotesWhoseConditionIsOpen() {
    assertNoticed(
        new ClusterOptions()
            .load(4, 8, 40)
            .deaths(0.05)
            .rules(
                new ReplicaRules() {
                  @Override
                  public boolean promisesWhenDecided() {
                    return false;
                  }
                }));
  }

  @Test
  void foldingMergesAboveTheWatermark() {
    assertNoticed(
        new ClusterOptions()
            .merges()
            .rules(
                new ReplicaRules() {
                  @Override
                  public boolean foldsBelowWatermark() {
                    return false;
                  }
                }));
  }

  @Test
  void namingOnlyTheNewestMerge() {
    assertNoticed(
        new ClusterOptions()
            .merges()
            .rules(
                new ReplicaRules() {
                  @Override
                  public boolean namesMerges() {
                    return false;
                  }
                }));
  }

  @Test
  void votingOnDirtyReads() {
    assertNoticed(
        new ReplicaRules() {
          @Override
          public boolean checksDirtyReads() {
            return false;
          }
        });
  }

  @Test
  void votingOnMissedWrites() {
    assertNoticed(
        new ReplicaRules() {
          @Override
          public boolean checksMissedWrites() {
            return false;
          }
        });
  }

  @Test
  void votingOnScansThatHaveMissedInserts() {
    assertNoticed(
        new ClusterOptions()
            .load(6, 6, 25)
            .scans()
            .rules(
                new ReplicaRules() {
                  @Override
                  public boolean checksMissedInserts() {
                    return false;
                  }
                }));
  }

  @Test
  void votingOnInsertsThatScansHaveMissed() {
    assertNoticed(
        new ClusterOptions()
            .load(6, 6, 25)
            .scans()
            .rules(
                new ReplicaRules() {
                  @Override
                  public boolean checksInsertsMissed() {
                    return false;
                  }
                }));
  }

  @Test
  void votingOnWritesThatWereMissed() {
    assertNoticed(
        new ReplicaRules() {
          @Override
          public boolean checksWritesMissed() {
            return false;
          }
        });
  }

  @Test
  void votingOnSupersededExecutions() {
    assertNoticed(
        new ReplicaRules() {
          @Override
          public boolean supersedes() {
            return false;
          }
        });
  }

  @Test
  void slowPathWithTooFewVotes() {
    assertNoticed(
        new CoordinatorRules() {
          @Override
          public int slowQuorum(int f) {
            return f;
          }
        });
  }

  @Test
  void fastPathWithTooFewVotes() {
    assertNoticed(
        new CoordinatorRules() {
          @Override
          public int fastQuorum(int f) {
            return 2 * f;
          }
        });
  }

  @Test
  void answeringBeforeTheLogIsForced() {
    assertNoticed(
        new ClusterOptions()
            .load(2, 8, 30)
            .crashes()
            .rules(
                new ReplicaRules() {
                  @Override
                  public boolean forcesBeforeAnswering() {
                    return false;
                  }
                }));
  }

  @Test
  void countingVotesForExecutionsThatWereGivenUp() {
    assertNoticed(UnsoundCoordinators.countingVotesForOldExecutions());
  }

  @Test
  void abortingAtOnceAfterAReexecution() {
    // Needs replicas that still hold the first execution when the second one is abandoned for good
    // by f+1 of a partition that the first one did not touch, so they must be slow to recover it.
    assertNoticed(
        new ClusterOptions()
            .groups(1, 4)
            .load(4, 10, 40)
            .faults(0.3, 0)
            .replicas(new ReplicaOptions(100_000, 60_000_000, 50_000, 2_000_000, 1_000))
            .coordinators(
                new CoordinatorOptions(
                        8_000_000, 8_000_000, 100_000, 2_000, 0, ReexecutionPolicy.upTo(6))
                    .withDecidedReads())
            .rules(
                new CoordinatorRules() {
                  @Override
                  public boolean mayAbortAtOnce(int preparedExecutions) {
                    return true;
                  }
                }));
  }

  @Test
  void recoveringWithoutTheOtherParticipants() {
    assertNoticed(
        new ClusterOptions()
            .groups(1, 2)
            .deaths(0.01)
            .rules(
                new ReplicaRules() {
                  @Override
                  public boolean promisesAtOtherParticipants() {
                    return false;
                  }
                }));
  }

  @Test
  void tellingWhatIsBelowAWatermarkWithoutAFence() {
    assertNoticed(
        truncatingAtOnce()
            .faults(0.1, 0.05)
            .rules(
                new ReplicaRules() {
                  @Override
                  public boolean fencesWhenTruncating() {
                    return false;
                  }
                }));
  }

  /** Between two rounds there is time for two replicas to forget the fence of the first. */
  @Test
  void forgettingTheFenceInARestart() {
    ClusterOptions options =
        new ClusterOptions()
            .load(4, 8, 40)
            .crashes()
            .faults(0.3, 0.05)
            .replicas(new ReplicaOptions(100_000, 10_000, 100_000, 50_000, 1_000))
            .rules(
                new ReplicaRules() {
                  @Override
                  public boolean remembersFence() {
                    return false;
                  }
                });
    options.maxAwayMicros = 20_000;
    assertNoticed(options);
  }

  @Test
  void servingAfterACopyOfWhatOnePeerKnows() {
    assertNoticed(
        new ClusterOptions()
            .groups(1, 2)
            .amnesia()
            .deaths(0.01)
            .faults(0.1, 0.05)
            .rules(
                new ReplicaRules() {
                  @Override
                  public boolean settlesBeforeServing() {
                    return false;
                  }
                }));
  }

  @Test
  void servingWithoutAMemoryAsIfNothingHadBeen() {
    assertNoticed(new ClusterOptions().groups(1, 2).returnsBlank());
  }
}
