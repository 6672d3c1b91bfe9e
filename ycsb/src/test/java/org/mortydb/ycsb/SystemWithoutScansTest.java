package org.mortydb.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Vector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.client.net.MortyClient;
import org.mortydb.testing.EmbeddedCluster;
import org.mortydb.testing.MortyCluster;
import site.ycsb.DBException;
import site.ycsb.Status;

@MortyCluster(settings = "cluster.system = occ")
class SystemWithoutScansTest {

  @Test
  void aLevelOfThePastIsAnErrorOfTheProperty(EmbeddedCluster cluster, @TempDir Path folder)
      throws Exception {
    Properties properties = new Properties();
    Path file = Files.writeString(folder.resolve("cluster.conf"), cluster.configuration());
    properties.setProperty(Settings.CONFIG, file.toString());
    properties.setProperty(Settings.READ_LEVEL, "local");
    Settings settings = Settings.of(properties);
    try (MortyClient client = MortyClient.connect(settings.cluster(), settings.client())) {
      assertThatThrownBy(() -> SharedStore.checkLevel(client))
          .isInstanceOf(DBException.class)
          .hasMessageContainingAll("morty.readlevel", "the system occ", "local");
    }
  }

  @Test
  @SuppressWarnings("JdkObsolete") // YCSB's signature
  void aScanIsNotImplementedAndAllElseIs(EmbeddedCluster cluster, @TempDir Path folder)
      throws Exception {
    Properties properties = new Properties();
    Path file = Files.writeString(folder.resolve("cluster.conf"), cluster.configuration());
    properties.setProperty(Settings.CONFIG, file.toString());
    MortyDb db = new MortyDb();
    db.setProperties(properties);
    db.init();
    try {
      assertThat(db.insert("t", "a", Map.of())).isEqualTo(Status.OK);
      assertThat(db.read("t", "a", null, new HashMap<>())).isEqualTo(Status.OK);
      assertThat(db.scan("t", "a", 1, null, new Vector<>())).isEqualTo(Status.NOT_IMPLEMENTED);
      assertThatThrownBy(() -> db.query(in -> in.scan("t", "a", 1)))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("the system occ has no scans");
    } finally {
      db.cleanup();
    }
  }
}
