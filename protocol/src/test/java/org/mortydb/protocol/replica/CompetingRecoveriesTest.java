package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.testing.EffectRecorder;
import org.mortydb.protocol.testing.EffectRecorder.Armed;
import org.mortydb.protocol.testing.EffectRecorder.Broadcast;
import org.mortydb.protocol.testing.EffectRecorder.Sent;

/**
 * Recoveries of one transaction by replicas that all begin at the same ticks (docs/protocol.md,
 * section 5, Retries). No message is lost, so nothing but the recoveries holds up each other.
 */
class CompetingRecoveriesTest {
  private static final int PARTITIONS = 3;
  private static final long ONE_WAY = 700;
  private static final long WITHIN_A_REGION = 50;
  private static final long ROUND_TRIP = 2 * ONE_WAY;

  private record Scheduled(long atMicros, long order, ReplicaId to, Event event) {}

  private final PriorityQueue<Scheduled> queue =
      new PriorityQueue<>(
          Comparator.comparingLong(Scheduled::atMicros).thenComparingLong(Scheduled::order));
  private final Topology topology = new Topology(1, new int[PARTITIONS]);
  private final List<ReplicaId> ids = new ArrayList<>();
  private final List<Replica> replicas = new ArrayList<>();
  private final List<View> attempts = new ArrayList<>();
  private long firstMicros = Long.MAX_VALUE;
  private long nowMicros = 1_000_000;
  private long order;

  /**
   * Two replicas begin a recovery. One of them needs three round trips, and half a one to tell the
   * outcome.
   *
   * @param inquireAfter how long an attempt may take, in round trips
   * @param tick the time between two ticks, in round trips
   * @param late how many ticks later the other replicas would begin one
   */
  @ParameterizedTest
  @CsvSource({
    "2, 1, 0", "2, 1, 1", "2, 1, 2", "2, 1, 3", "2, 2, 1", "2, 4, 1", "3, 1, 0", "3, 1, 1",
    "3, 1, 2", "3, 1, 3", "4, 1, 1", "4, 1, 2", "4, 1, 3", "4, 2, 1", "6, 1, 1", "6, 1, 2",
    "6, 1, 3", "6, 3, 1", "12, 1, 1", "12, 1, 2", "12, 1, 3", "12, 4, 1"
  })
  void leaveTheFirstOneAlone(int inquireAfter, long tick, long late) {
    build(new ReplicaOptions(100_000, 60_000_000, tick * ROUND_TRIP, inquireAfter * ROUND_TRIP, 9));
    TxnId txn = new TxnId(nowMicros, 7, 2);
    for (ReplicaId id : ids) {
      boolean first = id.equals(new ReplicaId(2, 0)) || id.equals(new ReplicaId(1, 1));
      Message prepare =
          new Message.Prepare(
              new ExecutionId(txn, 0), List.of(), List.of(), List.of(), List.of(0, 1, 2));
      schedule(
          ONE_WAY + (first ? 0 : late * tick * ROUND_TRIP),
          id,
          new Event.Received(new ClientId(7), prepare));
    }
    long lastMicros = nowMicros + 1_000 * ROUND_TRIP;
    while (replicas.stream().anyMatch(replica -> replica.outcomeOf(txn) == null)) {
      assertThat(nowMicros).isLessThan(lastMicros);
      next();
    }
    assertThat(attempts).extracting(View::round).containsOnly(1);
    assertThat(nowMicros - firstMicros).isLessThanOrEqualTo(3 * ROUND_TRIP + ONE_WAY);
  }

  private void build(ReplicaOptions options) {
    for (int partition = 0; partition < PARTITIONS; partition++) {
      for (int index = 0; index < topology.replicas(); index++) {
        ReplicaId id = new ReplicaId(partition, index);
        ids.add(id);
        replicas.add(new Replica(id, topology, options, ReplicaRules.SOUND));
        schedule(0, id, new Event.TimerFired(Timer.TICK));
      }
    }
  }

  private void schedule(long delayMicros, ReplicaId to, Event event) {
    queue.add(new Scheduled(nowMicros + delayMicros, order++, to, event));
  }

  private void next() {
    Scheduled next = queue.remove();
    nowMicros = next.atMicros;
    EffectRecorder out = new EffectRecorder();
    replicas.get(ids.indexOf(next.to)).step(nowMicros, next.event, out);
    for (Probe probe : out.takeProbes()) {
      if (probe instanceof Probe.RecoveryStarted(TxnId ignored, View view)) {
        attempts.add(view);
        firstMicros = Math.min(firstMicros, nowMicros);
      }
    }
    for (EffectRecorder.Effect effect : out.take()) {
      switch (effect) {
        case Sent(Endpoint to, Message message) -> send(next.to, to, message);
        case Broadcast(int partition, Message message) -> {
          for (int i = 0; i < topology.replicas(); i++) {
            send(next.to, new ReplicaId(partition, i), message);
          }
        }
        case Armed(Timer timer, long delay) ->
            schedule(delay, next.to, new Event.TimerFired(timer));
        default -> {} // the log of these replicas is durable at once
      }
    }
  }

  private void send(ReplicaId from, Endpoint to, Message message) {
    if (to instanceof ReplicaId replica) {
      long delay = from.index() == replica.index() ? WITHIN_A_REGION : ONE_WAY;
      schedule(delay, replica, new Event.Received(from, message));
    }
  }
}
