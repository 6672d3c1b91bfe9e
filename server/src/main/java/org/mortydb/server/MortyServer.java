package org.mortydb.server;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.Address;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.server.admin.AdminPort;
import org.mortydb.server.status.ServerStatus;
import org.mortydb.server.status.StorageObserver;
import org.mortydb.telemetry.tracing.TransactionTracing;
import org.mortydb.transport.EventLoops;
import org.mortydb.transport.Link;
import org.mortydb.transport.LocalProcess;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.TransportClient;
import org.mortydb.transport.TransportServer;
import org.mortydb.transport.tls.ConfiguredTls;
import org.mortydb.transport.tls.InvalidCredentialsException;
import org.mortydb.wire.WireFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server: hosts the replicas that the configuration places on it. Several can live in one
 * process. All methods may be called by any thread but an event loop's.
 */
public final class MortyServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(MortyServer.class);
  private static final long STOP_SECONDS = 5;

  /** How often event loops note how they and what they hold are, once somebody wants to know. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** Makes the machine of a replica. */
  interface MachineFactory {
    StateMachine<Effects> machine(ReplicaId replica);
  }

  private final ServerSpec spec;
  private final List<ReplicaId> replicas;
  private final ServerCounters counters;
  private final EventLoopGroup loops;
  private final boolean ownsLoops;
  private final List<PartitionHost> hosts = new ArrayList<>();
  private final List<Link> dialled = new ArrayList<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final CompletableFuture<Void> serving = new CompletableFuture<>();
  private final AtomicInteger joining = new AtomicInteger();
  private @Nullable TransportServer transport;
  private @Nullable ServerStorage storage;
  private @Nullable JoiningWatch watch;
  private @Nullable AdminPort admin;
  private @Nullable StatusBoard board;
  private @Nullable TransactionTracing tracing;

  private MortyServer(
      ServerSpec spec,
      List<ReplicaId> replicas,
      ServerCounters counters,
      EventLoopGroup loops,
      boolean ownsLoops) {
    this.spec = spec;
    this.replicas = replicas;
    this.counters = counters;
    this.loops = loops;
    this.ownsLoops = ownsLoops;
  }

  /**
   * Starts a server on event loops of its own, with the machine's clock. Returns when it listens.
   *
   * @throws IllegalArgumentException when the configuration has no server of that name
   * @throws InvalidCredentialsException when its TLS credentials cannot be used
   * @throws IOException when its address cannot be bound, or its data directory cannot be used
   */
  public static MortyServer start(ClusterConfig config, String name) throws IOException {
    return start(config, name, ServerOptions.DEFAULTS);
  }

  /**
   * Starts a server. Returns when it listens.
   *
   * @throws IllegalArgumentException when the configuration has no server of that name
   * @throws InvalidCredentialsException when its TLS credentials cannot be used
   * @throws IOException when its address cannot be bound, or its data directory cannot be used
   */
  public static MortyServer start(ClusterConfig config, String name, ServerOptions options)
      throws IOException {
    ServerSpec spec = require(config, name);
    Topology topology = config.topology(spec.region());
    return start(
        config,
        spec,
        options,
        replica -> config.system().replica(replica, topology, config.replicaOptions()));
  }

  static MortyServer start(
      ClusterConfig config, ServerSpec spec, ServerOptions options, MachineFactory machines)
      throws IOException {
    EventLoopGroup sharedLoops = options.loops();
    List<ReplicaId> replicas = config.replicasOf(spec);
    int threads = config.eventLoops(replicas.size(), Runtime.getRuntime().availableProcessors());
    EventLoopGroup loops =
        sharedLoops != null ? sharedLoops : EventLoops.create(threads, "morty-" + spec.name());
    MortyServer server =
        new MortyServer(spec, replicas, new ServerCounters(), loops, sharedLoops == null);
    try {
      server.host(config, options, machines);
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
    return server;
  }

  /** The server of that name. */
  static ServerSpec require(ClusterConfig config, String name) {
    ServerSpec spec = config.server(name);
    if (spec == null) {
      throw new IllegalArgumentException(
          "there is no server '"
              + name
              + "' in cluster '"
              + config.name()
              + "': its servers are "
              + String.join(", ", config.servers().stream().map(ServerSpec::name).toList()));
    }
    return spec;
  }

  private void host(ClusterConfig config, ServerOptions given, MachineFactory machines)
      throws IOException {
    ServerOptions options = config.tracing().isOn() ? traced(config, given) : given;
    MicrosClock clock = options.clock();
    Directory directory = new Directory(config);
    Address adminAddress = spec.admin();
    AdminPort port = adminAddress == null ? null : AdminPort.bind(adminAddress);
    admin = port;
    ServerOptions observed = port == null ? options : options.withObserver(port.replicas());
    if (TransactionLog.isWanted()) {
      observed = observed.withObserver(new TransactionLog());
    }
    StorageObserver storing = port == null ? StorageObserver.NONE : port.storage();
    Map<EventLoop, LoopHost> loopHosts = new LinkedHashMap<>();
    for (EventExecutor executor : loops) {
      EventLoop loop = (EventLoop) executor;
      loopHosts.put(loop, new LoopHost(loop, directory, counters, clock));
    }
    for (LoopHost one : loopHosts.values()) {
      for (LoopHost other : loopHosts.values()) {
        if (one != other) {
          one.know(other);
        }
      }
    }
    List<LoopHost> byIndex = List.copyOf(loopHosts.values());
    for (ReplicaId replica : replicas) {
      LoopHost loopHost = byIndex.get(replica.partition() % byIndex.size());
      PartitionHost host =
          new PartitionHost(
              replica, machines.machine(replica), loopHost, observer(replica, observed), storing);
      hosts.add(host);
      directory.add(host);
      loopHost.add(host);
    }
    storage = ServerStorage.open(config, spec, directory, byIndex, hosts, storing);
    // Clients, peers and an earlier process of this server have lower ones, unless the clock was
    // set back; then a new partition may wait for its other servers to be started again.
    long incarnation = clock.nowMicros();
    boolean doubtful = storage != null && storage.isDoubtful();
    joining.set(hosts.size());
    if (hosts.isEmpty()) {
      serving.complete(null);
    }
    for (PartitionHost host : hosts) {
      LoopHost loopHost = host.loopHost();
      host.joinUnlessWhole(incarnation, doubtful);
      host.whenServing(() -> onServing(host, doubtful));
      loopHost.loop().execute(() -> loopHost.run(host, new Event.TimerFired(Timer.TICK)));
    }
    LocalProcess self =
        new LocalProcess(
            config.name(),
            new WireFormat(config.system()),
            new PeerInfo.Server(spec.name(), spec.region()),
            ConfiguredTls.ofServer(config.security(), spec.name()));
    transport =
        TransportServer.listen(
            loops,
            new InetSocketAddress(spec.host(), spec.port()),
            self,
            config.linkOptions(),
            config.delays(),
            (peer, identity) -> Admission.refusal(config, spec, peer, identity),
            loop -> Objects.requireNonNull(loopHosts.get(loop)));
    dial(config, self, byIndex);
    if (storage != null && !hosts.isEmpty()) {
      storage.startCheckpoints();
    }
    log.info("{} listens on {}, holds {}", self.info(), spec.address(), replicas);
    watch = new JoiningWatch(spec.name(), directory, hosts);
    watch.start(byIndex.getFirst().loop());
    StatusBoard statusBoard =
        new StatusBoard(
            config, spec, clock, directory, byIndex, hosts, dialled, storage, counters, LOOK_NANOS);
    board = statusBoard;
    if (port != null) {
      statusBoard.start();
      port.start(config, spec, statusBoard::status);
    }
  }

  private ServerOptions traced(ClusterConfig config, ServerOptions options) {
    String service = TransactionTracing.serviceOfServer(spec.name());
    TransactionTracing started = TransactionTracing.toZipkin(service, config);
    tracing = started;
    log.info(
        "{} of all transactions are traced, to {}",
        config.tracing().rate(),
        config.tracing().zipkin());
    return options.withObserver(started.ofServers());
  }

  private static @Nullable MachineObserver observer(ReplicaId replica, ServerOptions options) {
    RateLimitedLog failures = new RateLimitedLog(log);
    return MachineObserver.all(
        options.observers(), e -> failures.warn("an observer of replica {} failed", replica, e));
  }

  /** One of the replicas serves. */
  private void onServing(PartitionHost host, boolean doubtful) {
    log.debug("replica {} serves", host.replica());
    if (joining.decrementAndGet() > 0) {
      return;
    }
    log.info("server '{}' serves", spec.name());
    serving.complete(null);
    ServerStorage opened = storage;
    if (doubtful && opened != null) {
      Thread.ofVirtual().start(opened::settled); // waits for the disk
    }
  }

  /**
   * Completes when all replicas of this server serve. One that remembers nothing has to join first:
   * a new partition needs all its servers for that, an old one f+1 others.
   */
  public CompletableFuture<Void> serving() {
    return serving.copy();
  }

  /**
   * Completes exceptionally, with a sentence for the operator, when the server cannot go on; it is
   * to be closed then.
   */
  public CompletableFuture<Void> failure() {
    return storage == null ? new CompletableFuture<>() : storage.failure();
  }

  /** Of two servers, the one that the configuration names first connects to the other. */
  private void dial(ClusterConfig config, LocalProcess self, List<LoopHost> loopHosts) {
    List<ServerSpec> servers = config.servers();
    for (int i = servers.indexOf(spec) + 1; i < servers.size(); i++) {
      ServerSpec other = servers.get(i);
      LoopHost loopHost = loopHosts.get(i % loopHosts.size());
      dialled.add(
          TransportClient.connect(
              loopHost.loop(),
              other.name(),
              other.host(),
              other.port(),
              self,
              config.linkOptions(),
              config.delays(),
              loopHost));
    }
  }

  /** The server's place in the configuration. */
  public ServerSpec spec() {
    return spec;
  }

  /** The replicas that it holds. */
  public List<ReplicaId> replicas() {
    return replicas;
  }

  /**
   * How the server is. The first call has its event loops look after that from then on, unless the
   * server has an admin address, and waits for the first look, a second at most.
   */
  public ServerStatus status() {
    StatusBoard statusBoard = Objects.requireNonNull(board);
    statusBoard.start();
    return statusBoard.status();
  }

  /** Where administrators are answered; null if the configuration names no such address. */
  public @Nullable InetSocketAddress adminAddress() {
    return admin == null ? null : admin.address();
  }

  /** What went wrong so far. */
  public ServerCounters counters() {
    return counters;
  }

  /** Stops: closes all links, takes no more messages. Returns when it is done. */
  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    if (watch != null) {
      watch.stop();
    }
    if (admin != null) {
      admin.close();
    }
    if (board != null) {
      board.stop();
    }
    if (transport != null) {
      transport.close();
    }
    List<CompletableFuture<Void>> stopped = new ArrayList<>();
    for (Link link : dialled) {
      stopped.add(CompletableFuture.runAsync(link::close, link.eventLoop()));
    }
    for (PartitionHost host : hosts) {
      stopped.add(CompletableFuture.runAsync(host::stop, host.loopHost().loop()));
    }
    try {
      CompletableFuture.allOf(stopped.toArray(CompletableFuture[]::new))
          .get(STOP_SECONDS, TimeUnit.SECONDS);
    } catch (Exception e) {
      log.warn("server '{}' did not stop in order", spec.name(), e);
    }
    if (storage != null) {
      storage.close();
    }
    if (ownsLoops) {
      loops.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }
    if (tracing != null) {
      tracing.close();
    }
  }
}
