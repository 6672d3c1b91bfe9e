package org.mortydb.client.net;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.engine.ClientEngine;
import org.mortydb.client.engine.CompletionListener;
import org.mortydb.client.engine.EngineHost;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.engine.EngineTimer;
import org.mortydb.client.engine.ServerDurability;
import org.mortydb.client.engine.Session;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.Identity;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkFailure;
import org.mortydb.transport.LinkListener;
import org.mortydb.transport.LocalProcess;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.TransportClient;
import org.mortydb.transport.tls.Tls;
import org.mortydb.wire.EncodedMessage;
import org.mortydb.wire.WireFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One engine on one event loop, with a link to every server. */
final class EngineLoop implements EngineHost {
  private static final Logger log = LoggerFactory.getLogger(EngineLoop.class);

  private final EventLoop loop;
  private final ClientId self;
  private final @Nullable Identity identity;
  private final ClusterConfig cluster;
  private final ClientEngine engine;
  private final Reachability reachability;
  private final @Nullable MachineObserver observer;
  private final WallClock clock = new WallClock();

  /** The link to each server, in the order of the configuration. */
  private final Link[] links;

  private final Delays delays;

  private final WireFormat format;

  /** The server of each replica, by partition and index; null for partitions that are unknown. */
  private int[] @Nullable [] serverOf;

  private final String region;

  /** Where the change of the map that this process carries out gets its messages; null if none. */
  private @Nullable ChangeListener change;

  /** The number of the last map that this client cannot follow. */
  private int unknown;

  private final int replicas;
  private final TimerQueue timers = new TimerQueue();
  private final Runnable onWakeUp = this::onWakeUp;
  private final Runnable onBatchEnd;
  private volatile @Nullable Thread thread;
  private @Nullable Future<?> wakeUp;
  private long wakeUpNanos;

  EngineLoop(
      EventLoop loop,
      ClientId self,
      @Nullable Tls tls,
      ClusterConfig cluster,
      ClientOptions options,
      Session session,
      long seed) {
    this.loop = loop;
    loop.execute(() -> thread = Thread.currentThread());
    this.self = self;
    this.identity = tls == null ? null : tls.identity();
    this.cluster = cluster;
    Topology topology = cluster.topology(options.region());
    this.replicas = topology.replicas();
    this.observer =
        MachineObserver.all(
            options.observers(), e -> log.error("an observer of client {} failed", self, e));
    this.engine =
        new ClientEngine(
            self,
            topology,
            engineOptions(cluster, options),
            session,
            new SplittableRandom(seed),
            this);
    this.onBatchEnd = engine::onBatchEnd;
    CompletionListener listener = listener(options.listener());
    if (listener != null) {
      engine.listen(listener);
    }
    this.reachability = new Reachability(cluster);
    List<ServerSpec> servers = cluster.servers();
    this.region = options.region();
    this.serverOf = new int[cluster.partitions()] @Nullable [];
    place(topology.map());
    this.format = new WireFormat(cluster.system());
    LocalProcess process =
        LocalProcess.of(cluster, new PeerInfo.Client(self, options.region()), tls);
    this.links = new Link[servers.size()];
    this.delays = new Delays(loop, links, servers, options.region());
    for (int i = 0; i < links.length; i++) {
      ServerSpec server = servers.get(i);
      links[i] =
          TransportClient.connect(
              loop,
              server.name(),
              server.host(),
              server.port(),
              process,
              cluster.linkOptions(),
              cluster.delays(),
              new ServerListener(i));
    }
    if (engine.needsDelays()) {
      delays.begin();
    }
  }

  /** Notes where the replicas of a map are. All its servers are in the configuration. */
  private void place(ClusterMap map) {
    List<ServerSpec> servers = cluster.servers();
    int last = map.servers().lastKey();
    if (last >= serverOf.length) {
      serverOf = Arrays.copyOf(serverOf, last + 1);
    }
    map.servers()
        .forEach(
            (partition, names) ->
                serverOf[partition] =
                    names.stream()
                        .mapToInt(name -> servers.indexOf(cluster.server(name)))
                        .toArray());
  }

  /** The index of the server of a replica; -1 if it is unknown. */
  private int serverOf(ReplicaId replica) {
    int[] group =
        replica.partition() >= 0 && replica.partition() < serverOf.length
            ? serverOf[replica.partition()]
            : null;
    return group == null || replica.index() < 0 || replica.index() >= group.length
        ? -1
        : group[replica.index()];
  }

  @Override
  public @Nullable Topology topology(ClusterMap map) {
    Topology topology = map.f() == cluster.f() ? cluster.topology(region, map) : null;
    if (topology == null) {
      if (map.number() > unknown) { // each refused transaction brings the map once more
        unknown = map.number();
        log.warn(
            "client {} cannot follow {}, which has servers that its configuration does not have:"
                + " add them, and restart the client",
            self,
            map);
      }
    } else {
      place(map);
      reachability.follow(map);
    }
    return topology;
  }

  // ---- changes of the map -------------------------------------------------------------------

  /** What takes the messages of a change of the map. */
  interface ChangeListener {
    void onMessage(Endpoint from, Message message);
  }

  /** Passes the messages of a change of the map to a listener, on the event loop. */
  void listenForChange(ChangeListener listener) {
    change = listener;
  }

  /**
   * The replicas of a proposed map can be reached from now on.
   *
   * @return whether the configuration has all its servers
   */
  boolean reach(ClusterMap map) {
    boolean known = cluster.topology(region, map) != null;
    if (known) {
      place(map);
    }
    return known;
  }

  /** Whether there is a link to a server. */
  boolean isUp(String server) {
    return links[cluster.servers().indexOf(cluster.server(server))].isUp();
  }

  /** Asks a replica of a server that is reached now for maps that this client does not know. */
  private void askForMaps(int server) {
    for (int partition = 0; cluster.changes() && partition < serverOf.length; partition++) {
      int[] group = serverOf[partition];
      for (int index = 0; group != null && index < group.length; index++) {
        if (group[index] == server) {
          TxnId asks = new TxnId(Math.max(1, clock.nowMicros()), self.id(), 0);
          links[server].send(
              self,
              new ReplicaId(partition, index),
              new Message.AskMaps(asks, engine.map().number(), 0));
          return;
        }
      }
    }
  }

  /** The listener that tells the observer, then the application's listener. */
  private @Nullable CompletionListener listener(@Nullable CompletionListener next) {
    MachineObserver told = observer;
    if (told == null) {
      return next;
    }
    CompletionListener first =
        attempt -> told.completed(self, attempt.completion(), attempt.attempt(), clock.nowMicros());
    return next == null ? first : first.andThen(next);
  }

  private static EngineOptions engineOptions(ClusterConfig cluster, ClientOptions options) {
    EngineOptions engine = options.engine().withSystem(cluster.system());
    // With Spanner, the leaders wait out the uncertainty of a commit, and snapshots must allow for
    // as
    // much. With the other systems the client waits.
    long uncertaintyMicros =
        Math.max(
            engine.coordinator().clockUncertaintyMicros(),
            cluster.replicaOptions().clockUncertaintyMicros());
    return engine
        .withCoordinator(engine.coordinator().withClockUncertaintyMicros(uncertaintyMicros))
        .withSlots(ConfiguredSlots.of(cluster, options.region(), uncertaintyMicros))
        .withAdmission(ConfiguredAdmission.of(cluster))
        .withPast(ConfiguredPast.of(cluster))
        .withDurability(durabilityOf(cluster));
  }

  private static ServerDurability durabilityOf(ClusterConfig cluster) {
    return switch (cluster.durability()) {
      case MEMORY -> ServerDurability.MEMORY;
      case ASYNC -> ServerDurability.ASYNC;
      case SYNC -> ServerDurability.SYNC;
    };
  }

  EventLoop loop() {
    return loop;
  }

  ClusterConfig cluster() {
    return cluster;
  }

  ClientId id() {
    return self;
  }

  /** Used on the event loop only. */
  ClientEngine engine() {
    return engine;
  }

  Reachability reachability() {
    return reachability;
  }

  /** Sets the time after which the servers that are reached must be enough. */
  void giveUpConnectingAfter(long micros) {
    var timeout = loop.schedule(reachability::giveUp, micros, TimeUnit.MICROSECONDS);
    var _ = reachability.whenEnough().whenComplete((unused, failure) -> timeout.cancel(false));
  }

  /** Ends the engine and its links; called on the event loop. */
  void close() {
    engine.close();
    delays.end();
    if (wakeUp != null) {
      wakeUp.cancel(false);
    }
    for (Link link : links) {
      link.close();
    }
  }

  /** Waits for the thread of the event loop, which was shut down, to end. */
  void awaitThreadEnd() {
    Thread ending = thread;
    boolean interrupted = false;
    while (ending != null && ending.isAlive()) {
      try {
        ending.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- EngineHost ---------------------------------------------------------------------------

  @Override
  public String self() {
    return identity == null ? "client " + self : identity.toString();
  }

  @Override
  public long nowMicros() {
    return clock.nowMicros();
  }

  @Override
  public long delayMicros() {
    return delays.farthestMicros();
  }

  @Override
  public void send(Endpoint to, Message message) {
    if (to instanceof ReplicaId replica) {
      int server = serverOf(replica);
      if (server < 0) {
        return; // a map names it that this client cannot follow
      }
      Link link = links[server];
      boolean read = message instanceof Message.Get || message instanceof Message.Scan;
      if (read && !link.isUp()) {
        sendElsewhere(replica, message);
      } else {
        sendBy(link, replica, message);
      }
    }
  }

  private void sendBy(Link link, ReplicaId to, Message message) {
    if (observer != null) {
      observer.sent(self, to, message, clock.nowMicros());
    }
    link.send(self, to, message);
  }

  /** Any replica can serve a read, so a link that is down need not cost the wait for a resend. */
  private void sendElsewhere(ReplicaId down, Message message) {
    for (int i = 1; i < replicas; i++) {
      int index = (down.index() + i) % replicas;
      int server = serverOf(new ReplicaId(down.partition(), index));
      Link link = links[Math.max(0, server)];
      if (server >= 0 && link.isUp()) {
        sendBy(link, new ReplicaId(down.partition(), index), message);
        return;
      }
    }
  }

  @Override
  public void broadcast(int partition, Message message) {
    if (observer != null) {
      observer.broadcast(self, partition, message, clock.nowMicros());
    }
    EncodedMessage encoded = format.encode(message);
    for (int index = 0; index < replicas; index++) {
      ReplicaId replica = new ReplicaId(partition, index);
      int server = serverOf(replica);
      if (server >= 0) {
        links[server].send(self, replica, encoded);
      }
    }
  }

  @Override
  public void schedule(long delayMicros, EngineTimer timer) {
    timers.add(timer, System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(delayMicros));
    wakeUpInTime();
  }

  @Override
  public void cancel(EngineTimer timer) {
    // The wake-up may now be too early, which does no harm.
    timers.remove(timer);
  }

  /** The loop reads from all links that have something before it runs a task. */
  @Override
  public void awaitBatchEnd() {
    loop.execute(onBatchEnd);
  }

  @Override
  public void handOver(Runnable task) {
    loop.execute(() -> engine.perform(task));
  }

  @Override
  public void onError(Throwable error) {
    log.error(
        "client {}: a result handler threw, or a coordinator or driver broke an invariant",
        self,
        error);
  }

  @Override
  public boolean probing() {
    return observer != null;
  }

  @Override
  public void probe(Probe probe) {
    if (observer != null) {
      observer.probed(self, probe, clock.nowMicros());
    }
  }

  private void wakeUpInTime() {
    long earliest = timers.earliestNanos(Long.MAX_VALUE);
    if (wakeUp != null) {
      if (earliest - wakeUpNanos >= 0) {
        return;
      }
      wakeUp.cancel(false);
    }
    wakeUpNanos = earliest;
    wakeUp =
        loop.schedule(onWakeUp, Math.max(0, earliest - System.nanoTime()), TimeUnit.NANOSECONDS);
  }

  private void onWakeUp() {
    wakeUp = null;
    long now = System.nanoTime();
    for (EngineTimer due = timers.poll(now); due != null; due = timers.poll(now)) {
      engine.onTimer(due);
    }
    if (timers.size() > 0) {
      wakeUpInTime();
    }
  }

  // ---- links --------------------------------------------------------------------------------

  /** Listens to one server. */
  private final class ServerListener implements LinkListener {
    private final int server;
    private boolean warned;

    ServerListener(int server) {
      this.server = server;
    }

    @Override
    public void onUp(Link link, PeerInfo peer) {
      reachability.up(server);
      askForMaps(server);
    }

    @Override
    public void onMessage(Link link, Endpoint from, Endpoint to, Message message) {
      boolean honest = from instanceof ReplicaId replica && serverOf(replica) == server;
      if (honest && to.equals(self)) {
        if (observer != null) {
          observer.received(self, from, message, clock.nowMicros());
        }
        ChangeListener listener = change;
        if (listener != null && message instanceof Message.ToMapChange) {
          listener.onMessage(from, message);
        }
        engine.onMessage(from, message);
      } else if (!warned) {
        warned = true;
        log.warn(
            "client {} drops messages from {} to {} that came from {}: that server does not hold"
                + " the replica, or the message is for another client; compare the configurations",
            self,
            from,
            to,
            link.peer());
      }
    }

    @Override
    public void onBatchEnd(Link link) {}

    @Override
    public void onDown(Link link, LinkFailure reason) {
      if (reason.kind() != LinkFailure.Kind.CLOSED) {
        log.info("client {} lost {}: {}", self, link.peer(), reason.detail());
      }
      reachability.failed(server, reason);
    }

    @Override
    public void onConnectFailed(Link link, LinkFailure reason) {
      reachability.failed(server, reason);
    }
  }
}
