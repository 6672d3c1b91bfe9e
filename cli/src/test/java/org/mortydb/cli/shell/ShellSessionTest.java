package org.mortydb.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.cli.shell.ShellSession.Progress;
import org.mortydb.client.net.MortyClient;
import org.mortydb.testing.EmbeddedCluster;
import org.mortydb.testing.MortyCluster;

/** Conversations of two people with one cluster. */
@Timeout(60)
@MortyCluster(partitions = 2, settings = "server.replica.retention = 4s")
final class ShellSessionTest {
  private final MortyClient client;
  private final Person ann;
  private final Person bob;

  ShellSessionTest(EmbeddedCluster cluster) {
    client = cluster.client();
    ShellOptions asks = ShellOptions.of(cluster.config(), Duration.ofSeconds(30), true);
    assertThat(asks.runMicros()).isEqualTo(3_000_000);
    ann = new Person(asks);
    bob = new Person(asks);
  }

  /** A session, and all that it has shown, line by line. */
  private final class Person {
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final ShellSession session;

    Person(ShellOptions options) {
      session = new ShellSession(client, new TextOutput(seen::add, seen::add, false), options);
    }

    /** Types statements; returns what was shown because of them. */
    String types(String statements) {
      int before = seen.size();
      Progress unused = session.run(statements);
      return String.join("\n", seen.subList(before, seen.size()));
    }

    void awaits(String line) throws InterruptedException {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (seen.stream().noneMatch(one -> one.contains(line)) && System.nanoTime() < deadline) {
        Thread.sleep(10);
      }
      assertThat(seen).anyMatch(one -> one.contains(line));
    }
  }

  @AfterEach
  void end() {
    ann.session.close();
    bob.session.close();
  }

  @Test
  void singleStatements() {
    assertThat(ann.types("get s/a")).isEqualTo("s/a holds nothing");
    assertThat(ann.types("put s/a 'hello world'; put s/b 7 as int64; get s/a"))
        .isEqualTo("ok\nok\ns/a = \"hello world\"");
    assertThat(bob.types("get s/b as int64; get s/b"))
        .isEqualTo("s/b = 7\ns/b = 0x8000000000000007");
    assertThat(bob.types("add s/b 5 as int64; add s/n 2; add s/n 40"))
        .isEqualTo("s/b = 12\ns/n = 2\ns/n = 42");
    assertThat(bob.types("delete s/a; get s/a s/n")).isEqualTo("ok\ns/a holds nothing\ns/n = 42");
    assertThat(bob.session.keys()).containsExactly("s/a", "s/b", "s/n");
  }

  /** Bob is older, and merges into the same keys: Ann would execute again if she had read them. */
  @Test
  void mergesReadNothing() throws Exception {
    ann.types("put m/x 5 as int64");
    bob.types("begin; get m/other");
    assertThat(ann.types("begin; merge add m/x 10; merge max m/y 3; merge putifabsent m/z one"))
        .isEqualTo("begun\nok\nok\nok");
    assertThat(bob.types("merge add m/x 100; merge max m/y 4; merge putifabsent m/z two; commit"))
        .isEqualTo("ok\nok\nok\ncommitted");
    Thread.sleep(500); // in which a stale read would make her execute again
    assertThat(ann.types("timing on; commit; timing off"))
        .contains("committed (")
        .doesNotContain("re-execution");
    assertThat(ann.types("get m/x m/y as int64; get m/z"))
        .isEqualTo("m/x = 115\nm/y = 4\nm/z = two");
  }

  @Test
  void aMergeThatDoesNotFitIsRefused() {
    ann.types("put q/a hello; put q/b 9223372036854775807 as int64");
    assertThat(ann.types("merge add q/a 1")).contains("rolled back: a merge does not fit");
    assertThat(ann.types("merge max q/a 1")).contains("rolled back: a merge does not fit");
    assertThat(ann.types("merge add q/b 1")).contains("rolled back: a merge does not fit");
    assertThat(ann.types("begin; get q/b as int64; merge add q/b 1"))
        .endsWith("refused: q/b would leave the range of 64 bits; the transaction is still open");
    assertThat(ann.types("merge add q/c 1; get q/c as int64")).isEqualTo("ok\nq/c = 1");
    assertThat(ann.types("commit; get q/a; get q/b q/c as int64"))
        .isEqualTo("committed\nq/a = hello\nq/b = 9223372036854775807\nq/c = 1");
  }

  @Test
  void appendsToListsThatKeepTheirLastItems() {
    ann.types("merge append w/a one 2; merge append w/a 'item two' 2; merge append w/a 0xff 2");
    assertThat(ann.types("get w/a as list")).isEqualTo("w/a = \"\\\"item two\\\" 0xff\"");
    assertThat(ann.types("begin; merge append w/b x 3; get w/b as list; commit"))
        .isEqualTo("begun\nok\nw/b = x\ncommitted");
    assertThat(ann.types("merge append w/a x 0")).contains("from 1 to 16384");
    ann.types("put w/c 7 as int64");
    assertThat(ann.types("merge append w/c x 3")).contains("rolled back: a merge does not fit");
    assertThat(ann.types("merge add w/a 3")).contains("rolled back: a merge does not fit");
  }

  /** While it waits, the shell looks at a key that it has read: not at one that it merges into. */
  @Test
  void aMergeOfAScannedKeyWaitsLikeOthers() throws Exception {
    assertThat(ann.types("begin; scan v/a v/b; merge add v/a 7")).isEqualTo("begun\nno keys\nok");
    Thread.sleep(500);
    assertThat(ann.types("commit; get v/a as int64")).isEqualTo("committed\nv/a = 7");
  }

  @Test
  void scans() {
    ann.types("put c/b 2; put c/a 1; put c/d four; put c/c 3 as int64; put d 9; delete c/b");
    assertThat(ann.types("scan prefix c/ as int64"))
        .isEqualTo("c/a = 1\nc/c = 3\nc/d = four\n3 keys");
    assertThat(ann.types("scan c/b c/d limit 1 as int64")).matches("c/c = 3\\n1 key.*c/c");
    assertThat(ann.types("scan c/x c/z")).isEqualTo("no keys");
    assertThat(ann.types("begin; put c/aa own; scan prefix c/a; rollback"))
        .isEqualTo("begun\nok\nc/a = 1\nc/aa = own\n2 keys\nrolled back");
  }

  /** Bob is older, and inserts into what Ann has scanned. */
  @Test
  void aPhantomIsTold() throws Exception {
    ann.types("put p/a 1; put p/c 3");
    bob.types("begin; get p2/other");
    assertThat(ann.types("begin; scan prefix p/; put p2/count 2"))
        .isEqualTo("begun\np/a = 1\np/c = 3\n2 keys\nok");
    assertThat(bob.types("put p/b 2; delete p/c; commit")).endsWith("committed");
    ann.awaits("p/b = 2, was nothing");
    ann.awaits("p/c holds nothing, was 3");
    assertThat(ann.types("scan prefix p/")).isEqualTo("p/a = 1\np/b = 2\n2 keys");
    assertThat(ann.types("commit")).isEqualTo("committed");
  }

  @Test
  void whatCannotBeDoneIsSaid() {
    assertThat(ann.types("put w/a hello; add w/a 1; put w/a lost"))
        .startsWith("ok\nrefused: w/a holds hello");
    assertThat(ann.types("get w/a as int64")).matches("refused: w/a holds hello.*int64");
    assertThat(ann.types("put w/b 1 as int64; add w/b 1"))
        .contains("refused: w/b")
        .endsWith(": as int64");
    assertThat(ann.types("put w/c 9223372036854775807; add w/c 1")).contains("refused: w/c");
    assertThat(ann.types("get w/a")).isEqualTo("w/a = hello");
    assertThat(ann.types("commit")).contains("no transaction is open");
    assertThat(ann.types("nonsense")).contains("nonsense", "'help'");
    assertThat(ann.types("begin; begin")).contains("already open");
    assertThat(ann.session.isOpen()).isTrue();
  }

  @Test
  void aTransactionSeesItsOwnWritesAndOthersDoNot() {
    assertThat(ann.types("begin; put t/a 1; get t/a")).isEqualTo("begun\nok\nt/a = 1");
    assertThat(ann.types("rollback; get t/a")).isEqualTo("rolled back\nt/a holds nothing");
    assertThat(ann.types("begin; put t/a 2; delete t/b; commit"))
        .isEqualTo("begun\nok\nok\ncommitted");
    assertThat(bob.types("get t/a")).isEqualTo("t/a = 2");
    assertThat(ann.types("begin; commit")).isEqualTo("begun\ncommitted");
  }

  /** Bob is older, and writes what Ann has read: she is told at once, and her sum is made anew. */
  @Test
  void aReexecutionIsToldAndRepeatsTheStatements() throws Exception {
    ann.types("put r/x 100; put r/sum 0");
    bob.types("begin; get r/other");
    assertThat(ann.types("begin; get r/x; add r/sum 1; put r/y blind"))
        .isEqualTo("begun\nr/x = 100\nr/sum = 1\nok");
    assertThat(bob.types("put r/x 70; put r/sum 10; commit")).isEqualTo("ok\nok\ncommitted");
    ann.awaits("r/x = 70, was 100");
    ann.awaits("r/sum = 10, was 0");
    assertThat(ann.seen).anyMatch(line -> line.startsWith("re-executed"));
    assertThat(ann.types("commit; get r/x r/sum r/y"))
        .isEqualTo("committed\nr/x = 70\nr/sum = 11\nr/y = blind");
  }

  /** What Ann writes may rest on what she saw, which was no longer true when she committed. */
  @Test
  void aCommitIsPutOffWhenAReadChangesUnderIt() {
    ann.types("put c/x 100");
    ann.types("begin; get c/x");
    bob.types("add c/x 5");
    String answer = ann.types("put c/x 99; commit");
    assertThat(answer).contains("c/x = 105, was 100", "not committed");
    assertThat(ann.session.isOpen()).isTrue();
    assertThat(ann.types("put c/x 104; commit; get c/x")).isEqualTo("ok\ncommitted\nc/x = 104");
  }

  @Test
  void aScriptThatAsksNobodyCommitsWithWhatItReads() {
    Person script = new Person(new ShellOptions(3_000_000, Duration.ofSeconds(30), false));
    ann.types("put n/x 1");
    script.types("begin; add n/x 10");
    bob.types("add n/x 100");
    assertThat(script.types("commit; get n/x")).contains("n/x = 101, was 1").endsWith("n/x = 111");
  }

  /** Longer than the retention: the transaction goes on in another run, with its statements. */
  @Test
  void thinkingForLongCostsNothing() throws Exception {
    ann.types("put l/x 1; begin; get l/x; put l/y 2");
    Thread.sleep(5_000);
    assertThat(ann.types("get l/x l/y; commit")).isEqualTo("l/x = 1\nl/y = 2\ncommitted");
    assertThat(bob.types("get l/y")).isEqualTo("l/y = 2");
  }

  @Test
  void whoGoesAwayIsRolledBack() throws Exception {
    Person away = new Person(new ShellOptions(3_000_000, Duration.ofSeconds(1), true));
    away.types("begin; put i/x 1; get i/z");
    Thread.sleep(2_500);
    assertThat(away.types("commit")).startsWith("rolled back: ").contains("1 s");
    assertThat(away.session.isOpen()).isFalse();
    assertThat(away.types("get i/x")).isEqualTo("i/x holds nothing");
  }

  @Test
  void aStatementThatOthersMadeImpossibleIsNotCommitted() throws Exception {
    bob.types("begin; get u/other");
    ann.types("begin; add u/x 1; add u/x 1");
    bob.types("put u/x word; commit");
    Thread.sleep(500);
    assertThat(ann.types("commit")).contains("not committed: u/x holds word");
    assertThat(ann.types("rollback; get u/x")).isEqualTo("rolled back\nu/x = word");
  }
}
