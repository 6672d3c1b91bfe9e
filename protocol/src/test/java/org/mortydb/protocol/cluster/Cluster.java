package org.mortydb.protocol.cluster;

import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.cluster.Audit.Violation;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.replica.Replica;

/**
 * Replicas, coordinators and a network in one thread and one seed. Small next to the simulator, and
 * without its hosts, so that the protocol can be tried by itself: every message takes its own time,
 * overtakes others, is lost or doubled; clocks are off.
 */
final class Cluster implements Audit.Replicas {
  private static final int CHECK_EVERY = 61;
  private static final int MAX_EVENTS = 3_000_000;
  private static final long SETTLE_MICROS = 20_000_000;

  private record Scheduled(long atMicros, long order, Runnable action)
      implements Comparable<Scheduled> {
    @Override
    public int compareTo(Scheduled other) {
      int byTime = Long.compare(atMicros, other.atMicros);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  final ClusterOptions options;
  final SplittableRandom random;
  final Audit audit;
  final List<Key> keys = new ArrayList<>();
  private final Map<ReplicaId, ReplicaHost> replicas = new HashMap<>();
  private final List<ReplicaHost> replicaList = new ArrayList<>();
  private final Map<ClientId, TinyClient> clients =
      new TreeMap<>((a, b) -> Long.compare(a.id(), b.id()));
  private final Map<ClientId, TinyBackup> backups = new HashMap<>();
  private final EnumMap<Probe.Branch, Integer> branches = new EnumMap<>(Probe.Branch.class);
  private final PriorityQueue<Scheduled> queue = new PriorityQueue<>();
  private final BitSet cutOff = new BitSet();
  private long order;
  private int events;
  private boolean faulty = true;

  /** The true time. */
  long nowMicros = 1_000_000;

  Cluster(long seed, ClusterOptions options) {
    this.options = options;
    this.random = new SplittableRandom(seed);
    this.audit = new Audit(options.f, this, options.amnesia);
    for (int i = 0; i < options.keys; i++) {
      keys.add(Key.of("k" + i));
    }
    Topology topology = topology();
    for (int partition = 0; partition < options.partitions; partition++) {
      for (int index = 0; index < topology.replicas(); index++) {
        ReplicaId id = new ReplicaId(partition, index);
        ReplicaHost host = new ReplicaHost(id, topology, skew());
        replicas.put(id, host);
        replicaList.add(host);
      }
    }
    for (int i = 1; i <= options.clients; i++) {
      ClientId id = new ClientId(i);
      clients.put(id, new TinyClient(this, id, topology(), skew(), random.split()));
    }
  }

  private Topology topology() {
    int[] closest = new int[options.partitions];
    for (int i = 0; i < closest.length; i++) {
      closest[i] = random.nextInt(2 * options.f + 1);
    }
    return new Topology(options.f, closest);
  }

  private long skew() {
    return options.skewMicros == 0
        ? 0
        : random.nextLong(-options.skewMicros, options.skewMicros + 1);
  }

  /**
   * Runs every client's transactions, then heals the network and lets the replicas settle.
   *
   * @throws Violation when anything that must always hold does not
   */
  Audit run() {
    if (options.founding) {
      replicaList.forEach(host -> host.replica.join(1, false));
    }
    replicaList.forEach(host -> host.step(new Event.TimerFired(Timer.TICK)));
    clients.values().forEach(TinyClient::start);
    for (int i = 1; i <= options.backups; i++) {
      ClientId id = new ClientId(1_000 + i);
      schedule(random.nextLong(SETTLE_MICROS / 4), () -> backUp(id));
    }
    if (options.outages) {
      cutSomebodyOff();
    }
    if (options.crashes) {
      crashSomebody();
    }
    while (!clients.values().stream().allMatch(TinyClient::isFinished)) {
      next();
    }
    faulty = false;
    long end = nowMicros + SETTLE_MICROS;
    while (nowMicros < end) {
      next();
    }
    replicaList.forEach(ReplicaHost::check);
    for (ReplicaHost host : replicaList) {
      List<TxnId> open = host.replica.undecided();
      if (!host.replica.isServing()) {
        throw new Violation("I6", host.id + " does not serve");
      }
      if (!open.isEmpty() && audit.unknown().isEmpty()) {
        throw new Violation("I6", host.id + " holds undecided transactions for ever: " + open);
      }
    }
    audit.checkSerializable();
    backups.values().stream()
        .filter(TinyBackup::isDone)
        .forEach(backup -> audit.checkBackup(backup.cut, backup.rows));
    return audit;
  }

  /** Some cuts are too old, others are a bit ahead. */
  private void backUp(ClientId id) {
    long retention = options.replicas.retentionMicros();
    long cut = nowMicros + random.nextLong(-2 * retention, options.replicas.allowedSkewMicros());
    TinyBackup backup = new TinyBackup(this, new TxnId(Math.max(1, cut), id.id(), 0), topology());
    backups.put(id, backup);
    backup.tick();
  }

  /** Backups that have read everything. */
  long backedUp() {
    return backups.values().stream().filter(TinyBackup::isDone).count();
  }

  /** How often a rare branch was taken. */
  int times(Probe.Branch branch) {
    return branches.getOrDefault(branch, 0);
  }

  private void next() {
    Scheduled next = requireNonNull(queue.poll(), "nothing will ever happen again");
    nowMicros = next.atMicros;
    next.action.run();
    if (++events > MAX_EVENTS) {
      throw new Violation("I6", "no end after " + MAX_EVENTS + " events");
    }
  }

  void schedule(long delayMicros, Runnable action) {
    queue.add(new Scheduled(nowMicros + Math.max(0, delayMicros), order++, action));
  }

  /** At any time at most f regions are cut off, so that everything goes on. */
  private void cutSomebodyOff() {
    cutOff.clear();
    int regions = random.nextInt(options.f + 1);
    while (cutOff.cardinality() < regions) {
      cutOff.set(random.nextInt(2 * options.f + 1));
    }
    schedule(random.nextLong(20_000, 400_000), this::cutSomebodyOff);
  }

  /**
   * The replicas of one region lose what was not durable, or with it all that was, and are back
   * after a while. Nobody else crashes before they serve again.
   */
  private void crashSomebody() {
    if (!faulty) {
      return;
    }
    if (replicaList.stream().allMatch(host -> host.up && host.replica.isServing())) {
      int region = random.nextInt(2 * options.f + 1);
      for (ReplicaHost host : replicaList) {
        if (host.id.index() == region) {
          host.crash();
          schedule(random.nextLong(1, options.maxAwayMicros), host::restart);
        }
      }
    }
    schedule(
        random.nextLong(options.maxAwayMicros, 4 * options.maxAwayMicros), this::crashSomebody);
  }

  private boolean isCutOff(Endpoint endpoint) {
    return endpoint instanceof ReplicaId replica && cutOff.get(replica.index());
  }

  boolean isFaulty() {
    return faulty;
  }

  void send(Endpoint from, Endpoint to, Message message) {
    audit.sent(from, to, message);
    if (faulty && (isCutOff(from) || isCutOff(to) || random.nextDouble() < options.loss)) {
      return;
    }
    deliver(from, to, message);
    if (faulty && random.nextDouble() < options.duplication) {
      deliver(from, to, message);
    }
  }

  private void deliver(Endpoint from, Endpoint to, Message message) {
    // Mostly quick, sometimes slow: more overtaking than with equal chances.
    long delay = random.nextLong(options.maxDelayMicros + 1);
    if (random.nextInt(4) != 0) {
      delay /= 8;
    }
    Event event = new Event.Received(from, message);
    schedule(
        delay,
        () -> {
          switch (to) {
            case ReplicaId replica -> requireNonNull(replicas.get(replica)).step(event);
            case ClientId client when backups.containsKey(client) ->
                requireNonNull(backups.get(client)).receive(from, message);
            case ClientId client -> requireNonNull(clients.get(client)).receive(message, event);
          }
        });
  }

  void broadcast(Endpoint from, int partition, Message message) {
    for (int index = 0; index < 2 * options.f + 1; index++) {
      send(from, new ReplicaId(partition, index), message);
    }
  }

  void observe(Probe probe) {
    if (probe instanceof Probe.Mark mark) {
      branches.merge(mark.branch(), 1, Integer::sum);
    }
  }

  @Override
  public boolean holds(ReplicaId replica, ExecutionId execution) {
    Replica asked = requireNonNull(replicas.get(replica)).replica;
    // What is committed and below the watermark is held, though nothing says so any more.
    return asked.holds(execution)
        || (audit.isCommitted(execution)
            && asked.census().watermarkMicros() >= execution.txn().timeMicros());
  }

  @Override
  public boolean holdsOnCondition(ReplicaId replica, ExecutionId execution) {
    return requireNonNull(replicas.get(replica)).replica.holdsOnCondition(execution);
  }

  @Override
  public @Nullable Outcome outcomeOf(ReplicaId replica, TxnId txn) {
    return requireNonNull(replicas.get(replica)).replica.outcomeOf(txn);
  }

  /** Transactions that replicas have a record of, all replicas together. */
  int records() {
    return replicaList.stream().mapToInt(host -> host.replica.census().transactions()).sum();
  }

  /** A replica, its clock and its disk. */
  private final class ReplicaHost implements Effects {
    private static final long MAX_FORCE_MICROS = 3_000;

    private record Held(int durable, Runnable sending) {}

    final ReplicaId id;
    private final Topology topology;
    private final long skewMicros;
    private final List<LogRecord> log = new ArrayList<>();
    private final ArrayDeque<Held> held = new ArrayDeque<>();
    Replica replica;
    private int durable;
    private boolean forcing;
    private boolean holding;
    private boolean up = true;
    private int life = 1;
    private long tickGeneration;

    ReplicaHost(ReplicaId id, Topology topology, long skewMicros) {
      this.id = id;
      this.topology = topology;
      this.skewMicros = skewMicros;
      this.replica = new Replica(id, topology, options.replicas, options.replicaRules);
    }

    void step(Event event) {
      if (!up) {
        return;
      }
      holding = false;
      try {
        replica.step(nowMicros + skewMicros, event, this);
      } catch (IllegalStateException broken) {
        throw new Violation(id.toString(), String.valueOf(broken.getMessage()));
      }
      if (random.nextInt(CHECK_EVERY) == 0) {
        check();
      }
    }

    void check() {
      try {
        replica.checkInvariants();
      } catch (IllegalStateException broken) {
        throw new Violation(id.toString(), String.valueOf(broken.getMessage()));
      }
      if (replica.contradictions() > 0) {
        throw new Violation(id.toString(), "heard two outcomes of one transaction");
      }
    }

    /** Ends the process; of what was not durable, a part may have reached the disk. */
    void crash() {
      up = false;
      life++;
      forcing = false;
      tickGeneration++;
      held.clear();
      int survives = durable + random.nextInt(log.size() - durable + 1);
      log.subList(options.amnesia ? 0 : survives, log.size()).clear();
      durable = log.size();
    }

    void restart() {
      up = true;
      replica = new Replica(id, topology, options.replicas, options.replicaRules);
      for (LogRecord logged : log) {
        replica.restore(nowMicros + skewMicros, logged);
      }
      if (options.amnesia && !options.returnsBlank) {
        replica.join(++life, false);
      }
      check();
      step(new Event.TimerFired(Timer.TICK));
    }

    @Override
    public void append(LogRecord logged) {
      log.add(logged);
      if (!forcing) {
        force();
      }
    }

    /** Group commit: whatever comes while one is under way is forced by the next. */
    private void force() {
      forcing = true;
      int until = log.size();
      int thisLife = life;
      schedule(
          options.crashes ? random.nextLong(MAX_FORCE_MICROS) : 0,
          () -> {
            if (life == thisLife) {
              forcing = false;
              durable = until;
              while (!held.isEmpty() && held.element().durable <= durable) {
                held.remove().sending.run();
              }
              if (log.size() > durable) {
                force();
              }
            }
          });
    }

    @Override
    public void holdUntilDurable() {
      holding = options.crashes && durable < log.size();
    }

    @Override
    public void send(Endpoint to, Message message) {
      if (holding) {
        held.add(new Held(log.size(), () -> Cluster.this.send(id, to, message)));
      } else {
        Cluster.this.send(id, to, message);
      }
    }

    @Override
    public void broadcast(int partition, Message message) {
      for (int index = 0; index < topology.replicas(); index++) {
        send(new ReplicaId(partition, index), message);
      }
    }

    @Override
    public void armTimer(Timer timer, long delayMicros) {
      long generation = ++tickGeneration;
      schedule(
          delayMicros,
          () -> {
            if (generation == tickGeneration) {
              step(new Event.TimerFired(timer));
            }
          });
    }

    @Override
    public void cancelTimer(Timer timer) {
      tickGeneration++;
    }

    @Override
    public boolean probing() {
      return true;
    }

    @Override
    public void probe(Probe probe) {
      observe(probe);
      if (probe instanceof Probe.Voted(ExecutionId execution, Vote vote) && vote.isCommit()) {
        audit.voted(execution);
      }
    }
  }
}
