package org.mortydb.sim.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mortydb.baselines.systems.Tapir;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.CoordinatorRules;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.ReplicaRules;
import org.mortydb.protocol.system.MessageCodec;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.sim.CampaignOptions;
import org.mortydb.sim.CampaignResult;
import org.mortydb.sim.SeedOptions;
import org.mortydb.sim.SimRunner;
import org.mortydb.sim.Violation;

class SystemConformanceTest {

  @Test
  void soundSystemsPass() throws InterruptedException {
    SystemConformance.of(new Tapir()).withSeeds(20).check();
    SystemConformance.of(Morty.SYSTEM).withSeeds(5).check();
  }

  @Test
  void namesTheSeedInWhichASystemFails() {
    ReplicaRules broken =
        new ReplicaRules() {
          @Override
          public boolean checksMissedWrites() {
            return false;
          }
        };
    assertThatThrownBy(
            () -> SystemConformance.of(new Tapir(broken, CoordinatorRules.SOUND)).check())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("--system tapir --seeds 1 --seed ");
  }

  /** As a plug-in does that was built against another version of Morty. */
  @Test
  void namesTheSeedInWhichAMachineLacksAMethod() {
    ReplicaRules stale =
        new ReplicaRules() {
          @Override
          public boolean checksMissedWrites() {
            throw new NoSuchMethodError("gone");
          }
        };
    assertThatThrownBy(() -> SystemConformance.of(new Tapir(stale, CoordinatorRules.SOUND)).check())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("MACHINE")
        .hasMessageContaining("gone")
        .hasMessageContaining("--system tapir --seeds 1 --seed ");
  }

  /** The simulator is not to blame for it. */
  @Test
  void namesTheSystemWhoseReplicaCannotBeMade() throws InterruptedException {
    TransactionSystem throwing =
        new TransactionSystem() {
          @Override
          public String name() {
            return "throwing";
          }

          @Override
          public CoordinatorMachine coordinator(
              AttemptSpec attempt, Topology topology, CoordinatorOptions options) {
            return new Tapir().coordinator(attempt, topology, options);
          }

          @Override
          public StateMachine<Effects> replica(
              ReplicaId self, Topology topology, ReplicaOptions options) {
            throw new IllegalStateException("no luck");
          }
        };
    SeedOptions options = SeedOptions.DEFAULTS.withSystem(throwing);
    CampaignResult result =
        SimRunner.run(new CampaignOptions(1, 1, 1, false, 1, options), (done, failures) -> {});
    assertThat(result.failures().getFirst().violations())
        .singleElement()
        .satisfies(
            violation -> {
              assertThat(violation.rule()).isEqualTo(Violation.Rule.MACHINE);
              assertThat(violation.explanation())
                  .contains("p0r0 cannot be made", "no luck", "SystemConformanceTest");
            });
  }

  @Test
  void namesTheServiceThatIsMissing() {
    assertThatThrownBy(() -> SystemConformance.of(new Wrapped("unheard-of")).check())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("META-INF/services/")
        .hasMessageContaining(Wrapped.class.getName());
    assertThatThrownBy(() -> SystemConformance.of(new Wrapped("tapir")).check())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(Tapir.class.getName());
  }

  /** TAPIR under another name. */
  private record Wrapped(String name) implements TransactionSystem {
    private static final TransactionSystem TAPIR = new Tapir();

    @Override
    public CoordinatorMachine coordinator(
        AttemptSpec attempt, Topology topology, CoordinatorOptions options) {
      return TAPIR.coordinator(attempt, topology, options);
    }

    @Override
    public StateMachine<Effects> replica(
        ReplicaId self, Topology topology, ReplicaOptions options) {
      return TAPIR.replica(self, topology, options);
    }

    @Override
    public @Nullable MessageCodec codec() {
      return TAPIR.codec();
    }
  }
}
