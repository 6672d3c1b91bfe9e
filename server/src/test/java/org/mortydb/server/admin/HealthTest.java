package org.mortydb.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.server.status.PauseStatus;
import org.mortydb.server.status.ReplicaStatus;
import org.mortydb.server.status.ServerStatus;
import org.mortydb.telemetry.pauses.PauseSummary;
import org.mortydb.transport.LinkTraffic;

/** Readiness: the servers of a rolling update are stopped by it, one after the other. */
final class HealthTest {
  private static ReplicaStatus replica(int partition, boolean serving, double copied) {
    return new ReplicaStatus(
        new ReplicaId(partition, 0), serving, false, 0, 0, 0, 0, 0, 0, 0, copied, -1);
  }

  private static Health health(ReplicaStatus... replicas) {
    return Health.of(
        new ServerStatus(
            "c",
            "morty",
            "s",
            "r",
            0,
            0,
            0,
            0,
            List.of(replicas),
            List.of(),
            List.of(),
            0,
            LinkTraffic.NONE,
            List.of(),
            new PauseStatus(10_000, PauseSummary.NONE, PauseSummary.NONE),
            null,
            Map.of()));
  }

  @Test
  void aServerIsReadyWhenAllItsReplicasServeAndNoneCopies() {
    Health health = health(replica(0, true, -1), replica(1, true, -1));
    assertThat(health.ready()).isTrue();
    assertThat(health.problems()).isEmpty();
  }

  /** A peer that stops now might be the only one that holds what the replica has missed. */
  @Test
  void aReplicaThatServesAndStillCatchesUpIsNotReady() {
    Health health = health(replica(0, true, -1), replica(1, true, 0), replica(2, true, 0.4));
    assertThat(health.ready()).isFalse();
    assertThat(health.live()).isTrue();
    assertThat(health.problems())
        .singleElement()
        .asString()
        .contains("2 replicas", new ReplicaId(1, 0) + ", " + new ReplicaId(2, 0), " 0 %");
  }

  @Test
  void aReplicaThatJoinsIsNotReady() {
    Health health = health(replica(0, false, 0.25));
    assertThat(health.ready()).isFalse();
    assertThat(health.problems()).singleElement().asString().contains("joining", "25 %");
  }
}
