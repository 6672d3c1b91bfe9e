package org.mortydb.client.net;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.ClientClosedException;
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
import org.mortydb.protocol.system.Morty;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkFailure;
import org.mortydb.transport.LinkListener;
import org.mortydb.transport.LocalProcess;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.Question;
import org.mortydb.transport.Reply;
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
  private final LoopGate gate;

  /** The calls that end with the client if they have not ended before. */
  private final Set<CompletableFuture<?>> calls = ConcurrentHashMap.newKeySet();

  private final ClientId self;
  private final @Nullable Identity identity;
  private final ClusterConfig cluster;
  private final ClientEngine engine;
  private final Reachability reachability;
  private final @Nullable MachineObserver observer;
  private final WallClock clock = new WallClock();

  private final LocalProcess process;

  /** The links whose servers have told their maps. */
  private final Set<Link> told = new HashSet<>();

  /** The servers that this client has heard of: those of the configuration, and later ones. */
  private final List<ServerSpec> servers = new ArrayList<>();

  /** The link to each of them, in the same order; null if the server has left. */
  private @Nullable Link[] links = new Link[0];

  private final Delays delays;

  /** Null for systems in which a read may wait for other transactions. */
  private final @Nullable SilentServers silence;

  private @Nullable Future<?> silenceCheck;

  private final WireFormat format;

  /** The server of each replica, by partition and index; null for partitions that are unknown. */
  private int[] @Nullable [] serverOf;

  private final String region;

  /** Where the change of the map that this process carries out gets its messages; null if none. */
  private @Nullable ChangeListener change;

  /** The number of the last map that this client cannot follow. */
  private int unknown;

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
    this.gate = new LoopGate(loop);
    loop.execute(() -> thread = Thread.currentThread());
    this.self = self;
    this.identity = tls == null ? null : tls.identity();
    this.cluster = cluster;
    Topology topology = cluster.topology(options.region());
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
    this.region = options.region();
    this.serverOf = new int[cluster.partitions()] @Nullable [];
    this.format = new WireFormat(cluster.system());
    this.process = LocalProcess.of(cluster, new PeerInfo.Client(self, options.region()), tls);
    this.delays = new Delays(loop, options.region(), engine::slotMicros);
    this.silence = cluster.system() instanceof Morty ? new SilentServers() : null;
    loop.execute(
        () -> {
          cluster.servers().forEach(this::connect);
          place(topology.map());
        });
    if (engine.needsDelays()) {
      delays.begin();
    }
  }

  /** Connects to a server that was not known, or that has another address than before. */
  private void connect(ServerSpec server) {
    int i = indexOf(server.name());
    if (i < 0) {
      i = servers.size();
      servers.add(server);
      links = Arrays.copyOf(links, i + 1);
    } else if (links[i] != null && servers.get(i).equals(server)) {
      return;
    } else {
      disconnect(i);
      servers.set(i, server);
    }
    Link link =
        TransportClient.connect(
            loop,
            server.name(),
            server.host(),
            server.port(),
            process,
            cluster.linkOptions(),
            cluster.delays(),
            new ServerListener(i));
    links[i] = link;
    delays.add(i, server, link);
    reachability.add(i, server);
  }

  /** A server has left. */
  private void disconnect(int i) {
    Link link = links[i];
    if (link != null) {
      links[i] = null;
      link.close();
      delays.remove(i);
      reachability.remove(i);
    }
  }

  private int indexOf(String server) {
    for (int i = 0; i < servers.size(); i++) {
      if (servers.get(i).name().equals(server)) {
        return i;
      }
    }
    return -1;
  }

  /** Connects to the servers of a map, and closes the links to those that have left. */
  private void follow(ClusterMap map) {
    List<ServerSpec> members = cluster.servers(map);
    members.forEach(this::connect);
    for (int i = 0; i < servers.size(); i++) {
      String name = servers.get(i).name();
      if (members.stream().noneMatch(member -> member.name().equals(name))) {
        disconnect(i);
      }
    }
  }

  /** Notes where the replicas of a map are. */
  private void place(ClusterMap map) {
    int last = map.servers().lastKey();
    if (last >= serverOf.length) {
      serverOf = Arrays.copyOf(serverOf, last + 1);
    }
    map.servers()
        .forEach(
            (partition, names) ->
                serverOf[partition] = names.stream().mapToInt(this::indexOf).toArray());
    loop.execute(this::tellUnreachable); // this may be a call of the engine
  }

  /**
   * Tells the engine which replicas are at servers without a link, or at servers that stay silent
   * while a majority of the partition's replicas does not.
   */
  private void tellUnreachable() {
    Set<ReplicaId> unreachable = new HashSet<>();
    List<ReplicaId> silent = new ArrayList<>();
    for (int partition = 0; partition < serverOf.length; partition++) {
      int replicas = replicas(partition);
      int down = 0;
      silent.clear();
      for (int index = 0; index < replicas; index++) {
        ReplicaId replica = new ReplicaId(partition, index);
        Link link = linkTo(replica);
        if (link == null || !link.isUp()) {
          unreachable.add(replica);
          down++;
        } else if (silence != null && silence.isSilent(serverOf(replica))) {
          silent.add(replica);
        }
      }
      if (2 * (down + silent.size()) < replicas) {
        unreachable.addAll(silent);
      }
    }
    engine.onUnreachable(unreachable);
  }

  /** A server is asked for a read, which it answers at once if it runs. */
  private void expectAnswer(int server) {
    if (silence != null && silence.asked(server, System.nanoTime())) {
      checkSilenceSoon();
    }
  }

  private void checkSilenceSoon() {
    silenceCheck =
        loop.schedule(this::checkSilence, SilentServers.CHECK_NANOS, TimeUnit.NANOSECONDS);
  }

  private void checkSilence() {
    if (silence != null) {
      SilentServers.Found found = silence.check(System.nanoTime());
      if (found.goesOn()) {
        checkSilenceSoon();
      }
      if (found.news()) {
        tellUnreachable();
      }
    }
  }

  /** The number of replicas of a partition; 0 if it is unknown. */
  private int replicas(int partition) {
    int[] group = partition >= 0 && partition < serverOf.length ? serverOf[partition] : null;
    return group == null ? 0 : group.length;
  }

  /** The link to a replica's server; null if the server is unknown, or has left. */
  private @Nullable Link linkTo(ReplicaId replica) {
    int server = serverOf(replica);
    return server < 0 ? null : links[server];
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
    Topology topology = cluster.topology(region, map);
    if (topology == null) {
      if (map.number() > unknown) { // each refused transaction brings the map once more
        unknown = map.number();
        log.warn("client {} cannot follow {}: nobody says where its servers are", self, map);
      }
    } else {
      follow(map);
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
   * @return whether all its servers are known
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
    int i = indexOf(server);
    Link link = i < 0 ? null : links[i];
    return link != null && link.isUp();
  }

  /** Whether all servers have been tried, and those that are up have told their maps. */
  boolean knowsMaps() {
    return reachability.hasTriedAll()
        && Arrays.stream(links)
            .allMatch(link -> link == null || !link.isUp() || told.contains(link));
  }

  /** Asks a server that is reached now for maps that this client does not know. */
  private void askForMaps(Link link) {
    if (!cluster.changes()) {
      return;
    }
    int last = engine.map().number();
    var _ =
        link.ask(new Question.AskMaps(last))
            .thenAccept(
                reply -> {
                  if (reply instanceof Reply.Maps(List<ClusterMap> maps, int _)) {
                    maps.forEach(engine::learn);
                    told.add(link);
                    if (engine.map().number() > last) {
                      loop.execute(() -> askForMaps(link)); // not all may have fitted
                    }
                  }
                });
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
    // as much. With the other systems the client waits.
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

  /** For tasks of the loop's own thread, and for its end. */
  EventLoop loop() {
    return loop;
  }

  /** Passes tasks of other threads to the loop; rejects them once the client is closed. */
  Executor gate() {
    return gate;
  }

  /** Fails a call if the client is closed before the call has ended. For any thread. */
  void failWithClient(CompletableFuture<?> call) {
    calls.add(call);
    var _ = call.whenComplete((unused, failure) -> calls.remove(call));
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

  /** Closes the client's part on this loop, before the loop is shut down. */
  void close() {
    gate.close();
    loop.execute(this::end);
  }

  /** Ends the engine, the calls and the links; called on the event loop. */
  private void end() {
    engine.close();
    for (CompletableFuture<?> call : List.copyOf(calls)) {
      call.completeExceptionally(new ClientClosedException(self() + " was closed"));
    }
    delays.end();
    if (wakeUp != null) {
      wakeUp.cancel(false);
    }
    if (silenceCheck != null) {
      silenceCheck.cancel(false);
    }
    for (Link link : links) {
      if (link != null) {
        link.close();
      }
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
  public long elapsedMicros() {
    return System.nanoTime() / 1_000;
  }

  @Override
  public long delayMicros() {
    return delays.farthestMicros();
  }

  @Override
  public long longestSlotMicros() {
    return delays.longestSlotMicros();
  }

  @Override
  public void send(Endpoint to, Message message) {
    if (to instanceof ReplicaId replica) {
      Link link = linkTo(replica);
      if (link == null) {
        return; // a map names it that this client cannot follow, or the server has left
      }
      boolean read = message instanceof Message.Get || message instanceof Message.Scan;
      if (read && link.isUp()) {
        expectAnswer(serverOf(replica));
      }
      if (observer != null) {
        observer.sent(self, replica, message, clock.nowMicros());
      }
      link.send(self, replica, message);
    }
  }

  @Override
  public void broadcast(int partition, Message message) {
    if (observer != null) {
      observer.broadcast(self, partition, message, clock.nowMicros());
    }
    EncodedMessage encoded = format.encode(message);
    int replicas = replicas(partition);
    for (int index = 0; index < replicas; index++) {
      ReplicaId replica = new ReplicaId(partition, index);
      Link link = linkTo(replica);
      if (link != null) {
        link.send(self, replica, encoded);
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
        "client {}: a result handler or listener threw, or a coordinator or driver broke an"
            + " invariant",
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
      forgetSilence();
      tellUnreachable();
      askForMaps(link);
    }

    @Override
    public void onMessage(Link link, Endpoint from, Endpoint to, Message message) {
      boolean honest = from instanceof ReplicaId replica && serverOf(replica) == server;
      if (honest && to.equals(self)) {
        if (silence != null
            && silence.expects(server)
            && silence.heard(server, System.nanoTime())) {
          tellUnreachable();
        }
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
      forgetSilence();
      tellUnreachable();
    }

    private void forgetSilence() {
      if (silence != null) {
        silence.forget(server);
      }
    }

    @Override
    public void onConnectFailed(Link link, LinkFailure reason) {
      reachability.failed(server, reason);
    }
  }
}
