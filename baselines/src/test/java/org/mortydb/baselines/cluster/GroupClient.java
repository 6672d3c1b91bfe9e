package org.mortydb.baselines.cluster;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.mortydb.baselines.twophase.TwoPhaseClient;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.ReexecutionPolicy;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.Value;

/** A client that runs random transactions one after another, and retries aborted ones. */
final class GroupClient implements GroupCluster.Receiver {
  final ClientId id;
  private final GroupCluster cluster;
  private final boolean dies;
  private final SplittableRandom random;
  private final Topology topology;
  private final long offsetMicros;
  private final CoordinatorOptions options;
  private final Map<Long, Run> live = new HashMap<>();
  private int left;
  private long lastMicros;
  private int deathAfter;
  private boolean isDead;

  GroupClient(GroupCluster cluster, ClientId id, boolean dies) {
    this.cluster = cluster;
    this.id = id;
    this.dies = dies;
    random = cluster.random.split();
    topology = cluster.topology((int) id.id());
    offsetMicros = cluster.skew();
    left = cluster.spec.transactions();
    deathAfter = 1 + random.nextInt(40);
    options =
        new CoordinatorOptions(
            6_000_000,
            1_000_000,
            cluster.repeatMicros(20_000),
            0,
            cluster.spec.uncertaintyMicros(),
            ReexecutionPolicy.NEVER);
  }

  boolean isDone() {
    return isDead || left == 0;
  }

  void start() {
    cluster.time.after(random.nextLong(2_000), this::next);
  }

  private void next() {
    if (left > 0 && !isDead) {
      new Program().attempt();
    }
  }

  @Override
  public void receive(Endpoint from, Message message) {
    Run run = live.get(message.txn().timeMicros());
    if (run != null) {
      run.step(new Event.Received(from, message));
    }
  }

  private long clock() {
    return cluster.time.nowMicros() + offsetMicros;
  }

  @Override
  public String toString() {
    return id + " with " + left + " left and " + live.values();
  }

  /** The operations of one transaction, the same in every attempt. */
  private final class Program {
    final boolean readOnly = random.nextInt(4) == 0;
    final List<List<Key>> reads = new ArrayList<>();
    final List<Key> writes = new ArrayList<>();
    final int thinkMicros = random.nextInt(10) == 0 ? random.nextInt(20_000) : 0;
    final boolean thinksAfterWrites = random.nextInt(4) == 0;
    int attempts;
    long ageMicros;
    long beginMicros;

    Program() {
      int steps = 1 + random.nextInt(3);
      for (int i = 0; i < steps; i++) {
        List<Key> keys = new ArrayList<>();
        for (int k = 1 + random.nextInt(2); k > 0; k--) {
          keys.add(GroupCluster.key(random.nextInt(cluster.spec.keys())));
        }
        reads.add(keys);
        if (!readOnly && random.nextInt(3) > 0) {
          writes.add(keys.getFirst());
        }
      }
      if (!readOnly && random.nextInt(3) == 0) {
        writes.add(GroupCluster.key(random.nextInt(cluster.spec.keys())));
      }
      beginMicros = cluster.time.nowMicros();
    }

    void attempt() {
      if (isDead) {
        return;
      }
      long timeMicros = Math.max(clock(), lastMicros + 1);
      lastMicros = timeMicros;
      if (attempts++ == 0) {
        ageMicros = timeMicros;
      }
      Run run = new Run(this, new AttemptSpec(timeMicros, id.id(), ageMicros, readOnly));
      live.put(timeMicros, run);
      run.go();
    }
  }

  /** One attempt. */
  private final class Run implements CoordinatorEffects {
    final Program program;
    final long timeMicros;
    final TwoPhaseClient machine;
    private final EnumMap<Timer, Long> armed = new EnumMap<>(Timer.class);
    private long timers;
    private int step;
    private boolean hasPut;
    private boolean over;

    Run(Program program, AttemptSpec spec) {
      this.program = program;
      this.timeMicros = spec.timeMicros();
      machine =
          new TwoPhaseClient(
              spec,
              topology,
              options,
              cluster.spec.policy(),
              cluster.spec.tellsUpdates(),
              cluster.spec.rules());
    }

    void step(Event event) {
      if (!isDead) {
        machine.step(clock(), event, this);
      }
    }

    void go() {
      if (over || isDead) {
        return;
      }
      if (step < program.reads.size()) {
        List<Key> keys = program.reads.get(step++);
        step(new Event.CallGet(0, keys));
        step(new Event.CallYield(0));
        return;
      }
      if (!hasPut) {
        hasPut = true;
        for (Key key : program.writes) {
          step(new Event.CallPut(0, key, Value.of(id + "/" + timeMicros)));
        }
        if (program.thinksAfterWrites) {
          step(new Event.CallYield(0));
          cluster.time.after(program.thinkMicros, this::go);
          return;
        }
      }
      int end = random.nextInt(40);
      if (end == 0) {
        step(new Event.CallAbort(0));
      } else if (end == 1) {
        step(new Event.CallCommitReads(0));
      } else {
        step(new Event.CallCommit(0));
      }
    }

    @Override
    public void resume(int execution, int operation, List<Value> values) {
      cluster.time.after(program.thinkMicros, this::go);
    }

    @Override
    public void resumeScan(int execution, int operation, List<Row> rows) {
      throw new IllegalStateException("a system that cannot scan has: " + rows);
    }

    @Override
    public void awaitBatchEnd() {
      throw new IllegalStateException("nothing here is gathered");
    }

    @Override
    public void complete(Completion completion) {
      over = true;
      cluster.history.ended(
          program.beginMicros, cluster.time.nowMicros(), machine.snapshotMicros(), completion);
      if (completion instanceof Completion.Aborted aborted && aborted.reason().retryable()) {
        long bound = Math.min(200_000, 1_000L << Math.min(program.attempts, 10));
        cluster.time.after(random.nextLong(bound), program::attempt);
      } else {
        left--;
        cluster.time.after(random.nextLong(500), GroupClient.this::next);
      }
    }

    @Override
    public void retire() {
      live.remove(timeMicros);
      armed.clear();
    }

    @Override
    public void send(Endpoint to, Message message) {
      if (dies && --deathAfter <= 0 && !isDead) {
        isDead = true;
        cluster.remove(id);
        live.values().forEach(run -> cluster.history.abandoned(run.machine.txn()));
      }
      if (!isDead) {
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
      long number = ++timers;
      armed.put(timer, number);
      cluster.time.after(
          delayMicros,
          () -> {
            if (armed.remove(timer, number)) {
              step(new Event.TimerFired(timer));
            }
          });
    }

    @Override
    public void cancelTimer(Timer timer) {
      armed.remove(timer);
    }

    @Override
    public String toString() {
      return machine + " attempt " + program.attempts;
    }
  }
}
