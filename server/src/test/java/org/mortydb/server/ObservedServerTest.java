package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Inquire;
import org.mortydb.protocol.message.Message.InquireReply;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

@Timeout(30)
class ObservedServerTest {

  /** Answers inquiries, and tells of each when it is probed. */
  private static final class Telling implements StateMachine<Effects> {
    private final ReplicaId self;
    private final Map<ReplicaId, Boolean> probing;

    Telling(ReplicaId self, Map<ReplicaId, Boolean> probing) {
      this.self = self;
      this.probing = probing;
    }

    @Override
    public void step(long nowMicros, Event event, Effects out) {
      probing.put(self, out.probing());
      if (event instanceof Event.Received(Endpoint from, Inquire inquire)) {
        if (out.probing()) {
          out.probe(new Probe.Installed(inquire.txn(), Outcome.ABORT));
        }
        out.send(from, new InquireReply(inquire.txn()));
      }
    }
  }

  private record Told(Endpoint at, String what, TxnId txn, Thread thread) {}

  private static final class Noting implements MachineObserver {
    private final List<Told> told = new CopyOnWriteArrayList<>();

    @Override
    public void probed(Endpoint at, Probe probe, long nowMicros) {
      note(at, probe.getClass().getSimpleName(), probe.txn(), nowMicros);
    }

    @Override
    public void received(Endpoint at, Endpoint from, Message message, long nowMicros) {
      note(at, message.getClass().getSimpleName(), message.txn(), nowMicros);
    }

    private void note(Endpoint at, String what, TxnId txn, long nowMicros) {
      assertThat(nowMicros).isBetween(txn.timeMicros(), MicrosClock.SYSTEM.nowMicros());
      told.add(new Told(at, what, txn, Thread.currentThread()));
    }
  }

  @Test
  void observersHearOfMessagesAndProbesOnTheReplicasThread() throws Exception {
    Map<ReplicaId, Boolean> probing = new ConcurrentHashMap<>();
    Noting noting = new Noting();
    MachineObserver broken =
        (at, probe, nowMicros) -> {
          throw new IllegalStateException("on purpose");
        };
    ServerOptions options = ServerOptions.DEFAULTS.withObserver(broken).withObserver(noting);
    try (TestCluster cluster = new TestCluster("cluster.partitions = 2, server.event-loops = 2")) {
      cluster.start(0, options, id -> new Telling(id, probing));
      try (TestClient client = new TestClient(cluster.config).awaitUp(1)) {
        List<TxnId> asked = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
          TxnId txn = client.begin(i % 2);
          asked.add(txn);
          client.send(new ReplicaId(i % 2, 0), new Inquire(txn));
          assertThat(client.next(InquireReply.class).txn()).isEqualTo(txn);
        }
        assertThat(noting.told).extracting(Told::txn, Told::what).hasSize(20);
        for (int i = 0; i < 10; i++) {
          Told received = noting.told.get(2 * i);
          Told probed = noting.told.get(2 * i + 1);
          assertThat(List.of(received.what, probed.what)).containsExactly("Inquire", "Installed");
          assertThat(List.of(received.txn, probed.txn)).containsOnly(asked.get(i));
          assertThat(List.of(received.at, probed.at)).containsOnly(new ReplicaId(i % 2, 0));
          assertThat(received.thread.getName()).matches("morty-s0-\\d+-" + (i % 2 + 1));
          assertThat(probed.thread).isEqualTo(received.thread);
        }
      }
    }
    assertThat(probing).containsValue(true).doesNotContainValue(false);
  }

  @Test
  void withoutObserversNothingIsProbed() throws Exception {
    Map<ReplicaId, Boolean> probing = new ConcurrentHashMap<>();
    try (TestCluster cluster = new TestCluster("")) {
      cluster.start(0, ServerOptions.DEFAULTS, id -> new Telling(id, probing));
      try (TestClient client = new TestClient(cluster.config).awaitUp(1)) {
        client.send(new ReplicaId(0, 0), new Inquire(client.begin(0)));
        assertThat(client.next(InquireReply.class)).isNotNull();
      }
    }
    assertThat(probing).containsValue(false).doesNotContainValue(true);
  }
}
