package org.mortydb.client.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.client.Client;
import org.mortydb.client.Result;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.fixture.ClusterClient;
import org.mortydb.client.fixture.ClusterThread;
import org.mortydb.client.fixture.TestCluster;

/** The example of the package's documentation works. */
@Timeout(20)
class TransferTest {
  private ClusterThread thread;
  private Client client;

  @BeforeEach
  void open() {
    TestCluster cluster = new TestCluster(2);
    cluster.network((from, to, message) -> 100);
    var engine = cluster.client(1, EngineOptions.DEFAULTS);
    thread = new ClusterThread(cluster);
    client = new ClusterClient(engine, thread);
    client.run(
        txn -> {
          txn.put(Transfer.ACCOUNTS.key("alice"), 1_000L);
          txn.put(Transfer.ACCOUNTS.key("bob"), 0L);
          return null;
        });
  }

  @AfterEach
  void close() throws InterruptedException {
    thread.close();
  }

  @Test
  void bothStylesTransfer() throws Exception {
    Result<Transfer.Balances> first =
        Transfer.transfer(client, "alice", "bob", 300).get(10, TimeUnit.SECONDS);
    assertThat(first)
        .isInstanceOfSatisfying(
            Result.Committed.class,
            c -> assertThat(c.value()).isEqualTo(new Transfer.Balances(700, 300)));
    Result<Transfer.Balances> second = Transfer.transferDirectly(client, "bob", "alice", 100);
    assertThat(second)
        .isInstanceOfSatisfying(
            Result.Committed.class,
            c -> assertThat(c.value()).isEqualTo(new Transfer.Balances(200, 800)));
    assertThat(Transfer.tell(second)).startsWith("done, 200 are left");
  }

  @Test
  void bothStylesRefuse() throws Exception {
    Result<Transfer.Balances> poor =
        Transfer.transfer(client, "bob", "alice", 1).get(10, TimeUnit.SECONDS);
    Result<Transfer.Balances> nobody = Transfer.transferDirectly(client, "carol", "alice", 1);
    assertThat(List.of(Transfer.tell(poor), Transfer.tell(nobody)))
        .allMatch(said -> said.startsWith("refused"));
  }

  @Test
  void moneyIsNeitherMadeNorLost() throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      boolean there = random.nextBoolean();
      String from = there ? "alice" : "bob";
      String to = there ? "bob" : "alice";
      long cents = random.nextLong(1, 50);
      if (i % 2 == 0) {
        all.add(Transfer.transfer(client, from, to, cents));
      } else {
        all.add(
            CompletableFuture.runAsync(
                () -> Transfer.transferDirectly(client, from, to, cents),
                task -> Thread.startVirtualThread(task)));
      }
    }
    for (CompletableFuture<?> one : all) {
      one.get(15, TimeUnit.SECONDS);
    }
    Result<Long> sum =
        client.run(
            txn ->
                txn.getOrDefault(Transfer.ACCOUNTS.key("alice"), 0L)
                    + txn.getOrDefault(Transfer.ACCOUNTS.key("bob"), 0L));
    assertThat(sum)
        .isInstanceOfSatisfying(
            Result.Committed.class, c -> assertThat(c.value()).isEqualTo(1_000L));
  }
}
