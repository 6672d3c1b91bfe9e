package org.mortydb.server.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.server.status.Warning.Kind;
import org.mortydb.storage.LogStatistics;
import org.mortydb.telemetry.pauses.PauseSummary;
import org.mortydb.transport.LinkTraffic;

/** From which value on a server warns. */
final class WarningTest {
  private static final long NOW = 1_000_000_000;
  private static final long RETENTION = 15_000_000;
  private static final long SKEW = 500_000;

  private static List<Warning> warnings(
      List<ReplicaStatus> replicas, List<PeerStatus> peers, @Nullable StorageStatus storage) {
    return Warning.of(
        new ServerStatus(
            "c",
            "morty",
            "s",
            "r",
            NOW,
            100_000_000,
            RETENTION,
            SKEW,
            replicas,
            List.of(),
            peers,
            0,
            LinkTraffic.NONE,
            List.of(),
            new PauseStatus(10_000, PauseSummary.NONE, PauseSummary.NONE),
            storage,
            Map.of()));
  }

  private static List<Kind> of(ReplicaStatus... replicas) {
    return warnings(List.of(replicas), List.of(), null).stream().map(Warning::kind).toList();
  }

  private static List<Kind> of(PeerStatus peer) {
    List<Warning> warnings = warningsOf(peer);
    assertThat(warnings).extracting(Warning::about).containsOnly("s2");
    return warnings.stream().map(Warning::kind).toList();
  }

  private static ReplicaStatus replica(
      boolean serving, long watermarkMicros, long fenceMicros, double copied) {
    return new ReplicaStatus(
        new ReplicaId(0, 0),
        serving,
        false,
        0,
        0,
        watermarkMicros,
        fenceMicros,
        0,
        0,
        0,
        copied,
        -1);
  }

  private static PeerStatus peer(
      long roundTripMicros, long clockAheadMicros, int recentBreaks, long downMicros) {
    return new PeerStatus(
        "s2",
        "r",
        downMicros == 0,
        roundTripMicros,
        clockAheadMicros,
        9,
        recentBreaks,
        downMicros,
        "",
        0,
        LinkTraffic.NONE);
  }

  @Test
  void aWatermarkThatIsMoreThanThreeRetentionsOldHasStalled() {
    long oldest = NOW - 3 * RETENTION;
    assertThat(of(replica(true, oldest, 0, -1))).isEmpty();
    assertThat(of(replica(true, oldest - 1, 0, -1))).containsExactly(Kind.WATERMARK);
    assertThat(of(replica(false, oldest - 1, 0, -1))).as("it does not serve yet").isEmpty();
    assertThat(of(replica(true, oldest - 1, 0, 0.5))).containsExactly(Kind.COPY);
  }

  @Test
  void aFenceBeyondTwiceTheAllowedSkewAndASecondRefusesTransactions() {
    long highest = NOW + 2 * SKEW + 1_000_000;
    assertThat(of(replica(true, NOW, highest, -1))).isEmpty();
    assertThat(of(replica(true, NOW, highest + 1, -1))).containsExactly(Kind.FENCE);
  }

  @Test
  void aClockIsOffInEitherDirectionBeyondTheErrorOfItsMeasurement() {
    for (long sign : new long[] {-1, 1}) {
      assertThat(warningsOf(peer(40_000, sign * (SKEW + 20_000), 0, 0))).isEmpty();
      assertThat(of(peer(40_000, sign * (SKEW + 20_001), 0, 0))).containsExactly(Kind.CLOCK);
    }
  }

  private static List<Warning> warningsOf(PeerStatus peer) {
    return warnings(List.of(), List.of(peer), null);
  }

  @Test
  void aLinkIsDownForTenSecondsOrBreaksThreeTimesAMinute() {
    assertThat(warningsOf(peer(40_000, 0, 2, 10_000_000))).isEmpty();
    assertThat(of(peer(40_000, 0, 2, 10_000_001))).containsExactly(Kind.LINK);
    assertThat(of(peer(40_000, 0, 3, 0))).containsExactly(Kind.LINK);
    assertThat(of(peer(40_000, 0, 3, 10_000_001))).as("once").containsExactly(Kind.LINK);
  }

  @Test
  void lostVotesAreDoubtedWhileAReplicaDoesNotServe() {
    LogStatistics none = new LogStatistics(0, 0, 0, 0, 0, 0);
    for (boolean doubtful : new boolean[] {false, true}) {
      StorageStatus storage = new StorageStatus(none, 0, false, "", 0, false, 0, doubtful);
      ReplicaStatus serves = replica(true, NOW, 0, -1);
      ReplicaStatus joins = replica(false, NOW, 0, -1);
      assertThat(warnings(List.of(serves), List.of(), storage)).isEmpty();
      assertThat(warnings(List.of(serves, joins), List.of(), storage)).hasSize(doubtful ? 1 : 0);
    }
  }
}
