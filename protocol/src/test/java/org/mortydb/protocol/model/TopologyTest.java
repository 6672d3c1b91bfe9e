package org.mortydb.protocol.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TopologyTest {

  @Test
  void partitionHasTwoReplicasMoreForEachFailureTolerated() {
    Topology topology = new Topology(2, 4, 0, 1);
    assertThat(topology.f()).isEqualTo(2);
    assertThat(topology.replicas()).isEqualTo(5);
    assertThat(topology.partitions()).isEqualTo(3);
    assertThat(topology.closest(0)).isEqualTo(4);
    assertThat(topology.closest(2)).isEqualTo(1);
  }

  @Test
  void refusesWhatIsNoCluster() {
    assertThatThrownBy(() -> new Topology(0, 0)).hasMessageContaining("f must be at least 1, is 0");
    assertThatThrownBy(() -> new Topology(1)).hasMessageContaining("at least one partition");
    assertThatThrownBy(() -> new Topology(1, 0, 3)).hasMessageContaining("3 is not in 0..2");
    assertThatThrownBy(() -> new Topology(1, -1)).hasMessageContaining("-1 is not in 0..2");
  }
}
