package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Drop;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.message.Message.Inquire;
import org.mortydb.protocol.message.Message.InquireReply;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/** How machines are hosted, seen with machines that do nothing but what a test asks for. */
@Timeout(30)
class HostingTest {
  private static final ClientId CLIENT = new ClientId(77);

  /** What a machine saw. */
  private record Seen(ReplicaId replica, Event event, Thread thread) {}

  private final Queue<Seen> seen = new ConcurrentLinkedQueue<>();

  /**
   * On Get it asks every replica of the partition in the key, in the reader's name; each answers to
   * the asking replica, which tells the client.
   */
  private final class Asking implements StateMachine<Effects> {
    private final ReplicaId self;
    private boolean stepping;

    Asking(ReplicaId self) {
      this.self = self;
    }

    @Override
    public void step(long nowMicros, Event event, Effects out) {
      assertThat(stepping).isFalse();
      stepping = true;
      seen.add(new Seen(self, event, Thread.currentThread()));
      switch (event) {
        case Event.Received(Endpoint from, Get get) ->
            out.broadcast(Integer.parseInt(get.key().toString()), new Inquire(get.txn()));
        case Event.Received(Endpoint from, Inquire inquire) ->
            out.send(from, new InquireReply(inquire.txn()));
        case Event.Received(Endpoint from, InquireReply reply) ->
            out.send(CLIENT, new InquireReply(reply.txn()));
        case Event.Received(Endpoint from, Message message) ->
            throw new IllegalStateException("cannot bear " + message);
        case Event.TimerFired(Timer timer) -> out.armTimer(Timer.TICK, 10_000_000);
        case Event.BatchEnded ended -> throw new AssertionError(ended);
        case Event.Forwarded forwarded -> throw new AssertionError(forwarded);
        case Event.Renumber renumber -> throw new AssertionError(renumber);
        case Event.Unreachable unreachable -> throw new AssertionError(unreachable);
        case Event.Call call -> throw new AssertionError(call);
      }
      stepping = false;
    }
  }

  @Test
  void messagesFindTheirWayBetweenLoopsAndServers() throws Exception {
    int partitions = 4;
    try (TestCluster cluster = new TestCluster("cluster.partitions = 4, server.event-loops = 2")) {
      for (int i = 0; i < 3; i++) {
        cluster.start(i, Asking::new);
      }
      try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
        awaitServersTogether(client);
        seen.clear();
        client.received.clear();
        for (int asking = 0; asking < partitions; asking++) {
          for (int asked = 0; asked < partitions; asked++) {
            TxnId txn = client.begin(asking);
            client.send(new ReplicaId(asking, 1), new Get(txn, 0, Key.of("" + asked)));
            for (int i = 0; i < 3; i++) {
              assertThat(client.next(InquireReply.class).txn()).isEqualTo(txn);
            }
          }
        }
      }
      assertThat(seen).hasSize(partitions * partitions * 7);
      for (Seen one : seen) {
        // Partition p of server i belongs to loop p % 2 of that server.
        int server = one.replica().index();
        int loop = one.replica().partition() % 2 + 1;
        assertThat(one.thread().getName()).matches("morty-s" + server + "-\\d+-" + loop);
      }
    }
  }

  /**
   * Asks across all servers until the answers are complete: the servers' own links take a while.
   */
  private static void awaitServersTogether(TestClient client) throws InterruptedException {
    for (int server = 0; server < 3; server++) {
      boolean complete = false;
      while (!complete) {
        client.received.clear();
        client.send(new ReplicaId(0, server), new Get(client.begin(0), 0, Key.of("0")));
        complete = true;
        for (int i = 0; i < 3; i++) {
          complete &= client.received.poll(500, TimeUnit.MILLISECONDS) != null;
        }
      }
    }
  }

  @Test
  void aBrokenInvariantStopsItsPartitionAlone() throws Exception {
    try (TestCluster cluster = new TestCluster("cluster.partitions = 2")) {
      MortyServer server = cluster.start(0, Asking::new);
      try (TestClient client = new TestClient(cluster.config).awaitUp(1)) {
        client.send(new ReplicaId(1, 0), new Drop(new ExecutionId(client.begin(1), 0)));
        client.send(new ReplicaId(1, 0), new Inquire(client.begin(1)));
        TxnId txn = client.begin(0);
        client.send(new ReplicaId(0, 0), new Inquire(txn));
        assertThat(client.next(InquireReply.class).txn()).isEqualTo(txn);
        assertThat(server.counters().stoppedPartitions()).isEqualTo(1);
        assertThat(server.counters().toStopped()).isEqualTo(1);
      }
    }
  }

  /** It may have changed the state and not the log; it must not vote on. */
  @Test
  void anErrorOfTheVirtualMachineStopsItsPartition() throws Exception {
    StateMachine<Effects> machine =
        (nowMicros, event, out) -> {
          if (event instanceof Event.Received) {
            throw new OutOfMemoryError("Cannot reserve direct buffer memory");
          }
        };
    try (TestCluster cluster = new TestCluster("")) {
      MortyServer server = cluster.start(0, replica -> machine);
      try (TestClient client = new TestClient(cluster.config).awaitUp(1)) {
        client.send(new ReplicaId(0, 0), new Inquire(client.begin(0)));
        while (server.counters().stoppedPartitions() == 0) {
          Thread.sleep(1);
        }
      }
    }
  }

  @Test
  void everyMachineBeginsWithItsTick() throws Exception {
    try (TestCluster cluster = new TestCluster("cluster.partitions = 3, server.event-loops = 3")) {
      cluster.start(0, Asking::new);
      long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
      while (seen.size() < 3) {
        assertThat(System.nanoTime()).isLessThan(deadlineNanos);
        Thread.sleep(2);
      }
      assertThat(seen)
          .allMatch(one -> one.event().equals(new Event.TimerFired(Timer.TICK)))
          .extracting(Seen::replica)
          .containsExactlyInAnyOrder(new ReplicaId(0, 0), new ReplicaId(1, 0), new ReplicaId(2, 0));
    }
  }

  @Test
  void timersFireUnlessTheyAreReplacedOrCancelled() throws Exception {
    Queue<Timer> fired = new ConcurrentLinkedQueue<>();
    StateMachine<Effects> machine =
        (nowMicros, event, out) -> {
          switch (event) {
            case Event.TimerFired(Timer timer) when timer != Timer.TICK -> fired.add(timer);
            case Event.TimerFired(Timer timer) -> {
              out.armTimer(Timer.RESEND, 1_000);
              out.armTimer(Timer.DEADLINE, 1_000);
              out.cancelTimer(Timer.DEADLINE);
              out.armTimer(Timer.REVOTE, 1_000);
              out.armTimer(Timer.REVOTE, 50_000);
            }
            case Event.Received ignored -> {}
            case Event.BatchEnded ignored -> {}
            case Event.Forwarded ignored -> {}
            case Event.Renumber ignored -> {}
            case Event.Unreachable ignored -> {}
            case Event.Call ignored -> {}
          }
        };
    try (TestCluster cluster = new TestCluster("")) {
      cluster.start(0, replica -> machine);
      long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
      while (!fired.contains(Timer.REVOTE)) {
        assertThat(System.nanoTime()).isLessThan(deadlineNanos);
        Thread.sleep(2);
      }
      assertThat(fired).containsExactly(Timer.RESEND, Timer.REVOTE);
    }
  }

  @Test
  void theClockStandsStillWhereItJumpsBackALittle() {
    long[] now = {5_000_000};
    SteadyClock clock = new SteadyClock(() -> now[0]);
    assertThat(clock.nowMicros()).isEqualTo(5_000_000);
    now[0] = 4_900_000;
    assertThat(clock.nowMicros()).isEqualTo(5_000_000);
    now[0] = 5_000_001;
    assertThat(clock.nowMicros()).isEqualTo(5_000_001);
    now[0] = 1_000_000;
    assertThat(clock.nowMicros()).isEqualTo(1_000_000);
  }
}
