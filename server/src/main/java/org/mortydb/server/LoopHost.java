package org.mortydb.server;

import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.Authorization;
import org.mortydb.config.Right;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.message.ClientMessage;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.server.status.LoopStatus;
import org.mortydb.storage.Log;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkFailure;
import org.mortydb.transport.LinkListener;
import org.mortydb.transport.PeerInfo;
import org.mortydb.wire.EncodedMessage;
import org.mortydb.wire.WireFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server's part on one event loop: takes messages from the loop's links to the partitions, here
 * or on other loops, and the partitions' messages to whom they are for. Everything happens on the
 * loop.
 */
final class LoopHost implements LinkListener {
  private static final Logger log = LoggerFactory.getLogger(LoopHost.class);

  private record Queued(PartitionHost host, Event event) {}

  private final SingleThreadEventLoop loop;
  private final Directory directory;
  private final ServerCounters counters;
  private final SteadyClock clock;
  private final WireFormat format;
  private final Authorization authorization;
  private final RateLimitedLog misdirected = new RateLimitedLog(log);
  private final RateLimitedLog forbidden = new RateLimitedLog(log);

  /** The ways to the server's other loops. */
  private final Map<EventLoop, Handover> handovers = new HashMap<>();

  /** The ways from the server's other loops to this one. Filled before it is used. */
  private final List<Handover> inbound = new ArrayList<>();

  /** The partitions of this loop. */
  private final List<PartitionHost> hosts = new ArrayList<>();

  /** Whether the loop was told to look what the log has kept, and has not looked yet. */
  private final AtomicBoolean releasing = new AtomicBoolean();

  /** Whether the log will be told at the end of the turn to write what was appended in it. */
  private final AtomicBoolean flushing = new AtomicBoolean();

  /** Events that came up within a step. */
  private final ArrayDeque<Queued> queue = new ArrayDeque<>();

  private boolean stepping;

  /** The loop's links to other servers that are up. */
  private final List<Link> serverLinks = new ArrayList<>();

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

  /** Tells of another loop, before anything is sent. */
  void know(LoopHost other) {
    Handover handover = new Handover(loop, other, counters);
    handovers.put(other.loop, handover);
    other.inbound.add(handover);
  }

  /** Tells of a partition of this loop, before anything is sent. */
  void add(PartitionHost host) {
    hosts.add(host);
  }

  /** Lets messages leave that have waited for the log. By any thread. */
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
   * Has a log write what was appended to it, when the messages that have come together have been
   * handled: all of it in one batch.
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
   * Has the loop look after itself and its partitions, now and in regular intervals. By any thread.
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
    // One that comes late is followed by the missed ones at once, which are not late.
    nextLookNanos = Math.max(nextLookNanos + everyNanos, nowNanos);
    lookNanos = nowNanos;
    hosts.forEach(PartitionHost::look);
    // A copy: a link that turns out to be broken is taken out.
    List.copyOf(serverLinks).forEach(Link::ping);
  }

  /** How the loop is. By any thread. */
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
    if (host == null || !mayComeFrom(link.peer(), from)) {
      onMisdirected(link, from, to, message);
    } else if (!(from instanceof ClientId) || isAllowed(link, from, to, message)) {
      deliver(host, from, message);
    }
  }

  private boolean mayComeFrom(@Nullable PeerInfo peer, Endpoint from) {
    return switch (from) {
      // The link has made sure that a client speaks for itself, and of its own transactions.
      case ClientId client -> true;
      case ReplicaId replica ->
          directory.config().hasReplica(replica)
              && peer instanceof PeerInfo.Server(String name, String region)
              && directory.config().serverOf(replica).name().equals(name);
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

  private static Right needed(ClientMessage request) {
    return switch (request.access()) {
      case READ -> Right.READ;
      case WRITE -> Right.WRITE;
      case ADMIN -> Right.ADMIN;
    };
  }

  private void onMisdirected(Link link, Endpoint from, Endpoint to, Message message) {
    counters.wrongPartition.increment();
    misdirected.warn(
        message.txn(),
        "{} from {} to {} came over the {}: it is not for here, or not from there; do both sides"
            + " have the same configuration?",
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

  private void deliver(PartitionHost host, Endpoint from, Message message) {
    if (host.loopHost() == this) {
      run(host, new Event.Received(from, message));
    } else {
      handover(host.loopHost().loop).add(new Handover.Inbound(host, from, message));
    }
  }

  /** Lets a partition of this loop take a step; after the current one, if there is one. */
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

  /** Takes what another loop hands over. */
  void take(List<Handover.Handed> batch) {
    for (Handover.Handed handed : batch) {
      switch (handed) {
        case Handover.Inbound in -> run(in.to(), new Event.Received(in.from(), in.message()));
        case Handover.Outbound out -> out.link().send(out.from(), out.to(), out.message());
        case Handover.Encoded out -> out.link().send(out.from(), out.to(), out.message());
      }
    }
  }

  private Handover handover(EventLoop to) {
    Handover handover = handovers.get(to);
    if (handover == null) {
      throw new IllegalStateException("a link or partition lives on a loop of another server");
    }
    return handover;
  }

  // ---- from partitions ----------------------------------------------------------------------

  /** Carries a message of a partition of this loop to whom it is for. */
  void send(ReplicaId from, Endpoint to, Message message) {
    PartitionHost host = to instanceof ReplicaId replica ? directory.host(replica) : null;
    if (host != null) {
      deliver(host, from, message);
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

  /** Carries a message of a partition of this loop to all replicas of a partition. */
  void broadcast(ReplicaId from, int partition, Message message) {
    EncodedMessage encoded = null;
    int replicas = 2 * directory.config().f() + 1;
    for (int index = 0; index < replicas; index++) {
      ReplicaId to = new ReplicaId(partition, index);
      PartitionHost host = directory.host(to);
      Link link = host == null ? directory.linkTo(to) : null;
      if (host != null) {
        deliver(host, from, message);
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
    if (peer instanceof PeerInfo.Server) {
      serverLinks.add(link);
    }
    log.debug("{} is up", link);
  }

  @Override
  public void onDown(Link link, LinkFailure reason) {
    directory.remove(link);
    serverLinks.remove(link);
    if (link.peer() instanceof PeerInfo.Server && reason.kind() != LinkFailure.Kind.CLOSED) {
      log.info("{} is down: {}", link, reason);
    }
  }

  @Override
  public void onConnectFailed(Link link, LinkFailure reason) {
    if (reason.kind() == LinkFailure.Kind.REFUSED) {
      misdirected.warn("{}", reason);
    } else {
      log.debug("{}", reason);
    }
  }

  /** Links and hand-overs send by themselves what has come together in a turn. */
  @Override
  public void onBatchEnd(Link link) {}
}
