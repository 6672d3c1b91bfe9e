package org.mortydb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.cli.CommandLines.morty;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.CommandLines.Ran;
import org.mortydb.client.Codecs;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.Entry;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.testing.OperatedCluster;

/** {@code morty backup} and {@code morty restore}. */
@Tag("slow")
@Timeout(120)
final class BackupCommandTest {
  private static final KeySpace<Long, Long> ACCOUNTS =
      KeySpace.of("account", Codecs.INT64, Codecs.INT64);
  private static final int COUNT = 300;
  private static final long EACH = 1_000;
  private static final String[] FAST = {
    "server.durability = memory", "server.replica.retention = 1s"
  };

  @TempDir Path folder;

  private static MortyClient client(Path file) throws Exception {
    return MortyClient.connect(ClusterConfig.load(file), ClientOptions.inRegion("us"));
  }

  private static void fill(MortyClient client) {
    Result<Boolean> filled =
        client.run(
            txn -> {
              for (long i = 0; i < COUNT; i++) {
                txn.put(ACCOUNTS.key(i), EACH);
              }
              return true;
            });
    assertThat(filled.isCommitted()).isTrue();
  }

  private static boolean remove(DirectTransaction txn, long account) {
    txn.delete(ACCOUNTS.key(account));
    return true;
  }

  private static List<Entry<Long, Long>> accounts(MortyClient client) {
    Result<List<Entry<Long, Long>>> result = client.run(txn -> txn.scan(ACCOUNTS.all(), 2 * COUNT));
    return ((Result.Committed<List<Entry<Long, Long>>>) result).value();
  }

  private static long total(List<Entry<Long, Long>> accounts) {
    return accounts.stream().mapToLong(Entry::value).sum();
  }

  /** Moves money between accounts, and some of it to a new account, which others close. */
  private static void transfer(MortyClient client, AtomicBoolean ends) {
    while (!ends.get()) {
      long from = ThreadLocalRandom.current().nextLong(COUNT);
      long to = ThreadLocalRandom.current().nextLong(COUNT + 20);
      if (from != to) {
        var unused =
            client.run(
                txn -> {
                  long has = txn.getOrDefault(ACCOUNTS.key(from), 0L);
                  long had = txn.getOrDefault(ACCOUNTS.key(to), 0L);
                  if (has <= 1) {
                    txn.delete(ACCOUNTS.key(from));
                    txn.put(ACCOUNTS.key(to), had + has);
                  } else {
                    txn.put(ACCOUNTS.key(from), has / 2);
                    txn.put(ACCOUNTS.key(to), had + has - has / 2);
                  }
                  return true;
                });
      }
    }
  }

  @Test
  void isOfOneMomentAmidTransfersAndComesBackToAnotherCluster() throws Exception {
    String backup = folder.resolve("shop.backup").toString();
    AtomicBoolean ends = new AtomicBoolean();
    try (OperatedCluster cluster = OperatedCluster.start(folder, true, FAST);
        MortyClient client = client(cluster.file())) {
      fill(client);
      List<Thread> load =
          List.of(
              Thread.startVirtualThread(() -> transfer(client, ends)),
              Thread.startVirtualThread(() -> transfer(client, ends)));
      Ran made = morty("backup", "--config", cluster.file().toString(), backup);
      ends.set(true);
      assertThat(made.code()).as(made.err()).isEqualTo(ExitCode.OK);
      assertThat(made.out()).contains("cluster 'shop' as of").contains("sha-256");
      for (Thread thread : load) {
        thread.join();
      }
      assertThat(accounts(client)).as("the transfers went on").isNotEmpty();
      Ran again = morty("backup", "--config", cluster.file().toString(), backup);
      assertThat(again.code()).isEqualTo(ExitCode.USAGE);
      assertThat(again.err()).contains(backup, "--force");
      Ran occupied = morty("restore", "--config", cluster.file().toString(), backup);
      assertThat(occupied.code()).isEqualTo(ExitCode.USAGE);
      assertThat(occupied.err()).contains("--overwrite");
    }

    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    String[] settings = {"cluster.partitions = 5", FAST[0], FAST[1]};
    try (OperatedCluster other = OperatedCluster.start(elsewhere, false, settings)) {
      String config = other.file().toString();
      Ran restored = morty("restore", "--config", config, backup);
      assertThat(restored.code()).as(restored.err()).isEqualTo(ExitCode.OK);
      try (MortyClient client = client(other.file())) {
        assertThat(total(accounts(client))).isEqualTo(COUNT * EACH);
      }
      String second = folder.resolve("second.backup").toString();
      long beforeMicros = System.currentTimeMillis() * 1_000;
      Ran copied = morty("backup", "--config", config, second, "--output", "json");
      assertThat(copied.code()).as(copied.err()).isEqualTo(ExitCode.OK);
      String digest = digest(restored.out());
      assertThat(copied.out()).as("the same rows").contains("\"digest\" : \"" + digest + "\"");

      Matcher cut = Pattern.compile("\"cutMicros\" : (\\d+)").matcher(copied.out());
      assertThat(cut.find()).as(copied.out()).isTrue();
      assertThat(Long.parseLong(cut.group(1)))
          .as("no replica votes above the cut yet")
          .isGreaterThanOrEqualTo(beforeMicros + ReplicaOptions.DEFAULTS.allowedSkewMicros());

      String part = folder.resolve("part.backup").toString();
      Ran none = morty("backup", "--config", config, "--prefix", "nothing/", part);
      assertThat(none.out()).contains(" 0 rows");
      Ran prefixed = morty("backup", "--config", config, "--prefix", "account/", part, "--force");
      assertThat(digest(prefixed.out())).isEqualTo(digest);
      Ran over = morty("restore", "--config", config, "--overwrite", part);
      assertThat(over.code()).as(over.err()).isEqualTo(ExitCode.OK);
    }
  }

  private static String digest(String text) {
    return text.split("sha-256 of the rows: ", 2)[1].substring(0, 64);
  }

  @Test
  void aDamagedFileIsNamedWithItsPlaceAndNotRestored() throws Exception {
    Path backup = folder.resolve("shop.backup");
    // Within the retention the deletion is kept, and the backup has to leave it out.
    try (OperatedCluster cluster = OperatedCluster.start(folder, false, FAST[0]);
        MortyClient client = client(cluster.file())) {
      fill(client);
      assertThat(client.run(txn -> remove(txn, COUNT - 1)).isCommitted()).isTrue();
      String config = cluster.file().toString();
      assertThat(morty("backup", "--config", config, backup.toString()).code()).isZero();
      Ran whole = morty("restore", "--check", backup.toString());
      assertThat(whole.out()).contains("299 rows");

      long length = Files.size(backup);
      truncate(backup, length - 12);
      Ran cut = morty("restore", "--config", config, "--overwrite", backup.toString());
      assertThat(cut.code()).isEqualTo(ExitCode.VIOLATION);
      assertThat(cut.err()).contains(backup.toString(), "row");
    }
    for (int i = 0; i < 20; i++) {
      Path damaged = Files.copy(backup, folder.resolve("damaged-" + i));
      try (RandomAccessFile file = new RandomAccessFile(damaged.toFile(), "rw")) {
        long place = 200 + i * (file.length() - 220) / 20;
        file.seek(place);
        int old = file.read();
        file.seek(place);
        file.write(old ^ 0x10);
      }
      Ran found = morty("restore", "--check", damaged.toString());
      assertThat(found.code()).as("%d: %s", i, found.out()).isEqualTo(ExitCode.VIOLATION);
    }
    Path other = Files.writeString(folder.resolve("notes.txt"), "no backup\n");
    Ran none = morty("restore", "--check", other.toString());
    assertThat(none.code()).isEqualTo(ExitCode.VIOLATION);
    assertThat(none.err()).contains("notes.txt", "gzip");
  }

  private static void truncate(Path file, long length) throws IOException {
    try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
      opened.setLength(length);
    }
  }

  @Test
  void aClusterThatDoesNotAnswerIsNamed() throws Exception {
    Path file = folder.resolve("cluster.conf");
    Files.writeString(file, OperatedCluster.configuration(false, FAST));
    Path backup = folder.resolve("none.backup");
    Ran ran = morty("backup", "--config", file.toString(), backup.toString(), "--patience", "1");
    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
    assertThat(ran.err()).contains("us-1", "eu-1");
    assertThat(folder.toFile().list()).containsExactly("cluster.conf");
  }

  @Test
  void systemsWithoutScansAreRefused() throws Exception {
    Path file = folder.resolve("cluster.conf");
    Files.writeString(file, OperatedCluster.configuration(false, "cluster.system = tapir"));
    Ran ran = morty("backup", "--config", file.toString(), folder.resolve("b").toString());
    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
    assertThat(ran.err()).contains("tapir");
  }
}
