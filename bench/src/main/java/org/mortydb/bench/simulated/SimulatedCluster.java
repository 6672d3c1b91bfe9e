package org.mortydb.bench.simulated;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.simulated.Loop.Usage;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.engine.CompletionListener;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.net.ConfiguredAdmission;
import org.mortydb.client.net.ConfiguredSlots;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.Durability;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.sim.host.HostClock;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.Randomness;
import org.mortydb.sim.net.DelayModel;

/** Servers, clients and their connections in virtual time. Not thread-safe. */
final class SimulatedCluster {
  /** The delay of messages while records are filled. */
  private static final long FILLING_MICROS = 20;

  private final ClusterSettings settings;
  private final ClusterConfig config;
  private final SimulatedHosts hosts;
  private final Randomness randomness;
  private final @Nullable Gauge gauge;
  private final VirtualClock clock = new VirtualClock(new Kernel());
  private final Observation observation = new Observation(clock);
  private final SimulatedNetwork network;
  private final DelayModel delays;
  private final Costs serverCosts;
  private final Costs clientCosts;
  private final Costs writerCosts;
  private final @Nullable StorageCosts storageCosts;
  private final double collectorShare;
  private final long latencyNanos;
  private final List<Machine> machines = new ArrayList<>();
  private final @Nullable Machine shared;
  private final Usage serverUsage = new Usage();
  private final Usage clientUsage = new Usage();
  private final List<Loop> serverLoops = new ArrayList<>();
  private final List<Loop> clientLoops = new ArrayList<>();
  private final List<SimulatedServer> servers = new ArrayList<>();
  private final List<Loop> writers = new ArrayList<>();
  private final List<SimulatedLog> logs = new ArrayList<>();
  private int serverCores;
  private int clientCores;

  /**
   * @param storage the costs of logs; not used if servers store nothing
   * @throws InvalidCalibrationException if servers store, and {@code storage} is null
   */
  SimulatedCluster(
      ClusterSettings settings,
      SimulatedHosts hosts,
      TransportCosts transport,
      @Nullable StorageCosts storage,
      SystemCosts costs,
      StepScale scale,
      long seed,
      @Nullable Gauge gauge) {
    this.settings = settings;
    this.config = settings.config();
    this.hosts = hosts;
    this.randomness = new Randomness(seed);
    this.gauge = gauge;
    this.delays = delays(config, hosts);
    this.network = new SimulatedNetwork(clock.kernel(), delays, randomness.stream("network"));
    this.serverCosts = new Costs(transport, costs.server(), scale.server());
    this.clientCosts = new Costs(transport, costs.client(), scale.client());
    this.writerCosts = Costs.ofWriter(transport);
    this.storageCosts = storage;
    this.collectorShare = scale.collector();
    this.latencyNanos = Math.round(transport.latency());
    this.shared = hosts.shared() ? new Machine(clock, hosts.cores(), latencyNanos) : null;
    if (shared != null) {
      serverCores = hosts.cores();
      clientCores = hosts.cores();
    }
    buildServers();
  }

  private static DelayModel delays(ClusterConfig config, SimulatedHosts hosts) {
    List<String> regions = config.regions();
    long[][] micros = new long[regions.size()][regions.size()];
    for (int from = 0; from < micros.length; from++) {
      for (int to = 0; to < micros.length; to++) {
        long given = config.delays().micros(regions.get(from), regions.get(to));
        micros[from][to] = given == 0 && !hosts.shared() ? hosts.localMicros() : given;
      }
    }
    return new DelayModel(micros, 0, 0, 0);
  }

  /** The time of all clocks of the cluster, in microseconds. */
  static long wallMicros(VirtualClock clock) {
    return HostClock.EPOCH_MICROS + clock.nanos() / VirtualClock.NANOS_PER_MICRO;
  }

  VirtualClock clock() {
    return clock;
  }

  // ---- servers ------------------------------------------------------------------------------

  private void buildServers() {
    TransactionSystem system = config.system();
    for (ServerSpec spec : config.servers()) {
      List<ReplicaId> replicas = config.replicasOf(spec);
      Machine machine = machine(hosts.cores());
      if (shared == null) {
        serverCores += hosts.cores();
      }
      int loopCount = loops(replicas.size());
      List<Loop> loops = new ArrayList<>();
      for (int i = 0; i < loopCount; i++) {
        loops.add(loop(machine, serverUsage, serverLoops));
      }
      collectBehind(loops, machine);
      int region = config.regions().indexOf(spec.region());
      SimulatedServer server =
          new SimulatedServer(
              clock, region, loops, config.partitions(), 2 * config.f() + 1, gauge, observation);
      Topology topology = config.topology(spec.region());
      for (ReplicaId replica : replicas) {
        server.add(replica, system.replica(replica, topology, config.replicaOptions()));
      }
      if (config.durability() != Durability.MEMORY) {
        store(server, machine, loops);
      }
      servers.add(server);
    }
    for (int i = 0; i < servers.size(); i++) {
      for (int j = i + 1; j < servers.size(); j++) {
        connect(i, j);
      }
    }
    servers.forEach(SimulatedServer::start);
  }

  /** The collector of a server may use all cores of its machine, but only as much as it must. */
  private void collectBehind(List<Loop> loops, Machine machine) {
    if (collectorShare > 0) {
      List<Loop> threads = new ArrayList<>();
      for (int i = 0; i < machine.cores(); i++) {
        threads.add(new Loop(machine, clock, serverUsage, Costs.FREE));
      }
      Collector collector = new Collector(serverUsage, collectorShare, threads);
      loops.forEach(loop -> loop.cleanedBy(collector));
    }
  }

  private void store(SimulatedServer server, Machine machine, List<Loop> loops) {
    if (storageCosts == null) {
      throw new InvalidCalibrationException(
          "the calibration lacks the costs of a log, which durability '%s' needs; 'morty calibrate' measures them"
              .formatted(config.durability()),
          null);
    }
    Loop writer = loop(machine, serverUsage, writers);
    writer.costs(writerCosts);
    SimulatedLog log =
        new SimulatedLog(
            clock,
            writer,
            loops,
            config.durability() == Durability.SYNC,
            config.storage().forceInterval().toNanos(),
            storageCosts,
            server::release);
    server.storeIn(log);
    logs.add(log);
  }

  /** A server uses its whole machine; on a shared machine it decides like a real server. */
  private int loops(int replicas) {
    return settings.serverLoops() == 0 && shared == null
        ? Math.max(1, Math.min(hosts.cores(), replicas))
        : config.eventLoops(replicas, hosts.cores());
  }

  private Machine machine(int cores) {
    if (shared != null) {
      return shared;
    }
    Machine machine = new Machine(clock, cores, latencyNanos);
    machines.add(machine);
    return machine;
  }

  private Loop loop(Machine machine, Usage usage, List<Loop> among) {
    Loop loop = new Loop(machine, clock, usage, usage == serverUsage ? serverCosts : clientCosts);
    among.add(loop);
    return loop;
  }

  /** The server with the lower number connects to the other, from one of its loops. */
  private void connect(int low, int high) {
    SimulatedServer one = servers.get(low);
    SimulatedServer other = servers.get(high);
    Loop here = one.loops().get(high % one.loops().size());
    Loop there = other.nextLoop();
    Pipe out = pipe(here, one.region(), there, other.region(), e -> other.receive(there, e));
    Pipe back = pipe(there, other.region(), here, one.region(), e -> one.receive(here, e));
    replicasOf(high).forEach(replica -> one.connect(replica, out));
    replicasOf(low).forEach(replica -> other.connect(replica, back));
  }

  private List<ReplicaId> replicasOf(int server) {
    return config.replicasOf(config.servers().get(server));
  }

  private Pipe pipe(Loop from, int fromRegion, Loop to, int toRegion, Consumer<Envelope> sink) {
    return new Pipe(network, from, fromRegion, to, toRegion, sink);
  }

  // ---- clients ------------------------------------------------------------------------------

  /**
   * Builds the clients, region by region.
   *
   * @param listener creates the listener for the attempts of a client
   */
  List<SimulatedClient> buildClients(
      TransactionOptions transaction, Function<SimulatedClient, CompletionListener> listener) {
    EngineOptions options = engineOptions(transaction);
    SplittableRandom ids = randomness.stream("client ids");
    List<SimulatedClient> clients = new ArrayList<>();
    for (int region = 0; region < settings.clientRegions(); region++) {
      for (int host = 0; host < hosts.clientHosts(); host++) {
        Machine machine = machine(hosts.clientCores());
        if (shared == null) {
          clientCores += hosts.clientCores();
        }
        SimulatedClient client = new SimulatedClient(clock, transaction, gauge, observation);
        CompletionListener completions = listener.apply(client);
        for (int i = 0; i < clientLoopCount(); i++) {
          Loop loop = loop(machine, clientUsage, clientLoops);
          SimulatedClient.Engine engine =
              client.add(
                  loop,
                  new ClientId(ids.nextLong()),
                  region,
                  config.topology(config.regions().get(region)),
                  options.withSlots(
                      ConfiguredSlots.of(
                          config,
                          config.regions().get(region),
                          options.coordinator().clockUncertaintyMicros())),
                  delays.farthestMicros(region),
                  randomness.child("client", clientLoops.size()).stream("retries"),
                  completions);
          connect(engine, region);
        }
        int from = region;
        if (config.regionSlots().adaptive()) {
          client.agreeOnSlots(servers, server -> delays.baseMicros(from, server.region()));
        }
        clients.add(client);
      }
    }
    return clients;
  }

  /** A client uses its whole machine; on a shared machine, as many loops as the settings say. */
  private int clientLoopCount() {
    return shared == null
        ? Math.max(settings.clientLoops(), hosts.clientCores())
        : settings.clientLoops();
  }

  /** The engine's options, with the clock uncertainty, as in a real client. */
  private EngineOptions engineOptions(TransactionOptions transaction) {
    EngineOptions options =
        EngineOptions.DEFAULTS
            .withSystem(config.system())
            .withTransaction(transaction)
            .withAdmission(ConfiguredAdmission.of(config));
    return options.withCoordinator(
        options
            .coordinator()
            .withClockUncertaintyMicros(config.replicaOptions().clockUncertaintyMicros()));
  }

  private void connect(SimulatedClient.Engine engine, int region) {
    for (int i = 0; i < servers.size(); i++) {
      SimulatedServer server = servers.get(i);
      Loop there = server.nextLoop();
      Loop here = engine.loop();
      Pipe out = pipe(here, region, there, server.region(), e -> server.receive(there, e));
      server.connect(engine.id(), pipe(there, server.region(), here, region, engine::receive));
      replicasOf(i).forEach(replica -> engine.connect(replica, out));
    }
  }

  // ---- use ----------------------------------------------------------------------------------

  /** Sets whether records are being filled, without processor costs and with a small delay. */
  void fill(boolean on) {
    network.delays(on ? DelayModel.constant(config.regions().size(), FILLING_MICROS) : delays);
    serverLoops.forEach(loop -> loop.costs(on ? Costs.FREE : serverCosts));
    clientLoops.forEach(loop -> loop.costs(on ? Costs.FREE : clientCosts));
    writers.forEach(loop -> loop.costs(on ? Costs.FREE : writerCosts));
    logs.forEach(log -> log.costs(on ? StorageCosts.NONE : Objects.requireNonNull(storageCosts)));
  }

  /** What an observer of this cluster sees. */
  Observation observation() {
    return observation;
  }

  /** The processor time of all servers. */
  Usage serverUsage() {
    return serverUsage;
  }

  /** The processor time of all clients. */
  Usage clientUsage() {
    return clientUsage;
  }

  /** The cores of all servers. */
  int serverCores() {
    return serverCores;
  }

  /** The cores of all clients. */
  int clientCores() {
    return clientCores;
  }
}
