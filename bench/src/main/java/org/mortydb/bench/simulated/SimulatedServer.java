package org.mortydb.bench.simulated;

import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.simulated.Gauge.Place;
import org.mortydb.bench.simulated.Handling.Kind;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.sim.kernel.SimEvent;
import org.mortydb.transport.LongestSlots;

/**
 * A server process, with partitions and connections on event loops. As in a real server, a loop
 * hands over messages for partitions of other loops, and those loops hand over the answers.
 */
final class SimulatedServer {
  private final VirtualClock clock;
  private final int region;
  private final List<Loop> loops;
  private final int replicas;
  private final @Nullable Gauge gauge;
  private final Observation observation;

  /** The partitions; null where the server has no replica. */
  private final @Nullable Partition[] partitions;

  /** The connections to other replicas by partition and index; null for those of this server. */
  private final @Nullable Pipe[][] peers;

  private final Long2ObjectOpenHashMap<Pipe> clients = new Long2ObjectOpenHashMap<>();

  /** The hand-overs, by sending and receiving loop. */
  private final @Nullable Handover[][] handovers;

  private final LongestSlots slots = new LongestSlots();

  private int accepted;

  /**
   * @param loops the event loops, at least one
   * @param partitionCount the number of partitions of the cluster
   * @param replicas the number of replicas of each partition
   * @param gauge measures steps; null for none
   */
  SimulatedServer(
      VirtualClock clock,
      int region,
      List<Loop> loops,
      int partitionCount,
      int replicas,
      @Nullable Gauge gauge,
      Observation observation) {
    this.clock = clock;
    this.region = region;
    this.loops = List.copyOf(loops);
    this.replicas = replicas;
    this.gauge = gauge;
    this.observation = observation;
    this.partitions = new Partition[partitionCount];
    this.peers = new Pipe[partitionCount][replicas];
    this.handovers = new Handover[loops.size()][loops.size()];
  }

  int region() {
    return region;
  }

  List<Loop> loops() {
    return loops;
  }

  /** The loop of the next connection to this server. */
  Loop nextLoop() {
    return loops.get(accepted++ % loops.size());
  }

  void add(ReplicaId id, StateMachine<Effects> machine) {
    partitions[id.partition()] =
        new Partition(id, machine, loops.get(id.partition() % loops.size()));
  }

  /** Sets the log of all replicas. Call it before the first event. */
  void storeIn(SimulatedLog log) {
    for (Partition partition : partitions) {
      if (partition != null) {
        partition.log = log.of(partition.loop);
      }
    }
  }

  /** The log has got further: sends what has waited for it, within a turn of a loop. */
  void release(Loop at) {
    for (Partition partition : partitions) {
      if (partition != null && partition.loop == at) {
        partition.release();
      }
    }
  }

  /** Sets the connection to a replica on another server. */
  void connect(ReplicaId peer, Pipe pipe) {
    peers[peer.partition()][peer.index()] = pipe;
  }

  /** Sets the connection to a client. */
  void connect(ClientId client, Pipe pipe) {
    clients.put(client.id(), pipe);
  }

  /** Takes the slots that a client would use; returns the longest ones of all clients. */
  int longestSlots(int slotMicros) {
    return slots.longest(slotMicros, clock.nanos());
  }

  /** Starts the ticks of all machines. */
  void start() {
    for (Partition partition : partitions) {
      if (partition != null) {
        partition.armTimer(Timer.TICK, 0);
      }
    }
  }

  /** Receives a message on a connection of a loop, within its turn. */
  void receive(Loop at, Envelope envelope) {
    at.chargeWork(at.costs().of(envelope.message()).decode());
    deliver(at, envelope);
  }

  private void deliver(Loop at, Envelope envelope) {
    Partition partition =
        envelope.to() instanceof ReplicaId(int number, int index) && number < partitions.length
            ? partitions[number]
            : null;
    if (partition == null) {
      throw new IllegalStateException(envelope + " arrived at a server without its receiver");
    }
    if (partition.loop == at) {
      partition.receive(envelope);
    } else {
      handover(at, partition.loop).add(() -> partition.receive(envelope));
    }
  }

  private Handover handover(Loop from, Loop to) {
    int giving = loops.indexOf(from);
    int taking = loops.indexOf(to);
    Handover handover = handovers[giving][taking];
    if (handover == null) {
      handover = new Handover(from, to);
      handovers[giving][taking] = handover;
    }
    return handover;
  }

  private @Nullable Pipe pipeTo(Endpoint to) {
    return switch (to) {
      case ClientId(long id) -> clients.get(id);
      case ReplicaId(int partition, int index) -> peers[partition][index];
    };
  }

  /**
   * Sends a message of a partition.
   *
   * @param encodeNanos the cost for the loop of the connection
   */
  private void send(Loop at, Envelope envelope, long encodeNanos) {
    Pipe pipe = pipeTo(envelope.to());
    if (pipe == null) {
      return;
    }
    if (pipe.sender() == at) {
      at.chargeWork(encodeNanos);
      pipe.add(envelope);
    } else {
      handover(at, pipe.sender())
          .add(
              () -> {
                pipe.sender().chargeWork(encodeNanos);
                pipe.add(envelope);
              });
    }
  }

  /**
   * The tasks that a loop hands over to another one in a turn. They cost something only if the
   * other loop sleeps: a loop that is awake finds them in its queue at its next turn.
   */
  static final class Handover implements Loop.Outlet {
    private final Loop from;
    private final Loop to;
    private List<Loop.Task> batch = new ArrayList<>();
    private List<Loop.Task> closed = List.of();

    Handover(Loop from, Loop to) {
      this.from = from;
      this.to = to;
    }

    void add(Loop.Task task) {
      if (batch.isEmpty()) {
        from.opened(this);
      }
      batch.add(task);
    }

    @Override
    public void close() {
      if (to.isAsleep()) {
        from.charge(from.costs().handover);
      }
      closed = batch;
      batch = new ArrayList<>();
    }

    @Override
    public void leave(long nanos) {
      List<Loop.Task> given = closed;
      closed = List.of();
      to.post(
          () -> {
            for (int i = 0; i < given.size(); i++) {
              given.get(i).run();
            }
          });
    }
  }

  /**
   * Copies of a message that wait for the log.
   *
   * @param position up to where the log must have got
   */
  private record Held(long position, List<Envelope> copies) {}

  /** A replica with its timers and effects. */
  private final class Partition implements Effects {
    private final ReplicaId id;
    private final StateMachine<Effects> machine;
    private final Loop loop;
    private final EnumMap<Timer, TimerEvent> timers = new EnumMap<>(Timer.class);

    /** Messages of a step for partitions of the same loop. */
    private final ArrayDeque<Envelope> queued = new ArrayDeque<>();

    /** The messages that wait until the log keeps what is before them. */
    private final ArrayDeque<Held> held = new ArrayDeque<>();

    /** The messages that wait until what is before them is written. */
    private final ArrayDeque<Held> heldForWrite = new ArrayDeque<>();

    /** The part of its event loop in the log; null without a log. */
    private SimulatedLog.@Nullable Part log;

    /** The position after the latest record. */
    private long appended;

    private boolean holding;
    private boolean holdingForWrite;
    private boolean stepping;

    /** The begin of the step, which is the time of all its events for an observer. */
    private long stepNanos;

    Partition(ReplicaId id, StateMachine<Effects> machine, Loop loop) {
      this.id = id;
      this.machine = machine;
      this.loop = loop;
    }

    void receive(Envelope envelope) {
      if (stepping) {
        queued.add(envelope);
        return;
      }
      Message message = envelope.message();
      loop.chargeWork(loop.costs().of(message).step());
      observation.received(id, message);
      observation.begin(Kind.MESSAGE, id, region, envelope, envelope.passage(), loop.turnNanos());
      Gauge.run(
          gauge,
          () -> step(new Event.Received(envelope.from(), message)),
          ended -> ended.endMessage(Place.SERVER, message));
      observation.end();
      drain();
    }

    private void fired(Timer timer) {
      loop.chargeWork(loop.costs().timer);
      observation.begin(Kind.TIMER, id, region, null, null, loop.turnNanos());
      Gauge.run(
          gauge, () -> step(new Event.TimerFired(timer)), ended -> ended.endTimer(Place.SERVER));
      observation.end();
      drain();
    }

    private void drain() {
      for (Envelope next = queued.poll(); next != null; next = queued.poll()) {
        SimulatedServer.this.deliver(loop, next);
      }
    }

    private void step(Event event) {
      stepping = true;
      holding = false;
      holdingForWrite = false;
      stepNanos = clock.nanos();
      try {
        machine.step(SimulatedCluster.wallMicros(clock), event, this);
      } finally {
        stepping = false;
      }
    }

    // ---- effects ----------------------------------------------------------------------------

    @Override
    public void append(LogRecord record) {
      if (log != null) {
        appended = log.append();
      }
    }

    @Override
    public void holdUntilDurable() {
      holding = log != null && log.keptPosition() < appended;
    }

    @Override
    public void holdUntilWritten() {
      if (log != null) {
        log.awaitWritten();
        holdingForWrite = log.writtenPosition() < appended;
      }
    }

    void release() {
      if (log != null) {
        release(heldForWrite, log.writtenPosition());
        release(held, log.keptPosition());
        drain();
      }
    }

    private void release(ArrayDeque<Held> waiting, long position) {
      for (Held next = waiting.peek();
          next != null && next.position <= position;
          next = waiting.peek()) {
        waiting.remove();
        leave(next.copies);
      }
    }

    @Override
    public void send(Endpoint to, Message message) {
      send(List.of(new Envelope(id, to, message, observation.passage(region))));
    }

    @Override
    public void broadcast(int partition, Message message) {
      List<Envelope> copies = new ArrayList<>(replicas);
      for (int index = 0; index < replicas; index++) {
        copies.add(
            new Envelope(
                id, new ReplicaId(partition, index), message, observation.passage(region)));
      }
      send(copies);
    }

    private void send(List<Envelope> copies) {
      if (holding || holdingForWrite) {
        (holding ? held : heldForWrite).add(new Held(appended, copies));
      } else {
        leave(copies);
      }
    }

    /** Sends the copies of a message, which is encoded once. */
    private void leave(List<Envelope> copies) {
      boolean sent = false;
      for (int i = 0; i < copies.size(); i++) {
        Envelope envelope = copies.get(i);
        if (isHere(envelope.to())) {
          queued.add(envelope);
        } else {
          if (gauge != null && !sent) {
            gauge.sent(envelope, copies.size());
          }
          SimulatedServer.this.send(
              loop, envelope, sent ? 0 : loop.costs().of(envelope.message()).encode());
          sent = true;
        }
      }
    }

    private boolean isHere(Endpoint to) {
      return to instanceof ReplicaId(int partition, int index) && peers[partition][index] == null;
    }

    @Override
    public void armTimer(Timer timer, long delayMicros) {
      TimerEvent event = timers.computeIfAbsent(timer, TimerEvent::new);
      event.due = false;
      clock.scheduleAt(clock.nanos() + delayMicros * VirtualClock.NANOS_PER_MICRO, event);
    }

    @Override
    public boolean probing() {
      return observation.isOn();
    }

    @Override
    public void probe(Probe probe) {
      observation.probed(id, probe, stepNanos);
    }

    @Override
    public void cancelTimer(Timer timer) {
      TimerEvent event = timers.get(timer);
      if (event != null) {
        event.due = false;
        clock.kernel().cancel(event);
      }
    }

    /** A timer. It can still be cancelled while it waits for its loop. */
    private final class TimerEvent extends SimEvent {
      private final Timer timer;
      private boolean due;

      TimerEvent(Timer timer) {
        this.timer = timer;
      }

      @Override
      protected void run() {
        due = true;
        loop.post(
            () -> {
              if (due) {
                due = false;
                fired(timer);
              }
            });
      }
    }
  }
}
