package org.mortydb.baselines.cluster;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.mortydb.baselines.message.LeaderMessage.Append;
import org.mortydb.baselines.message.LeaderMessage.Verdict;
import org.mortydb.baselines.message.LogEntry;
import org.mortydb.baselines.twophase.GroupReplica;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.ReplicaOptions;

/** A simulated cluster with one seed: replicas, clients, and the network between them. */
final class GroupCluster {
  static final long MAX_DELAY_MICROS = 3_000;
  private static final long LIMIT_MICROS = 120_000_000;

  /** A transaction that waits for a repeated message runs into its deadline first. */
  private static final long NEVER_MICROS = 10 * LIMIT_MICROS;

  final ClusterSpec spec;

  /** Whether messages without an answer are sent again. */
  final boolean repeats;

  final VirtualTime time = new VirtualTime();
  final SplittableRandom random;
  final HistoryCheck history;
  final ReplicaOptions options;
  private final Map<Endpoint, Receiver> receivers = new HashMap<>();
  private final Map<ReplicaId, Host> replicas = new LinkedHashMap<>();
  private final List<GroupClient> clients = new ArrayList<>();
  private boolean faultless;
  long messages;

  /** Receives messages. */
  interface Receiver {
    void receive(Endpoint from, Message message);
  }

  GroupCluster(ClusterSpec spec, long seed) {
    this(spec, seed, true);
  }

  GroupCluster(ClusterSpec spec, long seed, boolean repeats) {
    this.spec = spec;
    this.repeats = repeats;
    random = new SplittableRandom(seed);
    history = new HistoryCheck(spec.f(), spec.guarantee());
    options =
        new ReplicaOptions(500_000, 15_000_000, 5_000, repeatMicros(50_000), 4_096)
            .withClockUncertaintyMicros(spec.uncertaintyMicros());
    for (int partition = 0; partition < spec.partitions(); partition++) {
      for (int index = 0; index < 2 * spec.f() + 1; index++) {
        Host host = new Host(new ReplicaId(partition, index));
        replicas.put(host.id, host);
        receivers.put(host.id, host);
      }
    }
    for (int i = 0; i < spec.clients(); i++) {
      GroupClient client = new GroupClient(this, new ClientId(i + 1), i < spec.deadClients());
      clients.add(client);
      receivers.put(client.id, client);
    }
  }

  Topology topology(int region) {
    int[] closest = new int[spec.partitions()];
    java.util.Arrays.fill(closest, region % (2 * spec.f() + 1));
    return new Topology(spec.f(), closest);
  }

  /** The time after which a message is sent again. */
  long repeatMicros(long micros) {
    return repeats ? micros : NEVER_MICROS;
  }

  /** Runs to the end, and checks. */
  GroupCluster run() {
    replicas.values().forEach(host -> time.after(0, () -> host.timer(Timer.TICK)));
    clients.forEach(GroupClient::start);
    long limit = time.nowMicros() + LIMIT_MICROS;
    while (!clients.stream().allMatch(GroupClient::isDone)) {
      time.runNext();
      if (time.nowMicros() > limit) {
        throw new AssertionError("stuck: " + clients.stream().filter(c -> !c.isDone()).toList());
      }
    }
    faultless = true;
    runFor(3_000_000);
    checkAtRest();
    history.check();
    return this;
  }

  private void runFor(long micros) {
    long end = time.nowMicros() + micros;
    while (time.nowMicros() < end) {
      time.runNext();
    }
  }

  private void checkAtRest() {
    for (Host host : replicas.values()) {
      if (host.replica.openTransactions() != 0) {
        throw new AssertionError(
            host.id + " has " + host.replica.openTransactions() + " transactions open at rest");
      }
      for (int k = 0; k < spec.keys(); k++) {
        Key key = key(k);
        ReplicaId first = new ReplicaId(host.id.partition(), 0);
        if (!replicas.get(first).replica.newest(key).equals(host.replica.newest(key))) {
          throw new AssertionError(first + " and " + host.id + " differ at rest about key " + key);
        }
      }
    }
  }

  static Key key(int number) {
    return Key.of("key" + number);
  }

  long skew() {
    long skew = spec.skewMicros();
    return skew == 0 ? 0 : random.nextLong(-skew, skew + 1);
  }

  // ---- the network --------------------------------------------------------------------------

  void send(Endpoint from, Endpoint to, Message message) {
    messages++;
    if (message instanceof Verdict verdict && verdict.isCommit()) {
      history.decided(verdict.txn(), verdict.commitMicros());
    }
    int copies = 1;
    if (!faultless) {
      copies = random.nextInt(100) < spec.lossPercent() ? 0 : 1;
      copies += random.nextInt(100) < spec.duplicatePercent() ? 1 : 0;
    }
    for (int i = 0; i < copies; i++) {
      boolean late = !faultless && spec.duplicatePercent() > 0 && random.nextInt(50) == 0;
      long delay = 50 + random.nextLong(late ? 40 * MAX_DELAY_MICROS : MAX_DELAY_MICROS);
      time.after(delay, () -> deliver(from, to, message));
    }
  }

  private void deliver(Endpoint from, Endpoint to, Message message) {
    if (message instanceof Append append) {
      for (LogEntry entry : append.entries()) {
        history.held((ReplicaId) to, entry);
      }
      if (from instanceof ReplicaId leader) {
        for (LogEntry entry : append.entries()) {
          history.held(leader, entry);
        }
      }
    }
    Receiver receiver = receivers.get(to);
    if (receiver != null) {
      receiver.receive(from, message);
    }
  }

  void remove(Endpoint dead) {
    receivers.remove(dead);
  }

  /** A replica with its clock and timers. */
  private final class Host implements Effects, Receiver {
    final ReplicaId id;
    final GroupReplica replica;
    final long offsetMicros = skew();
    private final EnumMap<Timer, Long> armed = new EnumMap<>(Timer.class);
    private long timers;

    Host(ReplicaId id) {
      this.id = id;
      replica = new GroupReplica(id, topology(id.index()), options, spec.rules(), spec.controls());
    }

    @Override
    public void receive(Endpoint from, Message message) {
      replica.step(time.nowMicros() + offsetMicros, new Event.Received(from, message), this);
    }

    void timer(Timer timer) {
      replica.step(time.nowMicros() + offsetMicros, new Event.TimerFired(timer), this);
    }

    @Override
    public void send(Endpoint to, Message message) {
      GroupCluster.this.send(id, to, message);
    }

    @Override
    public void broadcast(int partition, Message message) {
      for (int index = 0; index < 2 * spec.f() + 1; index++) {
        send(new ReplicaId(partition, index), message);
      }
    }

    @Override
    public void armTimer(Timer timer, long delayMicros) {
      long number = ++timers;
      armed.put(timer, number);
      time.after(
          delayMicros,
          () -> {
            if (armed.remove(timer, number)) {
              timer(timer);
            }
          });
    }

    @Override
    public void cancelTimer(Timer timer) {
      armed.remove(timer);
    }
  }
}
