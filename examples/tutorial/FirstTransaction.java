import org.mortydb.client.Client;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.client.TypedKey;
import org.mortydb.testing.EmbeddedCluster;

static final KeySpace<String, Long> ACCOUNTS = KeySpace.of("account", Codecs.STRING, Codecs.INT64);
static final TypedKey<Long> ALICE = ACCOUNTS.key("alice");
static final TypedKey<Long> BOB = ACCOUNTS.key("bob");

void main() {
  try (EmbeddedCluster cluster = EmbeddedCluster.start()) {
    Client client = cluster.client();

    client.run(
        txn -> {
          txn.put(ALICE, 100L);
          txn.put(BOB, 50L);
          return null;
        });

    for (long amount : new long[] {30, 1_000}) {
      IO.println(amount + ": " + describe(transfer(client, amount)));
    }
  }
}

Result<Long> transfer(Client client, long amount) {
  return client.run(
      txn -> {
        long alice = txn.getOrDefault(ALICE, 0L);
        long bob = txn.getOrDefault(BOB, 0L);
        if (alice < amount) {
          throw txn.abort();
        }
        txn.put(ALICE, alice - amount);
        txn.put(BOB, bob + amount);
        return bob + amount;
      });
}

String describe(Result<Long> result) {
  return switch (result) {
    case Result.Committed<Long>(Long value, var info) -> "committed, Bob has " + value;
    case Result.AbortedByApplication<Long> aborted -> "aborted by the application";
    case Result.AbortedByConflict<Long> aborted -> "aborted by the store: " + aborted.reason();
    case Result.OutcomeUnknown<Long> unknown -> "outcome unknown";
  };
}
