package org.mortydb.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.testing.EmbeddedCluster;
import org.mortydb.testing.MortyCluster;
import site.ycsb.Status;

@MortyCluster
class EconomyCheckTest {

  @Test
  void accountsThatEarlierRunsHaveOpenedAreFound(EmbeddedCluster cluster, @TempDir Path folder)
      throws Exception {
    Properties properties = new Properties();
    Path file = Files.writeString(folder.resolve("cluster.conf"), cluster.configuration());
    properties.setProperty(Settings.CONFIG, file.toString());
    MortyDb db = new MortyDb();
    db.setProperties(properties);
    db.init();
    try (SharedStore store = SharedStore.open(properties)) {
      for (long number : List.of(0L, 1L, 1_700L, 2_600L, 5_000L)) {
        assertThat(
                db.insert(
                    "t",
                    ClosedEconomyWorkload.key(number),
                    EconomyAccounts.OneByOne.fields(number + 1)))
            .isEqualTo(Status.OK);
      }
      EconomyCheck check = new EconomyCheck(store, "t");
      assertThat(check.count(0, 2)).isEqualTo(new EconomyCheck.Count(4, 4_305, 2_601));
      assertThat(check.count(0, 5_001)).isEqualTo(new EconomyCheck.Count(5, 9_306, 5_001));
      assertThat(check.count(1_701, 1_701)).isEqualTo(new EconomyCheck.Count(1, 2_601, 2_601));
      assertThat(check.count(4_500, 4_500)).isEqualTo(new EconomyCheck.Count(1, 5_001, 5_001));
      assertThat(check.count(6_000, 6_000)).isEqualTo(new EconomyCheck.Count(0, 0, 6_000));
    } finally {
      db.cleanup();
    }
  }
}
