package org.mortydb.ycsb;

import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Client;
import org.mortydb.client.ClusterUnreachableException;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.client.net.MortyClient;
import site.ycsb.DBException;

/**
 * The cluster's client, which all bindings of a run share. YCSB creates a binding for each thread.
 * Each call of {@link #open} needs a {@link #close}; the last one closes the client.
 */
final class SharedStore implements AutoCloseable {
  private static @Nullable SharedStore shared;
  private static int users;

  private final Client client;
  private final ConcurrentHashMap<String, KeySpace<String, Fields>> tables =
      new ConcurrentHashMap<>();

  private SharedStore(Settings settings) {
    this.client = MortyClient.connect(settings.cluster(), settings.client());
  }

  /**
   * The store of this process. The first call connects.
   *
   * @throws DBException if a property is wrong or the cluster cannot be reached; the process then
   *     ends with exit code 1
   */
  static SharedStore open(Properties properties) throws DBException {
    synchronized (SharedStore.class) {
      try {
        if (shared == null) {
          SharedStore store = new SharedStore(Settings.of(properties));
          try {
            checkLevel(store.client);
          } catch (DBException e) {
            store.client.close();
            throw e;
          }
          shared = store;
        }
        users++;
        return shared;
      } catch (DBException | ClusterUnreachableException e) {
        RunFailure.fail(String.valueOf(e.getMessage()));
        throw e instanceof DBException known ? known : new DBException(e.getMessage(), e);
      }
    }
  }

  /**
   * Refuses a level of reads, or a durability, that the cluster does not have. Sends nothing.
   *
   * @param client whose options have both
   */
  static void checkLevel(Client client) throws DBException {
    try {
      Result<Boolean> unused = client.run(client.options().forReading(), txn -> true);
    } catch (IllegalArgumentException | UnsupportedOperationException e) {
      throw new DBException("property " + Settings.READ_LEVEL + ": " + e.getMessage(), e);
    }
    try {
      Result<Boolean> unused = client.run(client.options(), txn -> true); // it has no operation
    } catch (IllegalArgumentException | UnsupportedOperationException e) {
      throw new DBException("property " + Settings.DURABILITY + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    synchronized (SharedStore.class) {
      users--;
      if (users == 0) {
        shared = null;
        client.close();
      }
    }
  }

  Client client() {
    return client;
  }

  /**
   * The records of a table by their keys.
   *
   * @throws IllegalArgumentException if the name is not allowed
   */
  KeySpace<String, Fields> table(String name) {
    return tables.computeIfAbsent(name, n -> KeySpace.of(n, Codecs.STRING, Fields.CODEC));
  }
}
