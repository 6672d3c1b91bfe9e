package org.mortydb.cli.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.config.ClusterConfig;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.storage.CheckpointOptions;
import org.mortydb.storage.Durability;
import org.mortydb.storage.Identity;
import org.mortydb.storage.LogListener;
import org.mortydb.storage.LogOptions;
import org.mortydb.storage.Storage;
import org.mortydb.storage.StorageException;
import org.mortydb.storage.StorageOptions;
import org.mortydb.wire.StoredRecordEncoder;

/** What replicas may differ in, and what not, in directories that are written record by record. */
@Timeout(60)
final class StoredDataTest {
  private static final Key KEY = Key.of("account/alice");
  private static final ReplicaId FIRST = new ReplicaId(0, 0);
  private static final ReplicaId SECOND = new ReplicaId(0, 1);

  @TempDir Path folder;

  private final ClusterConfig cluster;
  private int made;

  StoredDataTest() throws Exception {
    cluster =
        ClusterConfig.parse(
            """
            cluster { name = shop, regions = [us, eu, ap], servers = [
              { name = us-1, region = us, listen = "127.0.0.1:7001" }
              { name = eu-1, region = eu, listen = "127.0.0.1:7002" }
              { name = ap-1, region = ap, listen = "127.0.0.1:7003" }
            ], placement { 0 = [us-1, eu-1, ap-1] } }
            """);
  }

  private static TxnId at(long micros) {
    return new TxnId(micros, 7, 0);
  }

  private static LogRecord version(long micros, String value) {
    return new LogRecord.Version(
        KEY, new WriteId(at(micros), 1), Value.wrap(value.getBytes(StandardCharsets.UTF_8)));
  }

  private static LogRecord deletion(long micros) {
    return new LogRecord.Version(KEY, new WriteId(at(micros), 1), Value.ABSENT);
  }

  /** A directory with one replica that serves, and has reached a watermark. */
  private Path stored(String server, ReplicaId replica, long watermark, LogRecord... records)
      throws IOException {
    Path path = folder.resolve(server + "-" + made++);
    StoredRecordEncoder encoder = new StoredRecordEncoder();
    try (Storage storage = opened(path, server)) {
      storage.log().append((byte) 1, encoder.encode(replica, new LogRecord.Serving(true)));
      for (LogRecord record : records) {
        storage.log().append((byte) 1, encoder.encode(replica, record));
      }
      LogRecord truncated = new LogRecord.Truncated(at(watermark), TxnId.INITIAL);
      storage.log().append((byte) 1, encoder.encode(replica, truncated));
    }
    return path;
  }

  private static Storage opened(Path path, String server) throws IOException {
    StorageOptions options =
        new StorageOptions(
            new LogOptions(Durability.SYNC, Duration.ofMillis(2), 1 << 20, 1 << 20),
            CheckpointOptions.DEFAULTS);
    LogListener none =
        new LogListener() {
          @Override
          public void onKept(long position) {}

          @Override
          public void onFailed(StorageException cause) {}
        };
    return Storage.open(
        path, new Identity("shop", server), options, (t, p) -> {}, (t, p) -> {}, none);
  }

  private StoredData compare(
      long firstWatermark, List<LogRecord> first, long secondWatermark, List<LogRecord> second)
      throws IOException {
    StoredData data =
        StoredData.of(
            cluster,
            List.of(
                stored("us-1", FIRST, firstWatermark, first.toArray(LogRecord[]::new)),
                stored("eu-1", SECOND, secondWatermark, second.toArray(LogRecord[]::new))));
    assertThat(data.directories()).allMatch(one -> one.problem() == null);
    assertThat(data.notSeen()).containsExactly("ap-1");
    assertThat(data.partitions()).singleElement().matches(one -> one.replicas() == 2);
    return data;
  }

  @Test
  void equalVersionsAgree() throws Exception {
    StoredData data =
        compare(100, List.of(version(40, "a"), version(90, "b")), 100, List.of(version(90, "b")));
    assertThat(data.clean()).isTrue();
    assertThat(StoredDataText.of(data))
        .contains("us-1             intact: 1 replica,", "the replicas agree", "ap-1 ");
  }

  @Test
  void whoIsAheadMayHaveDroppedWhatWasReplaced() throws Exception {
    StoredData data = compare(50, List.of(version(40, "a")), 100, List.of(version(90, "b")));
    assertThat(data.clean()).as("%s", data.examples()).isTrue();
  }

  @Test
  void whatIsAboveAWatermarkMayNotHaveArrived() throws Exception {
    StoredData data =
        compare(50, List.of(version(40, "a")), 50, List.of(version(40, "a"), version(60, "c")));
    assertThat(data.clean()).as("%s", data.examples()).isTrue();
  }

  @Test
  void aDeletionIsAsGoodAsNothing() throws Exception {
    assertThat(compare(50, List.of(deletion(40)), 100, List.of()).clean()).isTrue();
    assertThat(compare(50, List.of(deletion(40)), 50, List.of()).clean()).isTrue();
  }

  @Test
  void aLostDeletionIsFound() throws Exception {
    assertThat(compare(50, List.of(version(30, "a"), deletion(40)), 50, List.of(version(30, "a"))))
        .extracting(StoredData::disagreements)
        .isEqualTo(1L);
  }

  @Test
  void oneThatHasTooManyVersionsMayHaveDroppedOldOnes() throws Exception {
    LogRecord floor = new LogRecord.Floor(KEY, at(60));
    StoredData data = compare(50, List.of(version(40, "a")), 50, List.of(floor, version(60, "b")));
    assertThat(data.clean()).as("%s", data.examples()).isTrue();
  }

  @Test
  void aLostVersionIsFound() throws Exception {
    StoredData data =
        compare(100, List.of(version(40, "a"), version(90, "b")), 200, List.of(version(40, "a")));
    assertThat(data.clean()).isFalse();
    assertThat(data.disagreements()).isEqualTo(1);
    assertThat(data.examples())
        .containsExactly(
            "partition 0, key 'account/alice': p0r0 of server 'us-1' holds version 90.7@0/1"
                + " (1 bytes); p0r1 of server 'eu-1', which knows every commit up to 200.7@0, holds"
                + " version 40.7@0/1 (1 bytes) as its newest there");
    assertThat(StoredDataText.of(data)).contains("1 DIFFERENCES", "replace-a-replica.md");
  }

  @Test
  void aLostKeyIsFound() throws Exception {
    for (long watermark : new long[] {50, 100, 200}) {
      assertThat(compare(100, List.of(version(40, "a")), watermark, List.of()).disagreements())
          .isEqualTo(1);
      assertThat(compare(watermark, List.of(), 100, List.of(version(40, "a"))).disagreements())
          .isEqualTo(1);
    }
  }

  /**
   * One that is behind its own watermark, by what one that is farther behind has learnt already.
   */
  @Test
  void aVersionAboveTheOthersWatermarkIsEvidenceToo() throws Exception {
    StoredData data =
        compare(50, List.of(version(40, "a"), version(60, "c")), 100, List.of(version(40, "a")));
    assertThat(data.disagreements()).isEqualTo(1);
  }

  @Test
  void anotherValueOfAVersionIsFoundAboveTheWatermarkToo() throws Exception {
    StoredData data = compare(10, List.of(version(90, "a")), 20, List.of(version(90, "b")));
    assertThat(data.examples())
        .singleElement()
        .asString()
        .contains("version 90.7@0/1 has one value at p0r0", "and another at p0r1");
  }

  /** The advice for damaged directories would be bad advice for those of servers that run. */
  @Test
  void aDirectoryInUseIsNotCalledDamaged() throws Exception {
    Path used = stored("us-1", FIRST, 100, version(40, "a"));
    try (Storage running = opened(used, "us-1")) {
      assertThat(running.path()).isEqualTo(used);
      StoredData data = StoredData.of(cluster, List.of(used));
      assertThat(data.clean()).isFalse();
      assertThat(data.directories().getFirst().inUse()).isTrue();
      assertThat(StoredDataText.of(data))
          .contains("NOT READ: " + used + " is in use by another process: stop that server first")
          .doesNotContain("NOT INTACT", "damaged", "move it away", "as well");
    }
  }

  @Test
  void damageAndWrongDirectoriesAreNamedAndTheOthersAreRead() throws Exception {
    Path damaged = stored("us-1", FIRST, 100, version(40, "a"));
    Path intact = stored("eu-1", SECOND, 100, version(40, "a"));
    Path log;
    try (var files = Files.list(damaged)) {
      log = files.filter(file -> file.toString().endsWith(".seg")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(log);
    bytes[bytes.length / 2] ^= 1;
    Files.write(log, bytes);
    Path empty = Files.createDirectory(folder.resolve("empty"));
    StoredData data = StoredData.of(cluster, List.of(damaged, intact, empty, intact));
    assertThat(data.clean()).isFalse();
    assertThat(data.directories().get(0).problem()).contains(log + " is damaged at offset");
    assertThat(data.directories().get(1).problem()).isNull();
    assertThat(data.directories().get(2).problem()).contains("is no data directory of a server");
    assertThat(data.directories().get(3).problem()).contains("give each server's directory once");
    assertThat(data.notSeen()).containsExactly("us-1", "ap-1");
    assertThat(StoredDataText.of(data)).contains("NOT INTACT", "nothing: no partition");
    assertThat(Arrays.equals(Files.readAllBytes(log), bytes)).isTrue();
  }

  @Test
  void aReplicaThatHasToJoinIsNotCompared() throws Exception {
    Path joining = stored("us-1", FIRST, 100, new LogRecord.Serving(false));
    StoredData data = StoredData.of(cluster, List.of(joining));
    assertThat(data.directories().getFirst().contents().joining()).containsExactly("p0r0");
    assertThat(data.partitions()).isEmpty();
    assertThat(StoredDataText.of(data)).contains("p0r0 rejoin");
  }
}
