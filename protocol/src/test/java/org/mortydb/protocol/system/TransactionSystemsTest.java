package org.mortydb.protocol.system;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.ServiceConfigurationError;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.ReplicaOptions;

final class TransactionSystemsTest {

  @Test
  void aSystemThatFailsIsNamedWithTheReason() {
    assertThatThrownBy(() -> TransactionSystems.of(List.of(new Failing())))
        .isInstanceOf(ServiceConfigurationError.class)
        .hasMessageContaining(Failing.class.getName())
        .hasRootCauseMessage("no codec");
  }

  @Test
  void aSystemThatIsMissingNamesTheFolders() {
    assertThatThrownBy(() -> TransactionSystems.of(List.of()).get("paxos"))
        .hasMessageContaining("'paxos'")
        .hasMessageContaining("'plugins'")
        .hasMessageContaining("MORTY_PLUGINS");
  }

  private static final class Failing implements TransactionSystem {
    @Override
    public String name() {
      return "failing";
    }

    @Override
    public MessageCodec codec() {
      throw new IllegalStateException("no codec");
    }

    @Override
    public CoordinatorMachine coordinator(
        AttemptSpec attempt, Topology topology, CoordinatorOptions options) {
      throw new UnsupportedOperationException();
    }

    @Override
    public StateMachine<Effects> replica(
        ReplicaId self, Topology topology, ReplicaOptions options) {
      throw new UnsupportedOperationException();
    }
  }
}
