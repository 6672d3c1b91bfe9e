import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.mortydb.client.Client;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.client.TypedKey;
import org.mortydb.testing.EmbeddedCluster;
import org.mortydb.testing.EmbeddedOptions;

static final KeySpace<String, Long> ACCOUNTS = KeySpace.of("account", Codecs.STRING, Codecs.INT64);
static final TypedKey<Long> ALICE = ACCOUNTS.key("alice");
static final TypedKey<Long> BOB = ACCOUNTS.key("bob");
static final TypedKey<Long> SUM = ACCOUNTS.key("sum of both");

// These latches enforce the order that we want to see.
final CountDownLatch olderHasBegun = new CountDownLatch(1);
final CountDownLatch youngerHasRead = new CountDownLatch(1);
final CountDownLatch olderHasCommitted = new CountDownLatch(1);

void main(String[] args) {
  String system = args.length == 0 ? "morty" : args[0];
  EmbeddedOptions options = EmbeddedOptions.DEFAULTS.withSetting("cluster.system", system);
  try (EmbeddedCluster cluster = EmbeddedCluster.start(options);
      Client other = cluster.connect("region-1")) {
    Client client = cluster.client();
    client.run(
        txn -> {
          txn.put(ALICE, 100L);
          txn.put(BOB, 50L);
          return null;
        });

    CompletableFuture<Result<Long>> older = CompletableFuture.supplyAsync(() -> withdraw(other));
    await(olderHasBegun);
    Result<Long> younger = addUp(client).join();

    IO.println("younger: committed " + younger.isCommitted());
    IO.println("younger: re-executions " + younger.info().reexecutions());
    IO.println("younger: attempts " + younger.info().attempts());
    older.join();
    boolean seen = younger instanceof Result.Committed<Long>(Long sum, var _) && sum == 120;
    IO.println("the younger one has seen what the older one wrote: " + seen);
  }
}

/** Takes 30 from Alice, after the younger transaction has read. */
Result<Long> withdraw(Client client) {
  Result<Long> result =
      client.run(
          txn -> {
            long alice = txn.getOrDefault(ALICE, 0L);
            olderHasBegun.countDown();
            await(youngerHasRead);
            txn.put(ALICE, alice - 30);
            IO.println("older:   writes Alice = " + (alice - 30));
            return alice - 30;
          });
  olderHasCommitted.countDown();
  return result;
}

/** Reads Bob, then Alice, and writes the sum of both. */
CompletableFuture<Result<Long>> addUp(Client client) {
  return client.execute(
      0L,
      (txn, start) -> {
        IO.println("younger: begins");
        txn.get(
            start,
            BOB,
            (ctx, bob) -> {
              IO.println("younger: reads Bob = " + bob);
              txn.get(
                  ctx.with(bob),
                  ALICE,
                  (next, alice) -> {
                    IO.println("younger: reads Alice = " + alice);
                    youngerHasRead.countDown();
                    await(olderHasCommitted);
                    long sum = next.state() + alice;
                    txn.put(next, SUM, sum);
                    IO.println("younger: writes the sum " + sum + " and asks to commit");
                    txn.commit(next.with(sum));
                  });
            });
      });
}

void await(CountDownLatch latch) {
  try {
    latch.await();
  } catch (InterruptedException e) {
    throw new IllegalStateException(e);
  }
}
