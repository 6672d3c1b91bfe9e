package org.mortydb.testing;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.ClusterUnreachableException;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.InvalidConfigException;
import org.mortydb.config.ServerSpec;
import org.mortydb.server.MortyServer;

/**
 * A cluster whose servers run in this process, with real connections between them. Close it at the
 * end. Thread-safe.
 *
 * <p>Servers keep their data in memory unless the options change that. So a server that was {@link
 * #stop stopped} and {@link #restart restarted} is empty and copies all data from the others, like
 * a replaced machine.
 */
public final class EmbeddedCluster implements AutoCloseable {
  private static final long SERVING_SECONDS = 60;
  private static final int PORT_ATTEMPTS = 5;

  /** Enough for a busy machine. */
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

  private final String configuration;
  private final ClusterConfig config;

  /** The running servers by name. */
  private final Map<String, MortyServer> servers = new LinkedHashMap<>();

  private @Nullable MortyClient client;
  private boolean closed;

  private EmbeddedCluster(String configuration, ClusterConfig config) {
    this.configuration = configuration;
    this.config = config;
  }

  // ---- starting -----------------------------------------------------------------------------

  /**
   * Starts a cluster of three servers. Returns when all serve.
   *
   * @throws EmbeddedClusterException if it cannot be started
   */
  public static EmbeddedCluster start() {
    return start(EmbeddedOptions.DEFAULTS);
  }

  /**
   * Starts a cluster on free ports. Returns when all servers serve.
   *
   * @throws EmbeddedClusterException if it cannot be started, for example because a setting is
   *     wrong
   */
  public static EmbeddedCluster start(EmbeddedOptions options) {
    for (int attempt = 1; ; attempt++) {
      String text = configuration(options);
      EmbeddedCluster cluster = new EmbeddedCluster(text, parse(text));
      try {
        cluster.startServers();
        return cluster;
      } catch (IOException e) {
        // Another process may have taken a port since it was found free.
        if (attempt == PORT_ATTEMPTS) {
          throw cannotStart(e);
        }
      }
    }
  }

  /**
   * Starts all servers of a configuration at its addresses. Returns when all serve.
   *
   * @throws EmbeddedClusterException if they cannot be started, or one does not serve within a
   *     minute
   */
  public static EmbeddedCluster start(String configuration) {
    EmbeddedCluster cluster = new EmbeddedCluster(configuration, parse(configuration));
    try {
      cluster.startServers();
      return cluster;
    } catch (IOException e) {
      throw cannotStart(e);
    }
  }

  private static String configuration(EmbeddedOptions options) {
    try {
      return options.configuration(LoopbackPorts.free(options.servers().size()));
    } catch (IOException e) {
      throw cannotStart(e);
    }
  }

  private static ClusterConfig parse(String configuration) {
    try {
      return ClusterConfig.parse(configuration);
    } catch (InvalidConfigException e) {
      throw cannotStart(e);
    }
  }

  private static EmbeddedClusterException cannotStart(Exception cause) {
    return new EmbeddedClusterException(
        "cannot start the embedded cluster: " + cause.getMessage(), cause);
  }

  private synchronized void startServers() throws IOException {
    boolean started = false;
    try {
      for (ServerSpec server : config.servers()) {
        servers.put(server.name(), MortyServer.start(config, server.name()));
      }
      awaitServing();
      started = true;
    } finally {
      if (!started) {
        close();
      }
    }
  }

  private void awaitServing() {
    CompletableFuture<?>[] all =
        servers.values().stream().map(MortyServer::serving).toArray(CompletableFuture[]::new);
    try {
      CompletableFuture.allOf(all).get(SERVING_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      List<String> joining = new ArrayList<>();
      servers.forEach(
          (name, server) -> {
            if (!server.serving().isDone()) {
              joining.add(name);
            }
          });
      throw new EmbeddedClusterException(
          "servers that do not serve after %d s: %s; their log has the reason"
              .formatted(SERVING_SECONDS, String.join(", ", joining)),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EmbeddedClusterException("interrupted during the start of the embedded cluster", e);
    } catch (ExecutionException e) {
      throw new EmbeddedClusterException("a server of the embedded cluster has failed", e);
    }
  }

  // ---- using --------------------------------------------------------------------------------

  /** The cluster's configuration, for {@link MortyClient#connect}. */
  public ClusterConfig config() {
    return config;
  }

  /** The text of the configuration. Other processes can connect with it in a file. */
  public String configuration() {
    return configuration;
  }

  /**
   * The cluster's client in the first region, which is closed with the cluster.
   *
   * @throws ClusterUnreachableException if too few servers are running
   * @throws IllegalStateException if the cluster is closed
   */
  public synchronized MortyClient client() {
    refuseClosed();
    if (client == null) {
      client = connect(config.regions().getFirst());
    }
    return client;
  }

  /**
   * A new client, which the caller closes.
   *
   * @param region its region, such as {@code region-2}
   * @throws IllegalArgumentException if there is no such region
   * @throws ClusterUnreachableException if too few servers are running
   */
  public MortyClient connect(String region) {
    return MortyClient.connect(
        config, ClientOptions.inRegion(region).withConnectTimeout(CONNECT_TIMEOUT));
  }

  // ---- failures -----------------------------------------------------------------------------

  /**
   * Stops a server with all its connections, and loses its memory. Does nothing if it is not
   * running.
   *
   * @throws IllegalArgumentException if there is no such server
   */
  public synchronized void stop(String server) {
    requireServer(server);
    MortyServer running = servers.remove(server);
    if (running != null) {
      running.close();
    }
  }

  /**
   * Starts a stopped server. Returns when it has copied the missing data and serves. Does nothing
   * if it is running.
   *
   * @throws IllegalArgumentException if there is no such server
   * @throws EmbeddedClusterException if it cannot be started, or does not serve within a minute
   */
  public synchronized void restart(String server) {
    refuseClosed();
    requireServer(server);
    if (servers.containsKey(server)) {
      return;
    }
    try {
      servers.put(server, MortyServer.start(config, server));
    } catch (IOException e) {
      throw new EmbeddedClusterException(
          "cannot restart server '" + server + "': " + e.getMessage(), e);
    }
    awaitServing();
  }

  private void requireServer(String server) {
    if (config.server(server) == null) {
      throw new IllegalArgumentException(
          "no server '"
              + server
              + "'; the servers are "
              + String.join(", ", config.servers().stream().map(ServerSpec::name).toList()));
    }
  }

  private void refuseClosed() {
    if (closed) {
      throw new IllegalStateException("the embedded cluster is closed");
    }
  }

  /** Ends the cluster's own client and all servers. */
  @Override
  public synchronized void close() {
    closed = true;
    if (client != null) {
      client.close();
      client = null;
    }
    servers.values().forEach(MortyServer::close);
    servers.clear();
  }
}
