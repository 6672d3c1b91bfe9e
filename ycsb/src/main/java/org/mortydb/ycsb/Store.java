package org.mortydb.ycsb;

import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Client;
import org.mortydb.client.ClusterUnreachableException;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.net.MortyClient;
import site.ycsb.DBException;

/**
 * The cluster as all threads of a run share it: YCSB makes a binding for each thread, and they use
 * one client. Whoever has {@link #open opened} it closes it; the last one ends the client.
 */
final class Store implements AutoCloseable {
  private static @Nullable Store shared;
  private static int users;

  private final Client client;
  private final ConcurrentHashMap<String, KeySpace<String, Fields>> tables =
      new ConcurrentHashMap<>();

  private Store(Settings settings) {
    this.client = MortyClient.connect(settings.cluster(), settings.client());
  }

  /**
   * The store of this process; connects when it is the first use.
   *
   * @throws DBException when a property is wrong or the cluster cannot be reached; the process then
   *     ends with exit code 1
   */
  static Store open(Properties properties) throws DBException {
    synchronized (Store.class) {
      try {
        if (shared == null) {
          shared = new Store(Settings.of(properties));
        }
        users++;
        return shared;
      } catch (DBException | ClusterUnreachableException e) {
        ExitCode.fail(String.valueOf(e.getMessage()));
        throw e instanceof DBException known ? known : new DBException(e.getMessage(), e);
      }
    }
  }

  @Override
  public void close() {
    synchronized (Store.class) {
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
   * @throws IllegalArgumentException when there can be no table of that name
   */
  KeySpace<String, Fields> table(String name) {
    return tables.computeIfAbsent(name, n -> KeySpace.of(n, Codecs.STRING, Fields.CODEC));
  }
}
