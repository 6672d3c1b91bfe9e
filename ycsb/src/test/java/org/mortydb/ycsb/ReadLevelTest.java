package org.mortydb.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.client.net.MortyClient;
import org.mortydb.testing.EmbeddedCluster;
import org.mortydb.testing.MortyCluster;
import site.ycsb.ByteIterator;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

@Timeout(60)
@MortyCluster(settings = "server.replica.watermark-lag = 2s")
class ReadLevelTest {
  private final Properties properties = new Properties();

  ReadLevelTest(EmbeddedCluster cluster, @TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("cluster.conf"), cluster.configuration());
    properties.setProperty(Settings.CONFIG, file.toString());
  }

  /** A read that ignored the property would find the record at once. */
  @Test
  void aSnapshotIsOfThePastAndUpdatesAreNot() throws Exception {
    properties.setProperty(Settings.READ_LEVEL, "snapshot");
    MortyDb db = new MortyDb();
    db.setProperties(properties);
    db.init();
    try {
      Map<String, ByteIterator> fields = Map.of("x", new StringByteIterator("1"));
      assertThat(db.insert("t", "a", fields)).isEqualTo(Status.OK);
      assertThat(db.read("t", "a", null, null)).isEqualTo(Status.NOT_FOUND);
      assertThat(db.update("t", "a", Map.of("y", new StringByteIterator("2"))))
          .isEqualTo(Status.OK);
      HashMap<String, ByteIterator> found = new HashMap<>();
      while (found.size() < 2) {
        Thread.sleep(50);
        Status unused = db.read("t", "a", null, found);
      }
      assertThat(found.get("x")).hasToString("1");
    } finally {
      db.cleanup();
    }
  }

  @Test
  void aDurabilityThatTheClusterDoesNotHaveIsAnErrorOfTheProperty() throws Exception {
    properties.setProperty(Settings.DURABILITY, "sync");
    Settings settings = Settings.of(properties);
    try (MortyClient client = MortyClient.connect(settings.cluster(), settings.client())) {
      assertThatThrownBy(() -> SharedStore.checkLevel(client))
          .isInstanceOf(DBException.class)
          .hasMessageContainingAll("morty.durability", "sync", "server.durability = memory");
    }
  }

  @Test
  void anAgeThatTheClusterCannotHaveIsAnErrorOfTheProperty() throws Exception {
    properties.setProperty(Settings.READ_LEVEL, "bounded:1s");
    Settings settings = Settings.of(properties);
    try (MortyClient client = MortyClient.connect(settings.cluster(), settings.client())) {
      assertThatThrownBy(() -> SharedStore.checkLevel(client))
          .isInstanceOf(DBException.class)
          .hasMessageContainingAll(
              "morty.readlevel", "bounded:1s", "2000 ms", "server.replica.watermark-lag");
    }
  }
}
