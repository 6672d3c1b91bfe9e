package org.mortydb.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.Vector;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.testing.EmbeddedCluster;
import org.mortydb.testing.MortyCluster;
import site.ycsb.ByteIterator;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

@MortyCluster
class MortyDbTest {
  private final EmbeddedCluster cluster;
  private final Properties properties = new Properties();
  private final MortyDb db = new MortyDb();

  MortyDbTest(EmbeddedCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void connect(@TempDir Path folder) throws IOException, DBException {
    Path file = Files.writeString(folder.resolve("cluster.conf"), cluster.configuration());
    properties.setProperty("morty.config", file.toString());
    db.setProperties(properties);
    db.init();
  }

  @AfterEach
  void disconnect() {
    db.cleanup();
  }

  private static Map<String, ByteIterator> fields(String... namesAndValues) {
    Map<String, ByteIterator> fields = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      fields.put(namesAndValues[i], new StringByteIterator(namesAndValues[i + 1]));
    }
    return fields;
  }

  private static Map<String, String> text(Map<String, ByteIterator> fields) {
    Map<String, String> text = new TreeMap<>();
    fields.forEach((name, value) -> text.put(name, value.toString()));
    return text;
  }

  private Map<String, String> read(String table, String key) {
    Map<String, ByteIterator> found = new HashMap<>();
    assertThat(db.read(table, key, null, found)).isEqualTo(Status.OK);
    return text(found);
  }

  @Test
  void aRecordLives() {
    assertThat(db.read("life", "a", null, new HashMap<>())).isEqualTo(Status.NOT_FOUND);
    assertThat(db.update("life", "a", fields("x", "0"))).isEqualTo(Status.NOT_FOUND);
    assertThat(db.insert("life", "a", fields("x", "1", "y", "2"))).isEqualTo(Status.OK);
    assertThat(read("life", "a")).isEqualTo(Map.of("x", "1", "y", "2"));
    assertThat(db.update("life", "a", fields("y", "3", "z", "4"))).isEqualTo(Status.OK);
    assertThat(read("life", "a")).isEqualTo(Map.of("x", "1", "y", "3", "z", "4"));
    assertThat(db.insert("life", "a", fields("w", "5"))).isEqualTo(Status.OK);
    assertThat(read("life", "a")).isEqualTo(Map.of("w", "5"));
    assertThat(db.delete("life", "a")).isEqualTo(Status.OK);
    assertThat(db.read("life", "a", null, new HashMap<>())).isEqualTo(Status.NOT_FOUND);
    assertThat(db.delete("life", "a")).isEqualTo(Status.NOT_FOUND);
  }

  @Test
  void onlyTheFieldsThatAreAskedFor() {
    assertThat(db.insert("some", "a", fields("x", "1", "y", "2"))).isEqualTo(Status.OK);
    Map<String, ByteIterator> found = new HashMap<>();
    assertThat(db.read("some", "a", Set.of("y", "nothing"), found)).isEqualTo(Status.OK);
    assertThat(text(found)).isEqualTo(Map.of("y", "2"));
  }

  @Test
  void tablesAreApart() {
    assertThat(db.insert("one", "a", fields("x", "1"))).isEqualTo(Status.OK);
    assertThat(db.read("two", "a", null, new HashMap<>())).isEqualTo(Status.NOT_FOUND);
  }

  @Test
  @SuppressWarnings("JdkObsolete") // YCSB's signature
  void scansGiveRecordsInOrderWithoutTheDeletedOnes() {
    for (int i = 19; i >= 0; i--) {
      assertThat(db.insert("range", "k" + (10 + i), fields("n", "" + i))).isEqualTo(Status.OK);
    }
    assertThat(db.delete("range", "k16")).isEqualTo(Status.OK);
    Vector<HashMap<String, ByteIterator>> found = new Vector<>();
    assertThat(db.scan("range", "k15", 3, null, found)).isEqualTo(Status.OK);
    assertThat(found).map(MortyDbTest::text).isEqualTo(List.of(n(5), n(7), n(8)));
    found.clear();
    assertThat(db.scan("range", "k29", 100, Set.of("n"), found)).isEqualTo(Status.OK);
    assertThat(found).map(MortyDbTest::text).isEqualTo(List.of(n(19)));
    found.clear();
    assertThat(db.scan("range", "z", 100, null, found)).isEqualTo(Status.OK);
    assertThat(found).isEmpty();
    assertThat(db.scan("never loaded", "a", 1, null, found)).isEqualTo(Status.OK);
    assertThat(found).isEmpty();
  }

  private static Map<String, String> n(int number) {
    return Map.of("n", "" + number);
  }

  private List<Integer> scan(String table, int count) {
    MortyDb.Outcome<List<Integer>> outcome =
        db.query(
            in ->
                in.scan(table, "", count).stream()
                    .map(record -> record.firstKey())
                    .map(Integer::valueOf)
                    .toList());
    assertThat(outcome.status()).isEqualTo(Status.OK);
    return Objects.requireNonNull(outcome.value());
  }

  @Test
  void aScanOfManyRecordsIsSeveralOfTheStore() {
    int many = 2_001;
    MortyDb.Outcome<Boolean> loaded =
        db.transact(
            in -> {
              for (int i = 0; i < many; i++) {
                in.insert("many", "%04d".formatted(i), Map.of("" + i, new byte[0]));
              }
              in.insert("many2", "0000", Map.of("9999", new byte[0]));
              return true;
            });
    assertThat(loaded.status()).isEqualTo(Status.OK);
    List<Integer> all = IntStream.range(0, many).boxed().toList();
    assertThat(scan("many", 1_000)).isEqualTo(all.subList(0, 1_000));
    assertThat(scan("many", 2_000)).isEqualTo(all.subList(0, 2_000));
    assertThat(scan("many", TransactionOperations.MAX_SCANNED)).isEqualTo(all);
    assertThat(scan("many", 0)).isEmpty();
  }

  @Test
  @SuppressWarnings("JdkObsolete") // YCSB's signature
  void moreThanATransactionReadsIsABadRequest() {
    int tooMany = TransactionOperations.MAX_SCANNED + 1;
    assertThat(db.scan("few", "", tooMany, null, new Vector<>())).isEqualTo(Status.BAD_REQUEST);
  }

  @Test
  void severalOperationsAreOneTransaction() {
    MortyDb.Outcome<Boolean> outcome =
        MortyDb.ofThread()
            .transact(
                in -> {
                  in.insert("bank", "a", Map.of("x", new byte[] {1}));
                  in.insert("bank", "b", Map.of("x", new byte[] {2}));
                  return in.delete("bank", "a");
                });
    assertThat(outcome.status()).isEqualTo(Status.OK);
    assertThat(outcome.value()).as("a transaction sees its own writes").isTrue();
    assertThat(db.read("bank", "a", null, new HashMap<>())).isEqualTo(Status.NOT_FOUND);
    assertThat(db.read("bank", "b", null, new HashMap<>())).isEqualTo(Status.OK);
    assertThat(db.query(in -> in.scan("bank", "", 10)).value()).hasSize(1);
  }

  @Test
  void tooLargeIsABadRequest() {
    assertThat(db.insert("large", "a", fields("x", "x".repeat(2_000_000))))
        .isEqualTo(Status.BAD_REQUEST);
  }

  /** An exception would end YCSB's client with exit code 0. */
  @Test
  void aRecordOfAnotherFormIsABadRequest() {
    cluster
        .client()
        .run(
            txn -> {
              txn.put(KeySpace.of("form", Codecs.STRING, Codecs.INT64).key("a"), 7L);
              return true;
            });
    assertThat(db.read("form", "a", null, new HashMap<>())).isEqualTo(Status.BAD_REQUEST);
    assertThat(db.update("form", "a", fields("x", "1"))).isEqualTo(Status.BAD_REQUEST);
    assertThat(db.insert("form", "a", fields("x", "1"))).isEqualTo(Status.OK);
    assertThat(read("form", "a")).isEqualTo(Map.of("x", "1"));
  }

  @Test
  void threadsShareAClient() throws DBException {
    MortyDb second = new MortyDb();
    second.setProperties(properties);
    second.init();
    second.cleanup();
    assertThat(db.insert("shared", "a", fields("x", "1"))).isEqualTo(Status.OK);
  }

  @Test
  void saysWhatIsWrongWithAProperty() {
    assertRefused(
        "morty.scans", "true", "unknown property morty.scans; the properties are morty.config");
    assertRefused("morty.engines", "none", "morty.engines must be a number from 1");
    assertRefused(
        "morty.readlevel", "yesterday", "morty.readlevel: 'yesterday' is no level of reads");
    assertRefused("morty.durability", "never", "morty.durability: 'never' is no durability");
    assertRefused("table", "a/b", "a/b");
    assertRefused("morty.region", "mars", "region-1, region-2, region-3");
    assertRefused("morty.config", "/no/such/file", "/no/such/file");
    assertThatThrownBy(() -> Settings.of(new Properties())).hasMessageContaining("morty.config");
  }

  private void assertRefused(String name, String value, String message) {
    Properties wrong = new Properties();
    wrong.putAll(properties);
    wrong.setProperty(name, value);
    assertThatThrownBy(() -> Settings.of(wrong))
        .isInstanceOf(DBException.class)
        .hasMessageContaining(message);
  }
}
