package org.mortydb.server;

import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.Authorization;
import org.mortydb.config.Right;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.message.ClientMessage;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.server.status.LoopStatus;
import org.mortydb.storage.Log;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkFailure;
import org.mortydb.transport.LinkListener;
import org.mortydb.transport.LinkVersions;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.Question;
import org.mortydb.transport.RateLimitedLog;
import org.mortydb.transport.Reply;
import org.mortydb.wire.EncodedMessage;
import org.mortydb.wire.WireFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of a server on one event loop. It passes messages from the loop's links to replicas, on
 * this loop or another, and messages from the loop's replicas to their receivers. Everything
 * happens on the loop.
 */
final class LoopHost implements LinkListener {
  private static final Logger log = LoggerFactory.getLogger(LoopHost.class);

  // One of each kind for the process: more loops write no more warnings.
  private static final RateLimitedLog misdirected = new RateLimitedLog(log);
  private static final RateLimitedLog forbidden = new RateLimitedLog(log);
  private static final RateLimitedLog contradicted = new RateLimitedLog(log);

  private record Queued(PartitionHost host, Event event) {}

  private final SingleThreadEventLoop loop;
  private final Directory directory;
  private final ServerCounters counters;
  private final SteadyClock clock;
  private final WireFormat format;
  private final Authorization authorization;

  /** The hand-overs to the server's other loops. */
  private final Map<EventLoop, Handover> handovers = new HashMap<>();

  /** The hand-overs from the server's other loops. Filled before use. */
  private final List<Handover> inbound = new ArrayList<>();

  /** The replicas of this loop. */
  private final List<PartitionHost> hosts = new CopyOnWriteArrayList<>();

  /** Whether a task that releases held messages is queued. */
  private final AtomicBoolean releasing = new AtomicBoolean();

  /** Whether a replica waits until records are written; it may also be over. */
  private volatile boolean awaitsWritten;

  /** Whether a replica waits for its first record to be forced; it may also be over. */
  private volatile boolean awaitsForced;

  /** Whether a task that flushes the log is queued. */
  private final AtomicBoolean flushing = new AtomicBoolean();

  /** Events that arose during a step. */
  private final ArrayDeque<Queued> queue = new ArrayDeque<>();

  private boolean stepping;

  /** The loop's links to other servers, as far as they are up. */
  private final List<Link> serverLinks = new ArrayList<>();

  /** What waits for other loops, for each of the loop's links to clients that are up. */
  private final Map<Link, ClientBacklog> backlogs = new HashMap<>();

  private @Nullable ScheduledFuture<?> looking;
  private long nextLookNanos;
  private volatile long lagNanos;
  private volatile long lookNanos = System.nanoTime();

  LoopHost(EventLoop loop, Directory directory, ServerCounters counters, MicrosClock clock) {
    this.loop = (SingleThreadEventLoop) loop;
    this.directory = directory;
    this.counters = counters;
    this.clock = new SteadyClock(clock);
    this.format = new WireFormat(directory.config().system());
    this.authorization = directory.config().security().authorization();
  }

  /** Adds another loop. Call it before the first message. */
  void know(LoopHost other) {
    Handover handover = new Handover(loop, other.loop, other::take, counters);
    handovers.put(other.loop, handover);
    other.inbound.add(handover);
  }

  /** Adds a replica of this loop. Call it before the first message to it. */
  void add(PartitionHost host) {
    hosts.add(host);
  }

  /** Removes a replica of this loop. */
  void remove(PartitionHost host) {
    hosts.remove(host);
  }

  /** A replica of this loop knows other maps than before. */
  void learn(MapHistory maps) {
    directory.maps().learn(maps.maps(), maps.closed());
  }

  /** A replica of this loop is about to wait until its records are written. */
  void awaitWritten() {
    awaitsWritten = true;
  }

  /** Makes the replicas send what waited until records are written, if anything does. */
  void releaseWrittenLater() {
    if (awaitsWritten) {
      awaitsWritten = false;
      releaseLater();
    }
  }

  /** A replica of this loop is about to wait until its first record is forced. */
  void awaitForced() {
    awaitsForced = true;
  }

  /** Begins the replicas that have waited for a force, if any has. For any thread. */
  void beginLater() {
    if (awaitsForced) {
      loop.execute(
          () -> {
            hosts.forEach(PartitionHost::onForced);
            awaitsForced = !hosts.stream().allMatch(PartitionHost::hasBegun);
          });
    }
  }

  /** Makes the replicas send the messages that waited for the log. For any thread. */
  void releaseLater() {
    if (!releasing.getAndSet(true)) {
      loop.execute(
          () -> {
            releasing.set(false);
            hosts.forEach(PartitionHost::release);
          });
    }
  }

  /**
   * Makes the log write the appended records as one batch, after the messages that arrived together
   * have been handled.
   */
  void flushLater(Log wal) {
    if (!flushing.getAndSet(true)) {
      loop.execute(
          () -> {
            flushing.set(false);
            wal.flush();
          });
    }
  }

  // ---- status -------------------------------------------------------------------------------

  /**
   * Makes the loop update its status and that of its replicas, now and regularly. For any thread.
   */
  void startLooking(long everyNanos, Runnable afterFirst) {
    loop.execute(
        () -> {
          nextLookNanos = System.nanoTime();
          look(everyNanos);
          looking =
              loop.scheduleAtFixedRate(
                  () -> look(everyNanos), everyNanos, everyNanos, TimeUnit.NANOSECONDS);
          afterFirst.run();
        });
  }

  void stopLooking() {
    if (looking != null) {
      looking.cancel(false);
    }
  }

  private void look(long everyNanos) {
    long nowNanos = System.nanoTime();
    lagNanos = Math.max(0, nowNanos - nextLookNanos);
    // After a late look, the missed looks follow at once. They do not count as late.
    nextLookNanos = Math.max(nextLookNanos + everyNanos, nowNanos);
    lookNanos = nowNanos;
    hosts.forEach(PartitionHost::look);
    // A copy, because a broken link is removed from the list.
    List.copyOf(serverLinks).forEach(Link::ping);
  }

  /** Returns the status of the loop. For any thread. */
  LoopStatus status() {
    int handed = 0;
    for (Handover handover : inbound) {
      handed += handover.waiting();
    }
    return new LoopStatus(
        loop.pendingTasks(),
        handed,
        lagNanos / 1000,
        Math.max(0, System.nanoTime() - lookNanos) / 1000);
  }

  EventLoop loop() {
    return loop;
  }

  ServerCounters counters() {
    return counters;
  }

  long nowMicros() {
    return clock.nowMicros();
  }

  // ---- to partitions ------------------------------------------------------------------------

  @Override
  public void onMessage(Link link, Endpoint from, Endpoint to, Message message) {
    PartitionHost host = to instanceof ReplicaId replica ? directory.host(replica) : null;
    if (host == null && to instanceof ReplicaId unknown && directory.config().changes()) {
      onUnknown(link, from, unknown, message);
    } else if (host == null || !mayComeFrom(link.peer(), from)) {
      if (from instanceof ReplicaId sender && directory.isOfUnknownMap(sender)) {
        counters.wrongPartition.increment(); // its server knows a map that this one does not
      } else {
        onMisdirected(link, from, to, message);
      }
    } else if (!(from instanceof ClientId) || isAllowed(link, from, to, message)) {
      if (message instanceof Message.CheckPartition check) {
        directory.maps().hears(check.map());
      }
      deliver(host, from, message, backlogs.get(link));
    }
  }

  @Override
  public boolean hasEnough(Link link) {
    ClientBacklog backlog = backlogs.get(link);
    return backlog != null && backlog.isFull();
  }

  private boolean mayComeFrom(@Nullable PeerInfo peer, Endpoint from) {
    return switch (from) {
      // The link has checked that the client and its transaction belong together.
      case ClientId client -> true;
      case ReplicaId replica ->
          peer instanceof PeerInfo.Server(String name, String region)
              && name.equals(directory.maps().serverOf(replica));
    };
  }

  /** Whether a client may send a message. If it lacks the right, it receives a refusal. */
  private boolean isAllowed(Link link, Endpoint from, Endpoint to, Message message) {
    if (!(message instanceof ClientMessage request)) {
      counters.notAuthorized.increment();
      forbidden.warn(
          message.txn(),
          "{} from {} to {} came over the {}: clients do not send such messages",
          message.getClass().getSimpleName(),
          from,
          to,
          link);
      return false;
    }
    Right needed = needed(request);
    // A client without the right to read was not admitted.
    if (needed == Right.READ || authorization.of(link.identity()).implies(needed)) {
      return true;
    }
    counters.notAuthorized.increment();
    forbidden.warn(
        message.txn(),
        "the client at the {} lacks the right '{}': its {} of transaction {} was refused",
        link,
        needed,
        message.getClass().getSimpleName(),
        message.txn());
    link.send(
        to,
        from,
        new Message.Refused(message.txn(), Message.Refusal.NOT_AUTHORIZED, clock.nowMicros()));
    return false;
  }

  /** A replica has heard outcomes that cannot be true. */
  void warnOfContradictions(ReplicaId replica, long count) {
    contradicted.warn(
        "replica {} has ignored {} outcomes that contradict what it knows: a client with the right"
            + " to read or write does not follow the protocol; see docs/reference/security.md",
        replica,
        count);
  }

  private static Right needed(ClientMessage request) {
    return switch (request.access()) {
      case READ -> Right.READ;
      case WRITE -> Right.WRITE;
      case ADMIN -> Right.ADMIN;
    };
  }

  /**
   * The map may have changed without this server's knowledge, or be about to change: then no
   * process has made a mistake.
   */
  private void onUnknown(Link link, Endpoint from, ReplicaId to, Message message) {
    if (from instanceof ReplicaId) {
      counters.wrongPartition.increment();
    } else if (directory.maps().isElsewhere(to)) {
      onMisdirected(link, from, to, message);
    } else if (isAllowed(link, from, to, message)) {
      if (message instanceof Message.CheckPartition check) {
        directory.maps().propose(to, check.map());
      } else {
        link.send(
            to, from, new Message.Refused(message.txn(), Message.Refusal.SEALED, nowMicros()));
      }
    }
  }

  private void onMisdirected(Link link, Endpoint from, Endpoint to, Message message) {
    counters.wrongPartition.increment();
    misdirected.warn(
        message.txn(),
        "{} from {} to {} came over the {}: the configuration of this server places the sender or"
            + " the receiver elsewhere; give both sides the same configuration file",
        message.getClass().getSimpleName(),
        from,
        to,
        link);
    if (from instanceof ClientId) {
      link.send(
          to,
          from,
          new Message.Refused(message.txn(), Message.Refusal.WRONG_PARTITION, clock.nowMicros()));
    }
  }

  private void deliver(
      PartitionHost host, Endpoint from, Message message, @Nullable ClientBacklog backlog) {
    if (host.loopHost() == this) {
      run(host, new Event.Received(from, message));
      return;
    }
    long bytes = MessageWeight.of(message);
    boolean handed =
        handover(host.loopHost().loop)
            .add(new Handover.Inbound(host, from, message, backlog, bytes));
    if (handed && backlog != null) {
      backlog.add(bytes);
    }
  }

  /** Lets a replica of this loop handle an event, after the current step if there is one. */
  void run(PartitionHost host, Event event) {
    if (stepping) {
      queue.add(new Queued(host, event));
      return;
    }
    stepping = true;
    try {
      host.step(event);
      for (Queued next = queue.poll(); next != null; next = queue.poll()) {
        next.host.step(next.event);
      }
    } finally {
      stepping = false;
    }
  }

  /** Handles the messages from another loop. */
  void take(List<Handover.Handed> batch) {
    for (Handover.Handed handed : batch) {
      switch (handed) {
        case Handover.Inbound in -> {
          run(in.to(), new Event.Received(in.from(), in.message()));
          if (in.backlog() != null) {
            in.backlog().remove(in.bytes());
          }
        }
        case Handover.Outbound out -> out.link().send(out.from(), out.to(), out.message());
        case Handover.Encoded out -> out.link().send(out.from(), out.to(), out.message());
      }
    }
  }

  private Handover handover(EventLoop to) {
    Handover handover = handovers.get(to);
    if (handover == null) {
      throw new IllegalStateException("a link or replica belongs to a loop of another server");
    }
    return handover;
  }

  // ---- from partitions ----------------------------------------------------------------------

  /** Sends a message of a replica of this loop. */
  void send(ReplicaId from, Endpoint to, Message message) {
    PartitionHost host = to instanceof ReplicaId replica ? directory.host(replica) : null;
    if (host != null) {
      deliver(host, from, message, null);
      return;
    }
    Link link = linkTo(to);
    if (link == null) {
      counters.unreachable.increment();
    } else if (link.eventLoop().inEventLoop()) {
      link.send(from, to, message);
    } else {
      handover(link.eventLoop()).add(new Handover.Outbound(link, from, to, message));
    }
  }

  /** Sends a message of a replica of this loop to all replicas of a partition. */
  void broadcast(ReplicaId from, int partition, Message message) {
    EncodedMessage encoded = null;
    int replicas = directory.maps().replicas(partition);
    for (int index = 0; index < replicas; index++) {
      ReplicaId to = new ReplicaId(partition, index);
      PartitionHost host = directory.host(to);
      Link link = host == null ? directory.linkTo(to) : null;
      if (host != null) {
        deliver(host, from, message, null);
      } else if (link == null) {
        counters.unreachable.increment();
      } else {
        encoded = encoded == null ? format.encode(message) : encoded;
        if (link.eventLoop().inEventLoop()) {
          link.send(from, to, encoded);
        } else {
          handover(link.eventLoop()).add(new Handover.Encoded(link, from, to, encoded));
        }
      }
    }
  }

  private @Nullable Link linkTo(Endpoint to) {
    return switch (to) {
      case ClientId client -> directory.linkTo(client);
      case ReplicaId replica -> directory.linkTo(replica);
    };
  }

  // ---- links --------------------------------------------------------------------------------

  @Override
  public void onUp(Link link, PeerInfo peer) {
    directory.enter(link, peer);
    ClusterVersion version = directory.version();
    LinkVersions versions = link.versions();
    if (version != null && versions != null) {
      version.up(link, peer, versions);
    }
    if (peer instanceof PeerInfo.Server) {
      serverLinks.add(link);
      askForMaps(link);
    } else {
      backlogs.put(link, new ClientBacklog(link));
    }
    log.debug("{} is up", link);
  }

  /**
   * Asks another server for the maps that this one does not know. Replicas ask each other as well,
   * but a server may have none yet, or none whose peers are still in the cluster.
   */
  void askForMaps(Link link) {
    if (!directory.config().changes() || !link.isUp()) {
      return;
    }
    int last = directory.maps().history().last().number();
    var _ =
        link.ask(new Question.AskMaps(last))
            .thenAccept(
                reply -> {
                  if (reply instanceof Reply.Maps(List<ClusterMap> maps, int closed)
                      && !maps.isEmpty()) {
                    directory.maps().learn(maps, closed);
                    if (directory.maps().history().last().number() > last) {
                      loop.execute(() -> askForMaps(link)); // not all may have fitted
                    }
                  }
                });
  }

  @Override
  public void onDown(Link link, LinkFailure reason) {
    directory.remove(link);
    ClusterVersion version = directory.version();
    if (version != null) {
      version.down(link);
    }
    serverLinks.remove(link);
    backlogs.remove(link);
    if (link.peer() instanceof PeerInfo.Server peer && reason.kind() != LinkFailure.Kind.CLOSED) {
      directory.history(peer.name()).onBreak(reason.detail());
      log.info("{} is down: {}", link, reason);
    }
  }

  @Override
  public CompletableFuture<Reply> onQuestion(Link link, Question question) {
    return directory.answer(question, authorization.of(link.identity()));
  }

  @Override
  public void onConnectFailed(Link link, LinkFailure reason) {
    if (link.peer() instanceof PeerInfo.Server peer) { // it was up before
      directory.history(peer.name()).onFailed(reason.detail());
    }
    if (reason.kind() == LinkFailure.Kind.REFUSED) {
      misdirected.warn("{}", reason);
    } else {
      log.debug("{}", reason);
    }
  }

  @Override
  public int onSlots(Link link, int slotMicros) {
    return directory.slots().longest(slotMicros, System.nanoTime());
  }

  /** Nothing to do: links and hand-overs collect the messages of a turn by themselves. */
  @Override
  public void onBatchEnd(Link link) {}
}
