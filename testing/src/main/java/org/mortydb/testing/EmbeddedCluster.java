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
 * A cluster whose servers run in this process and talk over real connections. Close it at the end.
 * Safe for use by several threads.
 *
 * <p>Servers keep their data in memory unless the options say otherwise, so a server that is {@link
 * #stop stopped} and {@link #restart restarted} comes back with nothing and copies all of it from
 * the others, as a replaced machine would.
 */
public final class EmbeddedCluster implements AutoCloseable {
  private static final long SERVING_SECONDS = 60;
  private static final int PORT_ATTEMPTS = 5;

  /** For machines that do much else. */
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

  private final String configuration;
  private final ClusterConfig config;

  /** The running ones by their names. */
  private final Map<String, MortyServer> servers = new LinkedHashMap<>();

  private @Nullable MortyClient client;
  private boolean closed;

  private EmbeddedCluster(String configuration, ClusterConfig config) {
    this.configuration = configuration;
    this.config = config;
  }

  // ---- starting -----------------------------------------------------------------------------

  /**
   * Starts a cluster of three servers; returns when all serve.
   *
   * @throws EmbeddedClusterException when it cannot be started
   */
  public static EmbeddedCluster start() {
    return start(EmbeddedOptions.DEFAULTS);
  }

  /**
   * Starts a cluster on ports that are free; returns when all servers serve.
   *
   * @throws EmbeddedClusterException when it cannot be started, as when a setting is wrong
   */
  public static EmbeddedCluster start(EmbeddedOptions options) {
    for (int attempt = 1; ; attempt++) {
      String text = configuration(options);
      EmbeddedCluster cluster = new EmbeddedCluster(text, parse(text));
      try {
        cluster.startServers();
        return cluster;
      } catch (IOException e) {
        // Somebody else may have taken a port since it was found free.
        if (attempt == PORT_ATTEMPTS) {
          throw cannotStart(e);
        }
      }
    }
  }

  /**
   * Starts all servers of a configuration, wherever it has them listen; returns when all serve.
   *
   * @throws EmbeddedClusterException when they cannot be started, or one does not serve within a
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
        "the embedded cluster cannot be started: " + cause.getMessage(), cause);
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
          "after "
              + SERVING_SECONDS
              + " s these servers do not serve yet: "
              + String.join(", ", joining)
              + "; their log says what they wait for",
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EmbeddedClusterException("interrupted while the embedded cluster started", e);
    } catch (ExecutionException e) {
      throw new EmbeddedClusterException("a server of the embedded cluster has failed", e);
    }
  }

  // ---- using --------------------------------------------------------------------------------

  /** The cluster's configuration, for {@link MortyClient#connect}. */
  public ClusterConfig config() {
    return config;
  }

  /** The text of the configuration; in a file, it lets other processes connect. */
  public String configuration() {
    return configuration;
  }

  /**
   * A client in the first region, always the same; closed with the cluster.
   *
   * @throws ClusterUnreachableException when too few servers are running
   * @throws IllegalStateException when the cluster is closed
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
   * @param region where it seems to be, such as {@code region-2}
   * @throws IllegalArgumentException when there is no such region
   * @throws ClusterUnreachableException when too few servers are running
   */
  public MortyClient connect(String region) {
    return MortyClient.connect(
        config, ClientOptions.inRegion(region).withConnectTimeout(CONNECT_TIMEOUT));
  }

  // ---- failures -----------------------------------------------------------------------------

  /**
   * Stops a server, with all its connections. What was in its memory is lost. Does nothing when it
   * is not running.
   *
   * @throws IllegalArgumentException when there is no such server
   */
  public synchronized void stop(String server) {
    requireServer(server);
    MortyServer running = servers.remove(server);
    if (running != null) {
      running.close();
    }
  }

  /**
   * Starts a server that was stopped; returns when it serves, having copied what it has missed.
   * Does nothing when it is running.
   *
   * @throws IllegalArgumentException when there is no such server
   * @throws EmbeddedClusterException when it cannot be started, or does not serve within a minute
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
          "server '" + server + "' cannot be started again: " + e.getMessage(), e);
    }
    awaitServing();
  }

  private void requireServer(String server) {
    if (config.server(server) == null) {
      throw new IllegalArgumentException(
          "there is no server '"
              + server
              + "'; there are "
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
