package org.mortydb.experiments.windows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.simulated.SimulatedHosts;
import org.mortydb.experiments.windows.WindowsRecord.SystemWindows;
import org.mortydb.experiments.windows.WindowsRecord.Track;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.protocol.system.TransactionSystems;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.LoadFailedException;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.retwis.Retwis;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** One short run of Morty, TAPIR and a system with leaders, with 10 ms between regions. */
final class WindowsStudyTest {
  private static final long DELAY_MICROS = 10_000;
  private static final Progress SILENT =
      (name, unit, total) ->
          new Progress.Phase() {
            @Override
            public void update(long done, String message) {}

            @Override
            public void close() {}
          };

  private static WindowsRecord record = study(1.0).run();

  private record Prepared(WindowsStudy study, List<TransactionSystem> systems) {
    WindowsRecord run() {
      try {
        return study.execute(systems, SILENT);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static Prepared study(double seconds) {
    ClusterSettings cluster =
        new ClusterSettings(
            1,
            1,
            OptionalLong.of(DELAY_MICROS),
            false,
            "memory",
            null,
            false,
            0,
            List.of(),
            3,
            1,
            Map.of());
    return new Prepared(
        new WindowsStudy(
            seed -> new Retwis(600, 0.9),
            cluster,
            SimulatedHosts.apart(2),
            new RunOptions(24, OptionalDouble.empty(), Arrivals.POISSON, 0.2, seconds, 1),
            NominalCosts.of("retwis"),
            Map.of("seed", 1)),
        List.of(
            Morty.SYSTEM, TransactionSystems.named("tapir"), TransactionSystems.named("spanner")));
  }

  private static SystemWindows of(String system) {
    return record.systems().stream()
        .filter(one -> one.system().equals(system))
        .findFirst()
        .orElseThrow();
  }

  @BeforeAll
  static void everySystemHasWindows() {
    assertThat(record.systems()).allMatch(system -> system.all().updates() > 20);
  }

  /** A serializable history has none that overlap: if this fails, the measurement is wrong. */
  @Test
  void serializationWindowsOfNeighboursDoNotOverlap() {
    for (SystemWindows system : record.systems()) {
      assertThat(system.serializable()).as(system.system()).isTrue();
      assertThat(system.pairs()).as(system.system()).isGreaterThan(10);
      assertThat(system.overlapping()).as(system.system()).isZero();
      assertThat(system.unseen()).as(system.system()).isZero();
      assertThat(system.hot().occupied()).as(system.system()).isBetween(0.0, 1.0);
    }
  }

  @Test
  void onlyMortysWindowsAreShorterThanARoundTrip() {
    long roundTrip = 2 * DELAY_MICROS;
    assertThat(of("morty").all().serialization().p50()).isLessThan(roundTrip / 4);
    assertThat(of("tapir").all().serialization().p50()).isGreaterThanOrEqualTo(roundTrip);
    assertThat(of("spanner").all().serialization().p50()).isGreaterThanOrEqualTo(roundTrip);
    assertThat(of("morty").all().validity().p50()).isGreaterThanOrEqualTo(roundTrip);
  }

  @Test
  void thePictureShowsWhatWasMeasured() {
    String svg = Timelines.svg(record);
    assertThat(svg).startsWith("<svg ").endsWith("</svg>\n");
    for (Track track : record.timeline().tracks()) {
      assertThat(svg).contains(track.system() + ": ");
    }
    assertThat(record.timeline().tracks().getFirst().updates()).isNotEmpty();
    assertThat(WindowsTable.text(record)).contains("serialization window", "morty", "tapir");
  }

  @Test
  void aRecordIsReadAsItWasWritten() {
    assertThat(new JsonMapper().readValue(JsonText.of(record), WindowsRecord.class))
        .usingRecursiveComparison()
        .isEqualTo(record);
  }

  @Test
  void theSameSeedYieldsTheSameRecord() {
    ObjectNode first = study(0.1).run().json();
    ObjectNode second = study(0.1).run().json();
    assertThat(first.remove("environment").path("time").asString()).isNotEmpty();
    second.remove("environment");
    assertThat(second).isEqualTo(first);
  }

  @Test
  void withoutUpdatesThereAreNoWindows() {
    assertThatThrownBy(() -> study(0.000_001).run())
        .isInstanceOf(LoadFailedException.class)
        .hasMessageContaining("--seconds");
  }

  private static final class JsonText {
    static String of(WindowsRecord record) {
      return new JsonMapper().writeValueAsString(record);
    }
  }
}
