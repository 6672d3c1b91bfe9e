package org.mortydb.client.net;

import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Client;
import org.mortydb.client.ClientClosedException;
import org.mortydb.client.ClusterUnreachableException;
import org.mortydb.client.DirectBody;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.direct.DirectRun;
import org.mortydb.client.engine.ResultHandler;
import org.mortydb.client.engine.Session;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.InvalidConfigException;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.transport.ClusterFiles;
import org.mortydb.transport.EventLoops;
import org.mortydb.transport.tls.ConfiguredTls;
import org.mortydb.transport.tls.InvalidCredentialsException;
import org.mortydb.transport.tls.Tls;

/**
 * A client of a cluster over the network. Make one and share it: it keeps threads, and a connection
 * to every server. Safe for use by several threads.
 *
 * <p>The client makes lost connections again. Meanwhile it sends requests again, and sends reads to
 * other replicas.
 */
public final class MortyClient implements Client {
  private static final SecureRandom ids = new SecureRandom();
  private static final long SHUTDOWN_SECONDS = 5;

  private final EventLoopGroup group;
  private final EngineLoop[] loops;
  private final TransactionOptions defaults;
  private final AtomicInteger turn = new AtomicInteger();
  private final AtomicBoolean closed = new AtomicBoolean();

  private MortyClient(ClusterConfig cluster, ClientOptions options) {
    cluster.topology(options.region()); // refuses an unknown region before a thread exists
    Tls tls = credentials(cluster, options);
    group = EventLoops.create(options.engines(), "morty-client");
    defaults = options.engine().transaction();
    loops = new EngineLoop[options.engines()];
    Session session = new Session();
    for (int i = 0; i < loops.length; i++) {
      long random = ids.nextLong();
      ClientId id = new ClientId(tls == null ? random : tls.identity().clientId(random));
      loops[i] = new EngineLoop(group.next(), id, tls, cluster, options, session, ids.nextLong());
    }
  }

  EngineLoop firstLoop() {
    return loops[0];
  }

  @Override
  public TransactionOptions options() {
    return defaults;
  }

  private static @Nullable Tls credentials(ClusterConfig cluster, ClientOptions options) {
    try {
      return ConfiguredTls.ofClient(cluster.security(), options.tls());
    } catch (InvalidCredentialsException e) {
      throw new ClusterUnreachableException(
          "cannot connect to cluster '" + cluster.name() + "': " + e.getMessage());
    }
  }

  /**
   * Connects to the cluster that a configuration file describes, with the default options.
   *
   * @param region the client's region, one of the cluster's regions
   * @throws IOException when the file cannot be read; names the file
   * @throws InvalidConfigException when the file is invalid; names all problems
   * @throws IllegalArgumentException when the cluster has no such region
   * @throws ClusterUnreachableException as {@link #connect(ClusterConfig, ClientOptions)} does
   */
  public static MortyClient connect(Path clusterFile, String region)
      throws IOException, InvalidConfigException {
    return connect(clusterFile, ClientOptions.inRegion(region));
  }

  /**
   * Connects to the cluster that a configuration file describes. If the file names only a few
   * servers, asks them for the rest.
   *
   * @throws IOException when the file cannot be read, or no server in it tells the layout
   * @throws InvalidConfigException when the file is invalid, or contradicts the layout
   * @throws IllegalArgumentException when the cluster does not have the options' region
   * @throws ClusterUnreachableException as {@link #connect(ClusterConfig, ClientOptions)} does
   */
  public static MortyClient connect(Path clusterFile, ClientOptions options)
      throws IOException, InvalidConfigException {
    return connect(ClusterFiles.forClient(clusterFile, options.tls()), options);
  }

  /**
   * Connects to a cluster. Waits until the client has tried every server and reaches a majority of
   * every partition's replicas. Blocks, so do not call it on an event loop.
   *
   * @throws IllegalArgumentException when the cluster does not have the options' region
   * @throws ClusterUnreachableException when too few servers answer within the options' time; when
   *     a server refuses this client, for another cluster's name, another version or its
   *     certificate; or when this client's own TLS credentials cannot be used. Names all addresses
   */
  public static MortyClient connect(ClusterConfig cluster, ClientOptions options) {
    MortyClient client = new MortyClient(cluster, options);
    try {
      long timeoutMicros = TimeUnit.MICROSECONDS.convert(options.connectTimeout());
      for (EngineLoop loop : client.loops) {
        loop.giveUpConnectingAfter(timeoutMicros);
      }
      for (EngineLoop loop : client.loops) {
        loop.reachability().whenEnough().join();
      }
      return client;
    } catch (CompletionException e) {
      client.close();
      if (e.getCause() instanceof ClusterUnreachableException unreachable) {
        throw unreachable;
      }
      throw e;
    }
  }

  @Override
  public <S> CompletableFuture<Result<S>> execute(S initialState, TransactionBody<S> body) {
    return execute(initialState, defaults, body);
  }

  @Override
  public <S> CompletableFuture<Result<S>> execute(
      S initialState, TransactionOptions options, TransactionBody<S> body) {
    Objects.requireNonNull(initialState, "initialState"); // here, where the caller hears of it
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(body, "body");
    FutureHandler<S> handler = new FutureHandler<>();
    EngineLoop own = currentLoop();
    if (own != null) {
      own.engine().execute(initialState, options, body, handler);
      return handler.future;
    }
    EngineLoop next = nextLoop();
    try {
      next.gate().execute(() -> next.engine().execute(initialState, options, body, handler));
    } catch (RejectedExecutionException e) {
      handler.failed(new ClientClosedException("the client is closed"));
    }
    return handler.future;
  }

  @Override
  public <R extends @Nullable Object> Result<R> run(DirectBody<R> body) {
    return run(defaults, body);
  }

  @Override
  public <R extends @Nullable Object> Result<R> run(
      TransactionOptions options, DirectBody<R> body) {
    refuseOwnThread("run");
    EngineLoop next = nextLoop();
    return DirectRun.run(next.engine(), next.gate(), options, body);
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException when called on the client's own thread
   */
  @Override
  public void close() {
    refuseOwnThread("close");
    if (closed.compareAndSet(false, true)) {
      for (EngineLoop loop : loops) {
        loop.close();
      }
      var _ = group.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS);
    }
    group.terminationFuture().awaitUninterruptibly(); // also for a call while another one closes
    for (EngineLoop loop : loops) {
      loop.awaitThreadEnd();
    }
  }

  private void refuseOwnThread(String call) {
    if (currentLoop() != null) {
      throw new IllegalStateException(
          call
              + " blocks, and would block the client's own thread for ever: call it on another"
              + " thread");
    }
  }

  private @Nullable EngineLoop currentLoop() {
    for (EngineLoop loop : loops) {
      if (loop.loop().inEventLoop()) {
        return loop;
      }
    }
    return null;
  }

  private EngineLoop nextLoop() {
    return loops.length == 1
        ? loops[0]
        : loops[Math.floorMod(turn.getAndIncrement(), loops.length)];
  }

  /** Completes a future. */
  private static final class FutureHandler<S> implements ResultHandler<S> {
    private final CompletableFuture<Result<S>> future = new CompletableFuture<>();

    @Override
    public void completed(Result<S> result) {
      future.complete(result);
    }

    @Override
    public void failed(Throwable cause) {
      future.completeExceptionally(cause);
    }
  }
}
