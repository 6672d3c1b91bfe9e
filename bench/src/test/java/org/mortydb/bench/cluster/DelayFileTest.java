package org.mortydb.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.config.ClusterConfig;

final class DelayFileTest {
  @TempDir private Path folder;

  private static DelayFile published(String name) {
    return DelayFile.read(Path.of("../paper/delays/" + name + ".json"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"regional", "continental", "global"})
  void publishedDelaysAreEmulated(String name) {
    DelayFile delays = published(name);
    List<String> regions = ClusterSettings.regionNames(3);
    ClusterConfig config =
        new ClusterSettings(
                1,
                1,
                OptionalLong.empty(),
                false,
                "memory",
                null,
                false,
                0,
                List.of(),
                3,
                1,
                delays.settings(regions))
            .config();
    for (int from = 0; from < 3; from++) {
      for (int to = 0; to < 3; to++) {
        if (from != to) {
          double millis =
              delays
                  .roundTripMillis()
                  .get(delays.regions().get(from))
                  .get(delays.regions().get(to));
          assertThat(config.delays().micros(regions.get(from), regions.get(to)))
              .isEqualTo(Math.round(millis * 500));
        }
      }
    }
    assertThat(delays.source()).isNotBlank();
    assertThat(delays.withinRegionMicros()).isEqualTo(45);
  }

  @Test
  void tooManyRegionsAreRefused() {
    assertThatThrownBy(() -> published("regional").settings(ClusterSettings.regionNames(5)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("regional", "3 regions", "5");
  }

  @Test
  void aMissingFigureIsNamed() throws IOException {
    Path file = folder.resolve("delays.json");
    Files.writeString(
        file,
        """
        {"name": "x", "about": "", "source": "", "period": "", "remarks": "",
         "regions": ["a", "b"], "withinRegionRoundTripMillis": 0.1,
         "roundTripMillis": {"a": {"b": 3}}}
        """);
    assertThatThrownBy(() -> DelayFile.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(file.toString(), "roundTripMillis.b.a");
  }
}
