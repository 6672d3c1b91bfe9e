package org.mortydb.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.PrimitiveIterator;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.coordinator.CoordinatorRules;
import org.mortydb.protocol.replica.ReplicaRules;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.unsound.UnsoundCoordinators;
import org.mortydb.sim.Violation.Rule;

/** Breaks the protocol in one way at a time: every rule that is broken must be noticed. */
@Tag("slow")
class WeakenedProtocolTest {
  private static final long MAX_SEEDS = 400;

  /**
   * Seeds that run first, because each has shown a broken rule that few seeds show. After a change
   * of the machines they are seeds like all others.
   */
  private static final long[] FIRST_SEEDS = {
    288, 379, 126, 94, 240, 142, 267, 63, 9, 41, 466, 1012
  };

  @Test
  void validationWithoutTheMissedWriteCheck() {
    assertFound(
        new ReplicaRules() {
          @Override
          public boolean checksMissedWrites() {
            return false;
          }
        },
        Rule.TIMESTAMP_ORDER,
        Rule.LIST_APPEND,
        Rule.REGISTER);
  }

  @Test
  void validationWithoutTheDirtyReadCheck() {
    assertFound(
        new ReplicaRules() {
          @Override
          public boolean checksDirtyReads() {
            return false;
          }
        },
        Rule.TIMESTAMP_ORDER,
        Rule.LIST_APPEND,
        Rule.REGISTER);
  }

  @Test
  void validationWithoutTheWriteMissedCheck() {
    assertFound(
        new ReplicaRules() {
          @Override
          public boolean checksWritesMissed() {
            return false;
          }
        },
        Rule.TIMESTAMP_ORDER,
        Rule.LIST_APPEND,
        Rule.REGISTER);
  }

  @Test
  void scansThatMissWhatWasInserted() {
    assertFound(
        new ReplicaRules() {
          @Override
          public boolean checksMissedInserts() {
            return false;
          }
        },
        Rule.TIMESTAMP_ORDER);
  }

  /** The checker of lists sees this in about one of two thousand seeds, which is too rare here. */
  @Test
  void insertionsThatLaterScansHaveMissed() {
    SeedOptions options =
        with(
            new ReplicaRules() {
              @Override
              public boolean checksInsertsMissed() {
                return false;
              }
            });
    assertFound(
        options.withFaults(SimFault.parse("skew,drift")), Rule.TIMESTAMP_ORDER, Rule.REGISTER);
  }

  @Test
  @Tag("long")
  void backupsOfVersionsThatNobodyHolds() {
    assertFound(
        new ReplicaRules() {
          @Override
          public boolean holdsCuts() {
            return false;
          }
        },
        Rule.TIMESTAMP_ORDER,
        Rule.REGISTER);
  }

  @Test
  void votesThatDoNotWaitForDependencies() {
    assertFound(
        new ReplicaRules() {
          @Override
          public boolean waitsForDependencies() {
            return false;
          }
        },
        Rule.TIMESTAMP_ORDER,
        Rule.LIST_APPEND,
        Rule.REGISTER);
  }

  @Test
  void votesThatCountWhileTheirConditionIsOpen() {
    assertFound(
        UnsoundCoordinators.ignoringConditions(),
        Rule.TIMESTAMP_ORDER,
        Rule.LIST_APPEND,
        Rule.REGISTER);
  }

  @Test
  void votesThatCountWhenTheConditionOfAnotherPartitionHolds() {
    assertFound(
        UnsoundCoordinators.countingHalfOfTheConditions(),
        Rule.TIMESTAMP_ORDER,
        Rule.LIST_APPEND,
        Rule.REGISTER);
  }

  @Test
  void recoveryOnVotesWhoseConditionIsOpen() {
    ReplicaRules rules =
        new ReplicaRules() {
          @Override
          public boolean promisesWhenDecided() {
            return false;
          }
        };
    SeedOptions options = with(rules);
    assertFound(
        options.withFaults(SimFault.parse("death,loss")), Rule.TIMESTAMP_ORDER, Rule.REGISTER);
  }

  @Test
  void replicasThatVoteOnSupersededExecutions() {
    assertFound(
        new ReplicaRules() {
          @Override
          public boolean supersedes() {
            return false;
          }
        },
        Rule.HELD);
  }

  @Test
  void slowPathWithVotesOfAMinority() {
    assertFound(
        new CoordinatorRules() {
          @Override
          public int slowQuorum(int f) {
            return f;
          }
        },
        Rule.HELD,
        Rule.TIMESTAMP_ORDER,
        Rule.LIST_APPEND,
        Rule.REGISTER);
  }

  @Test
  void twoExecutionsBothCommitted() {
    assertFound(
        UnsoundCoordinators.countingVotesForOldExecutions(),
        Rule.ONE_OUTCOME,
        Rule.TIMESTAMP_ORDER);
  }

  @Test
  void votesThatLeaveBeforeTheyAreDurable() {
    ReplicaRules rules =
        new ReplicaRules() {
          @Override
          public boolean forcesBeforeAnswering() {
            return false;
          }
        };
    SeedOptions options = with(rules);
    assertFound(
        options.withFaults(SimFault.parse("crash,loss,death")), Rule.HELD, Rule.TIMESTAMP_ORDER);
  }

  @Test
  void recoveryOnTheWordOfTheHomePartitionAlone() {
    assertFound(
        new ReplicaRules() {
          @Override
          public boolean promisesAtOtherParticipants() {
            return false;
          }
        },
        Rule.HELD,
        Rule.TIMESTAMP_ORDER);
  }

  @Test
  void serversThatComeBackWithoutTheirDisks() {
    assertFound(
        SeedOptions.DEFAULTS.withAmnesia().withFaults(SimFault.parse("crash,loss,death")),
        Rule.LOST,
        Rule.ONE_OUTCOME,
        Rule.TIMESTAMP_ORDER);
  }

  @Test
  void serversThatServeAfterACopyOfWhatOnePeerKnows() {
    ReplicaRules rules =
        new ReplicaRules() {
          @Override
          public boolean settlesBeforeServing() {
            return false;
          }
        };
    SeedOptions options = with(rules);
    assertFound(
        options.withFaults(SimFault.parse("crash,wipe,loss,death")),
        Rule.HELD,
        Rule.TIMESTAMP_ORDER);
  }

  @Test
  void readOnlyCommitsWithVotesOfAMinority() {
    assertFound(
        new CoordinatorRules() {
          @Override
          public int registerQuorum(int f) {
            return f;
          }
        },
        Rule.HELD,
        Rule.TIMESTAMP_ORDER);
  }

  @Test
  void readsThatAreVotedOnAndNotRegistered() {
    assertFound(
        new ReplicaRules() {
          @Override
          public boolean registersReads() {
            return false;
          }
        },
        Rule.TIMESTAMP_ORDER);
  }

  @Test
  void readsThatAreRegisteredBeforeTheirWriterIsDecided() {
    assertFound(
        new ReplicaRules() {
          @Override
          public boolean registersWhenDecided() {
            return false;
          }
        },
        Rule.TIMESTAMP_ORDER);
  }

  @Test
  void registeredReadsThatARestartForgets() {
    SeedOptions options =
        with(
            new ReplicaRules() {
              @Override
              public boolean remembersRegistrations() {
                return false;
              }
            });
    assertFound(options.withFaults(SimFault.parse("crash,skew")), Rule.TIMESTAMP_ORDER);
  }

  private static void assertFound(ReplicaRules rules, Rule... by) {
    assertFound(with(rules), by);
  }

  private static void assertFound(CoordinatorRules rules, Rule... by) {
    assertFound(with(rules), by);
  }

  private static SeedOptions with(ReplicaRules rules) {
    return SeedOptions.DEFAULTS.withSystem(Morty.withRules(rules, CoordinatorRules.SOUND));
  }

  private static SeedOptions with(CoordinatorRules rules) {
    return SeedOptions.DEFAULTS.withSystem(Morty.withRules(ReplicaRules.SOUND, rules));
  }

  /** Runs seeds until each of the rules was seen broken, by whichever seed. */
  private static void assertFound(SeedOptions options, Rule... by) {
    Set<Rule> missing = EnumSet.noneOf(Rule.class);
    missing.addAll(Set.of(by));
    PrimitiveIterator.OfLong seeds =
        LongStream.concat(LongStream.of(FIRST_SEEDS), LongStream.rangeClosed(1, MAX_SEEDS))
            .iterator();
    while (seeds.hasNext() && !missing.isEmpty()) {
      SeedRun.run(seeds.nextLong(), options)
          .violations()
          .forEach(violation -> missing.remove(violation.rule()));
    }
    assertThat(missing).as("rules not seen broken in %d seeds", MAX_SEEDS).isEmpty();
  }
}
