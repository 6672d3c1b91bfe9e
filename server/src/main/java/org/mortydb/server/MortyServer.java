package org.mortydb.server;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.Address;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.system.Morty;
import org.mortydb.server.admin.AdminPort;
import org.mortydb.server.status.ServerStatus;
import org.mortydb.server.status.StorageObserver;
import org.mortydb.telemetry.tracing.TransactionTracing;
import org.mortydb.transport.EventLoops;
import org.mortydb.transport.LocalProcess;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.RateLimitedLog;
import org.mortydb.transport.TransportServer;
import org.mortydb.transport.tls.ConfiguredTls;
import org.mortydb.transport.tls.InvalidCredentialsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server: it hosts the replicas that the configuration places on it. A process can run several
 * servers. All methods are for any thread except event loops.
 */
public final class MortyServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(MortyServer.class);
  private static final long STOP_SECONDS = 5;

  /** How often event loops update their status, once something asks for it. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** Creates the state machine of a replica. */
  interface MachineFactory {
    StateMachine<Effects> machine(ReplicaId replica);
  }

  private final ServerSpec spec;
  private final List<ReplicaId> replicas;
  private final ServerCounters counters;
  private final EventLoopGroup loops;
  private final boolean ownsLoops;

  /** All replicas, also those of new partitions, which come and go. */
  private final List<PartitionHost> hosts = new CopyOnWriteArrayList<>();

  private final AtomicBoolean closed = new AtomicBoolean();
  private final CompletableFuture<Void> serving = new CompletableFuture<>();
  private final AtomicInteger joining = new AtomicInteger();

  /** The replicas that may have lost promises, and have not joined yet. */
  private final Set<PartitionHost> inDoubt = ConcurrentHashMap.newKeySet();

  private final PauseWatch pauses;
  private @Nullable TransportServer transport;
  private @Nullable ServerStorage storage;
  private @Nullable ClusterVersion version;
  private @Nullable Peers peers;
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
    this.pauses = new PauseWatch(spec.name());
    this.loops = loops;
    this.ownsLoops = ownsLoops;
  }

  /**
   * Starts a server with event loops of its own and the system clock. Returns when it listens.
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
        replica -> config.system().replica(replica, topology, withSecret(config.replicaOptions())));
  }

  /** So that clients cannot choose keys that slow down the tables of a replica. */
  private static ReplicaOptions withSecret(ReplicaOptions options) {
    return options.withRows(options.rows().withSecret(new SecureRandom().nextLong()));
  }

  static MortyServer start(
      ClusterConfig config, ServerSpec spec, ServerOptions options, MachineFactory machines)
      throws IOException {
    EventLoopGroup sharedLoops = options.loops();
    List<ReplicaId> replicas = config.replicasOf(spec);
    int most = config.changes() ? Integer.MAX_VALUE : replicas.size();
    int threads = config.eventLoops(most, Runtime.getRuntime().availableProcessors());
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

  /**
   * Returns the server of a name.
   *
   * @throws IllegalArgumentException if the configuration has no such server
   */
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
    Directory directory = new Directory(config, spec);
    Address adminAddress = spec.adminListen();
    AdminPort port = adminAddress == null ? null : AdminPort.bind(adminAddress, spec.admin());
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
    NewReplicas added = new NewReplicas(config, directory, byIndex, observed, storing, clock);
    storage =
        ServerStorage.open(
            config,
            spec,
            directory,
            byIndex,
            hosts,
            (replica, map) -> directory.maps().propose(replica, map) && added.restore(replica, map),
            storing,
            options.versions());
    ServerStorage opened = storage;
    ClusterVersion clusterVersion =
        opened == null
            ? new ClusterVersion(config, spec, options.versions(), 0, null)
            : new ClusterVersion(
                config, spec, options.versions(), opened.version(), opened::version);
    version = clusterVersion;
    directory.version(clusterVersion);
    // Earlier processes of this server have lower incarnations, unless the clock was set back. Then
    // a new partition may wait until its other servers restart.
    long incarnation = clock.nowMicros();
    boolean doubtful = storage != null && storage.isDoubtful();
    // A replica of a map that is not decided may never serve.
    hosts.forEach(PartitionHost::noteRestored);
    hosts.forEach(host -> host.tellMaps(directory.maps()));
    List<PartitionHost> awaited = hosts.stream().filter(host -> !host.isArriving()).toList();
    joining.set(awaited.size());
    boolean rehearses = hosts.isEmpty() && config.changes();
    if (awaited.isEmpty() && !rehearses) {
      serving.complete(null);
    }
    for (PartitionHost host : hosts) {
      host.joinUnlessWhole(incarnation, doubtful);
    }
    if (doubtful) {
      inDoubt.addAll(hosts);
    }
    for (PartitionHost host : hosts) {
      boolean isAwaited = awaited.contains(host);
      host.whenServing(
          () -> {
            if (isAwaited) {
              onServing(host);
            }
            onCertain(host);
          });
    }
    // Only now: what the first replica knows of maps, it tells the others.
    for (PartitionHost host : hosts) {
      LoopHost loopHost = host.loopHost();
      loopHost.loop().execute(() -> loopHost.run(host, new Event.TimerFired(Timer.TICK)));
    }
    LocalProcess self =
        LocalProcess.of(
                config,
                new PeerInfo.Server(spec.name(), spec.region()),
                ConfiguredTls.ofServer(config.security(), spec.name()),
                clock::nowMicros)
            .withVersions(options.versions(), clusterVersion::inUse);
    transport =
        TransportServer.listen(
            loops,
            new InetSocketAddress(spec.listen().host(), spec.listen().port()),
            self,
            config.linkOptions(),
            config.delays(),
            (peer, identity) -> Admission.refusal(config, directory.maps(), spec, peer, identity),
            loop -> Objects.requireNonNull(loopHosts.get(loop)));
    Peers links = new Peers(config, spec, self, directory, byIndex);
    peers = links;
    links.start();
    if (storage != null && (config.changes() || !hosts.isEmpty())) {
      storage.startCheckpoints();
    }
    directory.maps().begin(added);
    log.info(
        "{} listens on {}{} and holds {}",
        self.info(),
        spec.listen(),
        spec.advertisedText(),
        replicas);
    if (rehearses) {
      var unusedRehearsal = Rehearsal.begin(spec.name(), config.system()).thenRun(this::rehearsed);
    } else {
      Rehearsal.end();
    }
    watch = new JoiningWatch(spec.name(), directory, hosts, doubtful);
    watch.start(byIndex.getFirst().loop());
    StatusBoard statusBoard =
        new StatusBoard(
            config,
            spec,
            clock,
            directory,
            byIndex,
            hosts,
            links,
            storage,
            counters,
            pauses,
            LOOK_NANOS);
    board = statusBoard;
    pauses.start(loopHosts.keySet());
    if (port != null) {
      pauses.listen(port.pauses());
      statusBoard.start();
      port.start(config, spec, statusBoard::status, directory.maps()::history);
    }
  }

  /** Replicas of partitions that a change of the map adds, or that are restored. */
  private final class NewReplicas implements ServerMaps.Hosting {
    private final ClusterConfig config;
    private final Directory directory;
    private final List<LoopHost> loopHosts;
    private final ServerOptions options;
    private final StorageObserver storing;
    private final MicrosClock clock;

    NewReplicas(
        ClusterConfig config,
        Directory directory,
        List<LoopHost> loopHosts,
        ServerOptions options,
        StorageObserver storing,
        MicrosClock clock) {
      this.config = config;
      this.directory = directory;
      this.loopHosts = loopHosts;
      this.options = options;
      this.storing = storing;
      this.clock = clock;
    }

    private LoopHost loopHost(ReplicaId replica) {
      return loopHosts.get(replica.partition() % loopHosts.size());
    }

    private PartitionHost host(ReplicaId replica, ClusterMap map, MapHistory history) {
      LoopHost loopHost = loopHost(replica);
      ReplicaOptions limits = withSecret(config.replicaOptions());
      Replica machine = Morty.SYSTEM.replica(replica, history, map, limits);
      return new PartitionHost(replica, machine, loopHost, observer(replica, options), storing);
    }

    /** The records of a replica follow. */
    boolean restore(ReplicaId replica, ClusterMap map) {
      PartitionHost host = host(replica, map, directory.maps().history());
      host.arrives();
      hosts.add(host);
      directory.add(host);
      directory.maps().has(replica);
      host.loopHost().add(host);
      return true;
    }

    @Override
    public void start(ReplicaId replica, ClusterMap map, MapHistory history) {
      Rehearsal.end();
      PartitionHost host = host(replica, map, history);
      LoopHost loopHost = host.loopHost();
      loopHost
          .loop()
          .execute(
              () -> {
                host.arrives();
                hosts.add(host);
                ServerStorage opened = storage;
                if (opened != null) {
                  opened.add(host);
                }
                host.joinUnlessWhole(clock.nowMicros(), false);
                loopHost.add(host);
                directory.add(host);
                host.begin(new LogRecord.Hosted(map));
              });
    }

    @Override
    public void told(MapHistory history) {
      for (PartitionHost host : hosts) {
        host.loopHost().loop().execute(() -> tell(host, history));
      }
    }

    /** A replica hears of the maps that its server knows, as if another replica had told. */
    private void tell(PartitionHost host, MapHistory history) {
      if (!host.isStopped() && !host.knows(history)) {
        Message maps = new Message.Maps(TxnId.INITIAL, history.maps(), history.closed());
        host.loopHost().run(host, new Event.Received(host.replica(), maps));
      }
    }

    @Override
    public void members(List<ServerSpec> servers) {
      Peers links = peers;
      ClusterVersion known = version;
      if (links != null) {
        links.follow(servers);
      }
      if (known != null) {
        known.others(servers);
      }
    }

    @Override
    public void end(ReplicaId replica) {
      LoopHost loopHost = loopHost(replica);
      loopHost
          .loop()
          .execute(
              () -> {
                PartitionHost host = directory.host(replica); // its start may still be queued
                if (host != null) {
                  host.stop();
                  directory.remove(host);
                  loopHost.remove(host);
                  ServerStorage opened = storage;
                  LogRecord origin = host.origin();
                  if (opened != null && origin != null) {
                    opened.ended(host, origin); // before a checkpoint can miss the host
                  }
                  hosts.remove(host);
                  onCertain(host);
                }
              });
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

  /** Notes that a server without replicas is ready for its first one. */
  private void rehearsed() {
    if (!closed.get()) {
      serving.complete(null);
    }
  }

  /** Notes that a replica serves. */
  private void onServing(PartitionHost host) {
    log.debug("replica {} serves", host.replica());
    if (joining.decrementAndGet() == 0) {
      log.info("server '{}' serves", spec.name());
      serving.complete(null);
    }
  }

  /** Nothing that a replica may have promised is forgotten any more, because it serves or ends. */
  private void onCertain(PartitionHost host) {
    ServerStorage opened = storage;
    if (inDoubt.remove(host) && inDoubt.isEmpty() && opened != null) {
      Thread.ofVirtual().start(opened::settled);
    }
  }

  /**
   * Completes when all replicas of this server serve. A replica without memory joins first: a new
   * partition needs all its servers for that, a used one f+1 others. A server without replicas
   * rehearses first, for some seconds: whoever waits for this before moving replicas to it spares
   * the clients a cold server.
   */
  public CompletableFuture<Void> serving() {
    return serving.copy();
  }

  /**
   * Completes exceptionally, with a sentence for the operator, when the server cannot go on. Close
   * it then.
   */
  public CompletableFuture<Void> failure() {
    return storage == null ? new CompletableFuture<>() : storage.failure();
  }

  /** Returns the version that the cluster uses; 0 while this server does not know it. */
  public int clusterVersion() {
    return version == null ? 0 : version.inUse();
  }

  /** Returns the server's entry in the configuration. */
  public ServerSpec spec() {
    return spec;
  }

  /** Returns the replicas of this server. */
  public List<ReplicaId> replicas() {
    return replicas;
  }

  /**
   * Returns the status. The first call makes the event loops update it regularly from then on, and
   * waits for the first update, at most a second. With an admin address they do so anyway.
   */
  public ServerStatus status() {
    StatusBoard statusBoard = Objects.requireNonNull(board);
    statusBoard.start();
    return statusBoard.status();
  }

  /** Returns the admin address; null if the configuration names none. */
  public @Nullable InetSocketAddress adminAddress() {
    return admin == null ? null : admin.address();
  }

  /** Returns the counters of what went wrong so far. */
  public ServerCounters counters() {
    return counters;
  }

  /** Stops the server and closes all links. Returns when that is done. */
  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    Rehearsal.end();
    if (watch != null) {
      watch.stop();
    }
    pauses.close();
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
    if (peers != null) {
      stopped.addAll(peers.close());
    }
    for (PartitionHost host : hosts) {
      stopped.add(CompletableFuture.runAsync(host::stop, host.loopHost().loop()));
    }
    try {
      CompletableFuture.allOf(stopped.toArray(CompletableFuture[]::new))
          .get(STOP_SECONDS, TimeUnit.SECONDS);
    } catch (Exception e) {
      log.warn("server '{}' did not stop properly", spec.name(), e);
    }
    if (version != null) {
      version.close();
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
