package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import example.PrimaryCopyMessage.Ended;
import example.PrimaryCopyMessage.Get;
import example.PrimaryCopyMessage.Got;
import example.PrimaryCopyMessage.Prepare;
import example.PrimaryCopyMessage.Promised;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.sim.conformance.SystemConformance;

class PrimaryCopyTest {
  private static final long NOW = 1_000_000_000;
  private static final ClientId CLIENT = new ClientId(7);
  private static final TxnId TXN = new TxnId(NOW, CLIENT.id(), 0);
  private static final Key KEY = Key.of("key");
  private static final Prepare WRITE =
      new Prepare(TXN, List.of(new Write(KEY, 1, Value.of("value"))));

  @Test
  void conforms() throws InterruptedException {
    SystemConformance.of(new PrimaryCopy()).check();
  }

  // The simulator does not crash systems that keep everything in memory.

  @Test
  void aPrimaryPromisesOnceTwoBackupsHoldTheWrites() {
    Partition partition = new Partition();
    partition.cutOff.addAll(partition.backups().subList(0, 3));
    assertEquals(List.of(), partition.answers(WRITE));
    partition.cutOff.remove(partition.backups().getFirst());
    partition.tick();
    assertInstanceOf(Promised.class, partition.answers.getFirst());
  }

  @Test
  void aPrimaryThatHasLostItsMemoryDoesNotServe() {
    Partition partition = new Partition();
    assertInstanceOf(Promised.class, partition.answers(WRITE).getFirst());
    partition.start(partition.primary());
    partition.tick();
    Refused refused = new Refused(TXN, Refusal.NOT_SERVING, NOW + 2);
    assertEquals(List.of(refused), partition.answers(new Get(TXN, 0, KEY)));
    assertEquals(List.of(refused), partition.answers(new PrimaryCopyMessage.Commit(TXN, NOW)));
  }

  @Test
  void aPrimaryServesWithoutABackupThatHasLostItsMemory() {
    Partition partition = new Partition();
    partition.start(partition.backups().getFirst());
    partition.tick();
    assertInstanceOf(Promised.class, partition.answers(WRITE).getFirst());
    assertInstanceOf(
        Ended.class, partition.answers(new PrimaryCopyMessage.Commit(TXN, NOW)).getFirst());
    TxnId next = new TxnId(NOW + 1, CLIENT.id(), 0);
    assertEquals(
        Value.of("value"), ((Got) partition.answers(new Get(next, 0, KEY)).getFirst()).value());
  }

  /** A partition with f = 2. Messages arrive at once, except to replicas that are cut off. */
  private static final class Partition implements Effects {
    private static final Topology TOPOLOGY = new Topology(2, 0);

    private record Sent(Endpoint from, Endpoint to, Message message) {}

    final Set<ReplicaId> cutOff = new HashSet<>();
    final ArrayDeque<Message> answers = new ArrayDeque<>();
    private final Map<Integer, StateMachine<Effects>> replicas = new TreeMap<>();
    private final ArrayDeque<Sent> network = new ArrayDeque<>();
    private Endpoint stepping = CLIENT;
    private long nowMicros = NOW;

    Partition() {
      start(primary());
      backups().forEach(this::start);
      tick();
    }

    ReplicaId primary() {
      return new ReplicaId(0, 0);
    }

    List<ReplicaId> backups() {
      return IntStream.rangeClosed(1, 4).mapToObj(i -> new ReplicaId(0, i)).toList();
    }

    void start(ReplicaId id) {
      replicas.put(id.index(), new PrimaryCopy().replica(id, TOPOLOGY, ReplicaOptions.DEFAULTS));
    }

    void tick() {
      nowMicros++;
      replicas
          .keySet()
          .forEach(index -> step(new ReplicaId(0, index), new Event.TimerFired(Timer.TICK)));
      deliver();
    }

    List<Message> answers(Message request) {
      answers.clear();
      network.add(new Sent(CLIENT, primary(), request));
      deliver();
      return List.copyOf(answers);
    }

    private void deliver() {
      while (!network.isEmpty()) {
        Sent sent = network.remove();
        if (sent.to() instanceof ReplicaId to && !cutOff.contains(to)) {
          step(to, new Event.Received(sent.from(), sent.message()));
        } else if (sent.to().equals(CLIENT)) {
          answers.add(sent.message());
        }
      }
    }

    private void step(ReplicaId id, Event event) {
      stepping = id;
      replicas.get(id.index()).step(nowMicros, event, this);
    }

    @Override
    public void send(Endpoint to, Message message) {
      network.add(new Sent(stepping, to, message));
    }

    @Override
    public void broadcast(int partition, Message message) {
      throw new UnsupportedOperationException("primary copy sends to one replica at a time");
    }

    @Override
    public void armTimer(Timer timer, long delayMicros) {}

    @Override
    public void cancelTimer(Timer timer) {}
  }
}
