package org.mortydb.protocol.cluster;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.Coordinator;
import org.mortydb.protocol.coordinator.CoordinatorRules;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;

/** A client that runs programs one after the other, and answers for those that have ended. */
final class TinyClient {
  private final Cluster cluster;
  private final ClientId id;
  private final Topology topology;
  private final long skewMicros;
  private final SplittableRandom random;

  /** Coordinators that are not retired, by timestamp. */
  private final Map<Long, Running> running = new HashMap<>();

  private final Map<TxnId, Outcome> ended = new HashMap<>();
  private long lastMicros;
  private int left;

  TinyClient(
      Cluster cluster, ClientId id, Topology topology, long skewMicros, SplittableRandom random) {
    this.cluster = cluster;
    this.id = id;
    this.topology = topology;
    this.skewMicros = skewMicros;
    this.random = random;
    this.left = cluster.options.transactions;
  }

  boolean isFinished() {
    return left == 0 && running.isEmpty();
  }

  void start() {
    cluster.schedule(random.nextLong(cluster.options.maxDelayMicros + 1), this::begin);
  }

  private void begin() {
    left--;
    lastMicros = Math.max(lastMicros + 1, cluster.nowMicros + skewMicros);
    Program program =
        new Program(random.nextLong(), cluster.keys, cluster.options.scans, cluster.options.merges);
    Running transaction = new Running(lastMicros, program);
    cluster.audit.begun(transaction.coordinator.txn(), program);
    running.put(lastMicros, transaction);
    transaction.turn();
  }

  void receive(Message message, Event event) {
    Running transaction = running.get(message.txn().timeMicros());
    if (transaction != null) {
      transaction.step(event);
    } else if (message instanceof Message.Inquire) {
      Outcome outcome = ended.get(message.txn());
      if (outcome != null && event instanceof Event.Received(Endpoint from, Message ignored)) {
        cluster.send(id, from, new Message.Decide(message.txn(), outcome));
      }
    }
  }

  /** One transaction with its coordinator, as a driver of read unrolling. */
  private final class Running implements CoordinatorEffects {
    final CoordinatorMachine coordinator;
    private final long timeMicros;
    private final Program program;

    /** For each operation of the current execution what it read; nothing for a write. */
    private final ArrayList<List<Value>> operations = new ArrayList<>();

    private final EnumMap<Timer, Long> timers = new EnumMap<>(Timer.class);
    private long generation;
    private int execution;
    private @Nullable Runnable pending;
    private boolean completed;

    /** What it does any more reaches nobody: as if its process had died in the middle of a step. */
    private boolean dead;

    Running(long timeMicros, Program program) {
      this.timeMicros = timeMicros;
      this.program = program;
      CoordinatorRules rules = cluster.options.coordinatorRules;
      this.coordinator =
          rules.hosted(
              new Coordinator(
                  AttemptSpec.first(timeMicros, id.id()),
                  topology,
                  cluster.options.coordinators,
                  rules),
              topology);
    }

    /** Whether the process lives on; it may die at every message boundary. */
    private boolean lives() {
      if (!dead && cluster.isFaulty() && random.nextDouble() < cluster.options.deaths) {
        dead = true;
        running.remove(timeMicros);
        cluster.audit.died(coordinator.txn());
        if (!completed && left > 0) {
          cluster.schedule(
              random.nextLong(cluster.options.maxDelayMicros + 1), TinyClient.this::begin);
        }
      }
      return !dead;
    }

    void step(Event event) {
      if (dead) {
        return;
      }
      coordinator.step(cluster.nowMicros + skewMicros, event, this);
      Runnable next = pending;
      if (next != null) {
        pending = null;
        next.run();
      }
    }

    /** Goes on until the program has to wait. */
    void turn() {
      int turnOf = execution;
      boolean waits = false;
      while (!waits && !completed && !dead) {
        long seen = 0;
        for (List<Value> values : operations) {
          seen = Program.digest(seen, values);
        }
        switch (program.next(operations.size(), seen)) {
          case Program.Put(Key key, Value value) -> {
            operations.add(List.of());
            coordinator.step(now(), new Event.CallPut(turnOf, key, value), this);
          }
          case Program.Get(List<Key> keys) -> {
            operations.add(List.of());
            coordinator.step(now(), new Event.CallGet(turnOf, keys), this);
            waits = true;
          }
          case Program.Scan(KeyRange range, int limit) -> {
            operations.add(List.of());
            coordinator.step(now(), new Event.CallScan(turnOf, range, limit), this);
            waits = true;
          }
          case Program.Commit() -> {
            coordinator.step(now(), new Event.CallCommit(turnOf), this);
            waits = true;
          }
          case Program.Abort() -> {
            coordinator.step(now(), new Event.CallAbort(turnOf), this);
            waits = true;
          }
        }
      }
      step(new Event.CallYield(turnOf));
    }

    private long now() {
      return cluster.nowMicros + skewMicros;
    }

    @Override
    public void resume(int newExecution, int operation, List<Value> values) {
      pending =
          () -> {
            execution = newExecution;
            operations.subList(operation, operations.size()).clear();
            operations.add(values);
            turn();
          };
    }

    @Override
    public void resumeScan(int newExecution, int operation, List<Row> rows) {
      resume(newExecution, operation, Program.shown(rows));
    }

    @Override
    public void awaitBatchEnd() {
      cluster.schedule(
          0,
          () -> {
            if (running.containsKey(timeMicros)) {
              step(new Event.BatchEnded());
            }
          });
    }

    @Override
    public void complete(Completion completion) {
      if (dead) {
        return;
      }
      completed = true;
      pending = null;
      cluster.audit.completed(completion);
      if (left > 0) {
        cluster.schedule(
            random.nextLong(cluster.options.maxDelayMicros + 1), TinyClient.this::begin);
      }
    }

    @Override
    public void retire() {
      running.remove(timeMicros);
    }

    @Override
    public void send(Endpoint to, Message message) {
      if (lives()) {
        cluster.send(id, to, message);
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
      long armed = ++generation;
      timers.put(timer, armed);
      cluster.schedule(
          delayMicros,
          () -> {
            if (timers.remove(timer, armed) && running.containsKey(timeMicros)) {
              step(new Event.TimerFired(timer));
            }
          });
    }

    @Override
    public void cancelTimer(Timer timer) {
      timers.remove(timer);
    }

    @Override
    public boolean probing() {
      return true;
    }

    @Override
    public void probe(Probe probe) {
      if (dead) {
        return;
      }
      cluster.observe(probe);
      if (probe instanceof Probe.Decided decided) {
        ended.put(decided.txn(), decided.outcome());
        cluster.audit.certain(decided.txn(), decided.outcome(), decided.path());
      }
    }
  }
}
