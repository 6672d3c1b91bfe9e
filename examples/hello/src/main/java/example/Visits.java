package example;

import org.mortydb.client.Client;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.client.TypedKey;

/** Counts visits by name. */
public final class Visits {
  private static final KeySpace<String, Long> VISITS =
      KeySpace.of("visits", Codecs.STRING, Codecs.INT64);

  private final Client client;

  public Visits(Client client) {
    this.client = client;
  }

  /**
   * Counts a visit.
   *
   * @return the number of visits, including this one
   */
  public long count(String name) {
    TypedKey<Long> visits = VISITS.key(name);
    Result<Long> result =
        client.run(
            txn -> {
              long now = txn.getOrDefault(visits, 0L) + 1;
              txn.put(visits, now);
              return now;
            });
    return switch (result) {
      case Result.Committed<Long>(Long now, var info) -> now;
      case Result<Long> other -> throw new IllegalStateException("not counted: " + other);
    };
  }
}
